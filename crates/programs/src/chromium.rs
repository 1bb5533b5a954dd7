//! The browser of the tests: Chromium and its driver as Debian packages them, found on PATH or installed.

use crate::say;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Set to 1, it lets people work without the browser; the tests that need it are skipped.
pub const WITHOUT_VARIABLE: &str = "TOLLGATE_WITHOUT_BROWSER";

const BROWSER: Wanted = Wanted { program: "chromium", package: "chromium" };
const DRIVER: Wanted = Wanted { program: "chromedriver", package: "chromium-driver" };

#[derive(Debug, Clone, Copy)]
struct Wanted {
    program: &'static str,
    package: &'static str,
}

/// Where both programs are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chromium {
    pub browser: PathBuf,
    pub driver: PathBuf,
}

/// Both programs, if they are on PATH; else what to do.
pub fn found() -> Result<Chromium, String> {
    match (on_path(BROWSER.program), on_path(DRIVER.program)) {
        (Some(browser), Some(driver)) => Ok(Chromium { browser, driver }),
        _ => Err(told(&missing(|program| on_path(program).is_some()), "they are not on PATH")),
    }
}

/// Installs what is missing. Only the test command does so: a test looks and tells.
pub fn installed() -> Result<Chromium, String> {
    let missing = missing(|program| on_path(program).is_some());
    if missing.is_empty() {
        return found();
    }
    let root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    let commands = commands(&missing, root, |program| on_path(program).is_some())?;
    say::line(&format!("installing {} with apt-get", missing.join(" and ")));
    for words in &commands {
        run(words).map_err(|why| told(&missing, &why))?;
    }
    found()
}

/// Whether the tests in a browser are wanted. To do without is for people; where `CI` is set it is refused.
pub fn wanted() -> Result<bool, String> {
    crate::is_wanted(WITHOUT_VARIABLE)
}

fn missing(is_there: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let wanted = [BROWSER, DRIVER].into_iter();
    wanted.filter(|wanted| !is_there(wanted.program)).map(|wanted| wanted.package).collect()
}

/// What installs these packages: nothing is asked, and another apt-get is waited for.
fn commands(
    packages: &[&str],
    root: bool,
    is_there: impl Fn(&str) -> bool,
) -> Result<[Vec<String>; 2], String> {
    if !is_there("apt-get") {
        return Err(told(packages, "this system has no apt-get to install them with"));
    }
    if !root && !is_there("sudo") {
        return Err(told(packages, "only root may install them, and there is no sudo"));
    }
    let become_root: &[&str] = if root { &[] } else { &["sudo", "-n"] };
    let begin = become_root.iter().chain(&APT_GET);
    let words = |more: &[&str]| begin.clone().chain(more).map(|&word| word.to_owned()).collect();
    let install = [&["install", "--yes", "--no-install-recommends"], packages].concat();
    Ok([words(&["update"]), words(&install)])
}

const APT_GET: [&str; 6] = [
    "env",
    "DEBIAN_FRONTEND=noninteractive",
    "apt-get",
    "--quiet=2",
    "--option=DPkg::Lock::Timeout=600",
    "--option=Dpkg::Use-Pty=0",
];

fn run(words: &[String]) -> Result<(), String> {
    let shown = words.join(" ");
    let output = Command::new(&words[0])
        .args(&words[1..])
        .stdin(Stdio::null())
        .output()
        .map_err(|cause| format!("`{shown}` could not be started: {cause}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim_end().replace('\n', "\n  | ");
    Err(format!("`{shown}` ended with {}\n  | {said}", output.status))
}

fn told(packages: &[&str], why: &str) -> String {
    format!(
        "THE BROWSER OF THE TESTS IS NOT INSTALLED\n  {} missing: {why}\n  \
         to continue: install Chromium and ChromeDriver of the same version so that `chromium` and `chromedriver` are on PATH\n  \
         (Debian: `apt-get install chromium chromium-driver` as root).\n  \
         Without them, and without the tests that need them: {WITHOUT_VARIABLE}=1",
        match packages {
            [one] => format!("{one} is"),
            all => format!("{} are", all.join(" and ")),
        }
    )
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::{commands, missing};

    #[test]
    fn only_what_is_missing_is_installed() {
        assert_eq!(missing(|_| false), ["chromium", "chromium-driver"]);
        assert_eq!(missing(|program| program == "chromium"), ["chromium-driver"]);
        assert!(missing(|_| true).is_empty());
    }

    #[test]
    fn root_installs_without_a_question_and_others_by_sudo_without_a_password() {
        let shown = |root: bool| {
            let commands = commands(&["chromium", "chromium-driver"], root, |_| true);
            commands.expect("apt-get is there").map(|words| words.join(" "))
        };
        let apt = "env DEBIAN_FRONTEND=noninteractive apt-get --quiet=2 --option=DPkg::Lock::Timeout=600 --option=Dpkg::Use-Pty=0";
        let install = "install --yes --no-install-recommends chromium chromium-driver";
        assert_eq!(shown(true), [format!("{apt} update"), format!("{apt} {install}")]);
        assert_eq!(
            shown(false),
            [format!("sudo -n {apt} update"), format!("sudo -n {apt} {install}")]
        );
    }

    #[test]
    fn where_nothing_can_be_installed_it_says_what_to_install() {
        let refused = |root: bool, there: &str| {
            commands(&["chromium-driver"], root, |program| program == there)
                .expect_err("nothing can be run")
        };
        let words = refused(true, "sudo");
        assert!(words.contains("no apt-get") && words.contains("chromium-driver is"), "{words}");
        let words = refused(false, "apt-get");
        assert!(words.contains("no sudo") && words.contains("TOLLGATE_WITHOUT_BROWSER=1"));
    }
}
