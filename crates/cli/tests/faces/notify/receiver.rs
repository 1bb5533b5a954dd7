//! A server that takes what it is sent, or does not: what people point a webhook at.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How it answers; the last one for everybody who comes later.
#[derive(Debug, Clone, Copy)]
pub enum Manner {
    Answers(u16),
    /// With 200, and these words.
    Says(&'static str),
    RedirectsTo(SocketAddr),
    /// Takes the connection and says nothing.
    Hangs,
    /// Hangs up at once.
    BreaksOff,
    /// A byte of the answer now and then, for ever.
    Drips,
}

#[derive(Debug, Clone)]
pub struct Taken {
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Taken {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub struct Receiver {
    pub address: SocketAddr,
    taken: Arc<Mutex<Vec<Taken>>>,
    manners: Arc<Mutex<Vec<Manner>>>,
}

impl Receiver {
    pub fn new(manners: &[Manner]) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let taken = Arc::new(Mutex::new(Vec::new()));
        let manners = Arc::new(Mutex::new(manners.to_vec()));
        let (all, left) = (Arc::clone(&taken), Arc::clone(&manners));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (all, left) = (Arc::clone(&all), Arc::clone(&left));
                std::thread::spawn(move || serve(stream.unwrap(), &all, &left));
            }
        });
        Self { address, taken, manners }
    }

    pub fn taken(&self) -> Vec<Taken> {
        self.taken.lock().unwrap().clone()
    }

    pub fn set_manner(&self, manner: Manner) {
        *self.manners.lock().unwrap() = vec![manner];
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }
}

fn serve(stream: TcpStream, taken: &Mutex<Vec<Taken>>, manners: &Mutex<Vec<Manner>>) {
    let Some(request) = read(&stream) else { return };
    taken.lock().unwrap().push(request);
    let manner = {
        let mut left = manners.lock().unwrap();
        if left.len() > 1 { left.remove(0) } else { left[0] }
    };
    let mut stream = stream;
    let answer = |status: u16, more: &str| {
        format!("HTTP/1.1 {status} X\r\nContent-Length: 2\r\nConnection: close\r\n{more}\r\nok")
    };
    match manner {
        Manner::Answers(status) => {
            let _ = stream.write_all(answer(status, "").as_bytes());
        }
        Manner::Says(words) => {
            let head = format!("HTTP/1.1 200 X\r\nContent-Length: {}\r\n", words.len());
            let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n{words}").as_bytes());
        }
        Manner::RedirectsTo(to) => {
            let location = format!("Location: http://{to}/elsewhere\r\n");
            let _ = stream.write_all(answer(307, &location).as_bytes());
        }
        Manner::Hangs => std::thread::sleep(Duration::from_secs(600)),
        Manner::BreaksOff => {}
        Manner::Drips => {
            for byte in answer(200, "").bytes().take(20).chain(std::iter::repeat(b' ')) {
                std::thread::sleep(Duration::from_millis(200));
                if stream.write_all(&[byte]).is_err() {
                    return;
                }
            }
        }
    }
}

fn read(stream: &TcpStream) -> Option<Taken> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Taken { path, headers, body })
}
