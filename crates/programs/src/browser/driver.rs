//! ChromeDriver as a process of the test, and commands to it in the WebDriver protocol.

use crate::chromium::Chromium;
use crate::http::Request;
use serde_json::{Value, json};
use std::fs::File;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Only a machine that is out of breath takes so long to start a program.
const START_MAX: Duration = Duration::from_secs(60);

/// Nothing of the browser speaks to anybody but the page of the test.
const FLAGS: [&str; 13] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-breakpad",
    "--force-color-profile=srgb",
    "--lang=en-US",
];

/// The driver runs in a process group of its own, with the browser that it starts. When the test ends, however it ends,
/// the shell reads the end of its input and kills the group.
const WATCHED: &str = "\"$@\" & read -r end; kill -KILL 0";

/// Why a command was refused: the code of the protocol, and words.
#[derive(Debug, Clone)]
pub struct Refused {
    pub code: String,
    pub words: String,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let first = self.words.lines().next().unwrap_or_default();
        write!(f, "{}: {first}", self.code)
    }
}

#[derive(Debug)]
pub struct Driver {
    shell: Child,
    address: SocketAddr,
    session: String,
    /// Home of both programs and profile of the browser; goes when they are gone.
    home: TempDir,
}

impl Driver {
    /// A driver with a browser that has an empty profile, and for which these names lead to these addresses.
    pub fn start(programs: &Chromium, names: &[(&str, IpAddr)]) -> Result<Self, String> {
        let home = tempfile::tempdir().map_err(|cause| format!("no folder for it: {cause}"))?;
        let log = home.path().join("driver.log");
        let shell = shell(programs, home.path(), &log)
            .map_err(|cause| format!("it could not be started: {cause}"))?;
        // From here on the processes go when this does.
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut driver = Self { shell, address, session: String::new(), home };
        driver.address.set_port(port(&log)?);
        let mut flags: Vec<String> = FLAGS.iter().map(|&flag| flag.to_owned()).collect();
        flags.push(format!("--user-data-dir={}", driver.profile().display()));
        let rules: Vec<String> =
            names.iter().map(|(name, ip)| format!("MAP {name} {ip}")).collect();
        flags.push(format!("--host-resolver-rules={}", rules.join(",")));
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"binary": programs.browser, "args": flags},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let session = driver.send("POST", "/session", &wanted);
        let session = session.map_err(|refused| format!("no browser: {}", refused.words))?;
        driver.session = session["sessionId"].as_str().unwrap_or_default().to_owned();
        Ok(driver)
    }

    pub fn profile(&self) -> PathBuf {
        self.home.path().join("profile")
    }

    pub fn get(&self, what: &str) -> Result<Value, Refused> {
        self.send("GET", &format!("/session/{}/{what}", self.session), &Value::Null)
    }

    pub fn post(&self, what: &str, body: &Value) -> Result<Value, Refused> {
        self.send("POST", &format!("/session/{}/{what}", self.session), body)
    }

    pub fn delete(&self, what: &str) -> Result<Value, Refused> {
        self.send("DELETE", &format!("/session/{}/{what}", self.session), &Value::Null)
    }

    /// A command of the browser's own protocol.
    pub fn tell(&self, command: &str, parameters: &Value) -> Result<Value, Refused> {
        self.post("goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Result<Value, Refused> {
        let refused = |code: &str, words: String| Refused { code: code.to_owned(), words };
        let mut request = Request::new(method, path)
            .header("Host", &self.address.to_string())
            .header("Connection", "close");
        if method == "POST" {
            let json = body.to_string();
            request = request.header("Content-Type", "application/json").body(json.as_bytes());
        }
        let answer = request
            .send(self.address)
            .map_err(|cause| refused("no answer of the driver", cause.to_string()))?;
        let said: Value = serde_json::from_slice(&answer.body)
            .map_err(|_| refused("not an answer of the driver", answer.everything()))?;
        let value = &said["value"];
        if answer.status == 200 {
            return Ok(value.clone());
        }
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        Err(Refused { code: text("error"), words: text("message") })
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        // It kills itself last; there is nothing to do where it is gone already.
        let _ = self.shell.wait();
    }
}

fn shell(programs: &Chromium, home: &Path, log: &Path) -> std::io::Result<Child> {
    let log = File::create(log)?;
    Command::new("sh")
        .args(["-c", WATCHED, "sh"])
        .arg(&programs.driver)
        .arg("--port=0")
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_CACHE_HOME", home.join("cache"))
        .env("TMPDIR", home)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
}

/// The port that the driver took, which it says in its first lines.
fn port(log: &Path) -> Result<u16, String> {
    let begin = Instant::now();
    loop {
        let said = std::fs::read_to_string(log).unwrap_or_default();
        let port =
            said.split_once("successfully on port ").and_then(|(_, rest)| rest.split_once('.'));
        if let Some(port) = port.and_then(|(digits, _)| digits.parse().ok()) {
            return Ok(port);
        }
        if begin.elapsed() > START_MAX {
            return Err(format!("the driver took no port in time; it said {said:?}"));
        }
        sleep(Duration::from_millis(5));
    }
}
