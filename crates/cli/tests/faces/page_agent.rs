//! Those on this machine who would answer in a person's name: an agent at work that found the port, and a page of someone else.

use crate::support::page::{Served, at_the_gate, choose, decided, enter};
use crate::support::{Repo, eventually, text};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::process::Command;
use std::time::Duration;
use tollgate_programs::browser;

/// Tries everything that `attack.json` names, and writes what came of it: a list of `[name, status, beginning of the answer]`.
/// The last ones hang up before anybody could look who they are.
const ATTACK: &str = r#"
import array, ctypes, json, os, socket, sys, time, urllib.parse
folder = sys.argv[1]
plan = json.load(open(folder + '/attack.json'))
host, port = plan['host'], plan['port']
told = []
def request(method, target, headers, body=b''):
    lines = [f'{method} {target} HTTP/1.1', f'Host: {host}:{port}', 'Connection: close']
    lines += [f'{name}: {value}' for name, value in headers.items()]
    if method == 'POST':
        lines += ['Content-Type: application/x-www-form-urlencoded', f'Content-Length: {len(body)}']
    return ('\r\n'.join(lines) + '\r\n\r\n').encode() + body
def ask(name, bytes):
    try:
        s = socket.create_connection((host, port), 10)
        s.sendall(bytes)
        s.settimeout(10)
        got = b''
        while len(got) < 4000:
            part = s.recv(4096)
            if not part: break
            got += part
        told.append([name, int(got.split(b' ')[1]) if got else 0, got.decode('utf-8', 'replace')])
    except OSError as error:
        told.append([name, 0, str(error)])
def answer(words):
    fields = dict(plan['fields'], words=words)
    return urllib.parse.urlencode(fields).encode()
cookie = {'Cookie': plan['cookie']}
ours = dict(cookie, Origin=f'http://{host}:{port}')
ask('nothing', request('GET', '/', {}))
ask('token', request('GET', '/?token=' + plan['token'], {}))
ask('list', request('GET', '/', cookie))
ask('session', request('GET', plan['session'], cookie))
ask('stream', request('GET', plan['session'] + '/events', cookie))
ask('answer', request('POST', plan['action'], ours, answer('asked for')))
if plan['rude']:
    for number in range(20):
        if os.fork() == 0:
            s = socket.create_connection((host, port), 10)
            s.sendall(request('POST', plan['action'], ours, answer('hung up')))
            os._exit(0)
        os.wait()
    # The beginning of another request keeps the server from noticing that nobody is there any more.
    for number in range(10):
        if os.fork() == 0:
            s = socket.create_connection((host, port), 10)
            s.sendall(request('POST', plan['action'], ours, answer('tail')).replace(b'Connection: close\r\n', b'') + b'GET / HTTP/1.1\r\nHost: x\r\n')
            os._exit(0)
        os.wait()
    # On its way between two processes a socket is in none of them.
    for number in range(5):
        s = socket.create_connection((host, port), 10)
        here, there = socket.socketpair()
        post = request('POST', plan['action'], ours, answer('on its way'))
        s.sendall(post[:-1])
        here.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [os.dup(s.fileno())]))])
        last = os.dup(s.fileno())
        s.close()
        os.write(last, post[-1:])
        os.close(last)
        time.sleep(0.3)
    # From child to child: whoever was listed is gone when somebody looks into it.
    for number in range(5):
        if os.fork() == 0:
            s = socket.create_connection((host, port), 10)
            s.sendall(request('POST', plan['action'], ours, answer('chain')))
            end = time.time() + 0.5
            while time.time() < end:
                if os.fork() != 0: os._exit(0)
            os._exit(0)
        os.wait()
    # Nobody but root looks into a process that forbids it.
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
        ask('closed', request('POST', plan['action'], ours, answer('closed')))
        os._exit(0)
    os.wait()
    # Two processes up, and in a session of its own.
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            ask('daemon', request('POST', plan['action'], ours, answer('daemon')))
            os._exit(0)
        os._exit(0)
    os.wait()
    time.sleep(1)
with open(folder + '/told.tmp', 'w') as file: json.dump(told, file)
os.rename(folder + '/told.tmp', folder + '/told.json')
"#;

/// What came of each attempt.
fn told(folder: &std::path::Path) -> Vec<(String, u64, String)> {
    let list: Value = serde_json::from_slice(&fs::read(folder.join("told.json")).unwrap()).unwrap();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let one = |entry: &Value| (word(&entry[0]), entry[1].as_u64().unwrap(), word(&entry[2]));
    list.as_array().unwrap().iter().map(one).collect()
}

/// The crew's Coder runs the attack; the session with the gate is another one.
fn attacked(rude: bool) -> (Repo, Served, std::path::PathBuf) {
    let repo = Repo::new();
    let folder = repo.open_outside("attack");
    let program = repo.outside("attack.py");
    fs::write(&program, ATTACK).unwrap();
    let (served, visitor, session) = at_the_gate(&repo);
    let page = visitor.answer(&session, "approved", "");
    let bytes = text(&page.bytes());
    let (head, body) = bytes.split_once("\r\n\r\n").unwrap();
    let action = head.split(' ').nth(1).unwrap();
    let fields: serde_json::Map<String, Value> = body
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect();
    // All that a person knows: an agent could have read it over their shoulder.
    let plan = json!({"host": served.address.ip().to_string(), "port": served.address.port(), "token": served.token, "cookie": visitor.cookie,
                      "session": session, "action": action, "fields": fields, "rude": rude});
    fs::write(folder.join("attack.json"), plan.to_string()).unwrap();
    let attack = ["python3", program.to_str().unwrap(), folder.to_str().unwrap()];
    repo.crew(
        json!([{"when": {"role": "Coder", "nth": 1}, "do": {"default": true, "run": attack}}]),
    );
    repo.tollgate(&["run", "--no-input", "--lean", "Attack the page"]).exits(0);
    (repo, served, folder)
}

/// Questions of the first session that somebody answered.
fn answered(repo: &Repo) -> usize {
    let list =
        fs::read_dir(repo.root().join(".agents-work")).unwrap().map(|one| one.unwrap().path());
    let journals =
        list.map(|path| fs::read_to_string(path.join("journal.jsonl")).unwrap_or_default());
    journals.map(|journal| journal.matches("decision_resolved").count()).sum()
}

#[test]
fn r190_an_agent_that_knows_all_a_person_knows_reads_nothing_and_answers_nothing() {
    let (repo, served, folder) = attacked(true);
    let told_agent = told(&folder);
    assert!(told_agent.len() >= 6, "{told_agent:?}");
    for (name, status, said) in &told_agent {
        assert!(matches!(status, 0 | 400..500), "{name}: {said}");
        assert!(!said.contains("set-cookie") && !said.contains("UD-APPROVE"), "{name}: {said}");
    }
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(answered(&repo), 0, "nobody answered");
    // The same words of the same program, said by somebody who is no agent, are heard.
    let plan: Value =
        serde_json::from_slice(&fs::read(folder.join("attack.json")).unwrap()).unwrap();
    let polite = json!({"rude": false});
    let mut plan = plan.as_object().unwrap().clone();
    plan.extend(polite.as_object().unwrap().clone());
    fs::write(folder.join("attack.json"), json!(plan).to_string()).unwrap();
    let ran = Command::new("python3").arg(repo.outside("attack.py")).arg(&folder).output().unwrap();
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let statuses: Vec<u64> = told(&folder).iter().map(|(_, status, _)| *status).collect();
    assert_eq!(statuses[1..], [303, 200, 200, 200, 303], "{:?}", told(&folder));
    eventually("the answer of a person", || answered(&repo) == 1);
    drop(served);
}

/// A page of someone else under every path; it says when it was asked for something.
fn stranger(at: IpAddr, page: String) -> SocketAddr {
    let listener = TcpListener::bind((at, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let page = page.clone();
            std::thread::spawn(move || {
                let mut stream = stream.unwrap();
                if stream.read(&mut [0; 8192]).is_ok_and(|count| count > 0) {
                    let head = format!(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                        page.len()
                    );
                    let _ = stream.write_all(format!("{head}{page}").as_bytes());
                }
            });
        }
    });
    address
}

#[test]
fn r190_a_page_of_someone_else_neither_reads_nor_answers_in_the_persons_browser() {
    let repo = Repo::new();
    let (served, visitor, session) = at_the_gate(&repo);
    let ip = served.address.ip();
    let names = [("evil.example", ip)];
    let Some(browser) = browser::or_skip_where("a_page_of_somebody_else", &names) else { return };
    enter(&browser, &served);
    let write = text(&visitor.answer(&session, "approved", "").bytes());
    let action = served.at(write.split(' ').nth(1).unwrap());
    let body = write.split("\r\n\r\n").nth(1).unwrap();
    let fields: String = body
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| format!("<input name=\"{name}\" value=\"{value}\">"))
        .collect();
    let (list, read) = (served.at("/"), served.at(&session));
    let page = format!(
        "<!doctype html><link rel=icon href='data:,'><form method=post action=\"{action}\">{fields}<button>win</button></form>
         <iframe src=\"{read}\"></iframe><img src=\"{list}\"><script src=\"{list}\"></script>
         <script>
         window.told = [];
         const note = (what) => (word) => window.told.push(what + ' ' + word);
         const sends = (mode) => ({{method: 'POST', mode, credentials: 'include', body: new URLSearchParams({body:?})}});
         Promise.allSettled([
           fetch('{list}', {{credentials: 'include'}}).then(a => a.text()).then(note('read'), note('unread')),
           fetch('{action}', sends('cors')).then(a => a.text()).then(note('read'), note('unread')),
           fetch('{action}', sends('no-cors')).then(a => note('sent')(a.type), note('unsent')),
         ]).then(() => {{ window.over = true }});
         </script>"
    );
    let stranger = stranger(ip, page);
    // A neighbour on this machine is the same site for cookies, and a name of someone else is another one.
    for host in [ip.to_string().as_str(), "evil.example"] {
        browser.go(&format!("http://{host}:{}/", stranger.port()));
        browser.wait_until("its scripts to be over", || {
            browser.run("return window.over === true", &[]) == true
        });
        let told = browser.run("return window.told", &[]).to_string();
        assert!(!told.contains("\"read"), "{host}: {told}");
        let frame = browser.run("try { return document.querySelector('iframe').contentDocument.body.innerText } catch (e) { return '' }", &[]);
        assert!(!frame.to_string().contains("UD-"), "{host}: {frame}");
        browser.click("button");
        browser.wait_until("what the page says", || browser.address().starts_with(&action));
        assert!(!browser.source().contains("UD-APPROVE"), "{}", browser.source());
        assert!(decided(&repo).is_empty(), "{host} answered");
    }
    // A name of someone else that was pointed here, with everything else right.
    let rebound = format!("http://evil.example:{}", served.address.port());
    for path in ["/", &format!("/?token={}", served.token)] {
        browser.go(&format!("{rebound}{path}"));
        assert!(browser.cookies().is_empty(), "{:?}", browser.cookies());
        assert!(!browser.source().contains("UD-"), "{}", browser.source());
    }
    // A link on a page of someone else leads to the door, not into the house.
    let link = format!("http://evil.example:{}/", stranger.port());
    browser.go(&link).run("location.href = arguments[0]", &[json!(read)]);
    browser.wait_until("the page it leads to", || browser.address() == read);
    assert!(!browser.source().contains("UD-APPROVE"), "a strict cookie stays at home");

    browser.go(&read);
    choose(&browser, "approved", None);
    eventually("the answer of a person", || decided(&repo).len() == 1);
}
