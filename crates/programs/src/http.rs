//! HTTP/1.1 by hand over a socket: also what no well-behaved client would send, and every byte that comes back.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Far more than any answer takes; only a test that fails waits so long.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A request as it will be written; nothing is added to it but the length of a body.
#[derive(Debug, Clone)]
pub struct Request {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    pub fn new(method: &str, target: &str) -> Self {
        let (method, target) = (method.to_owned(), target.to_owned());
        Self { method, target, headers: Vec::new(), body: Vec::new() }
    }

    pub fn get(target: &str) -> Self {
        Self::new("GET", target)
    }

    /// A form as a browser sends it.
    pub fn form(target: &str, fields: &[(&str, &str)]) -> Self {
        let encoded: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{}={}", percent(name), percent(value)))
            .collect();
        Self::new("POST", target)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(encoded.join("&").as_bytes())
    }

    /// In the place of one with this name.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self = self.without(name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Beside one with this name.
    #[must_use]
    pub fn another_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    #[must_use]
    pub fn body(mut self, body: &[u8]) -> Self {
        body.clone_into(&mut self.body);
        self
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        let has_length = self.headers.iter().any(|(name, _)| {
            ["content-length", "transfer-encoding"].contains(&name.to_ascii_lowercase().as_str())
        });
        if !has_length && (!self.body.is_empty() || self.method == "POST") {
            text.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        text.push_str("\r\n");
        [text.as_bytes(), &self.body].concat()
    }

    /// On a connection of its own.
    pub fn send(&self, to: SocketAddr) -> Result<Answer> {
        let mut wire = Wire::open(to)?;
        wire.write(&self.bytes())?;
        wire.answer(self.method != "HEAD")
    }
}

/// What came back.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case, in the order in which they came.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Status, headers and body: where something must not occur, it must not occur here.
    pub fn everything(&self) -> String {
        let headers = self.headers.iter().map(|(name, value)| format!("{name}: {value}\n"));
        format!("{}\n{}\n{}", self.status, headers.collect::<String>(), self.text())
    }
}

/// A connection, and what was read of it beyond the last answer.
#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Wire {
    pub fn open(to: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect_timeout(&to, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self { stream, read: Vec::new() })
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.stream.write_all(bytes)
    }

    /// Byte by byte with a pause after each, until all is written, the other side hangs up or the time is over.
    pub fn drip(&mut self, bytes: &[u8], pause: Duration, at_most: Duration) -> Dripped {
        let begin = Instant::now();
        for (written, byte) in bytes.iter().enumerate() {
            if begin.elapsed() > at_most {
                return Dripped::OutOfTime { written };
            }
            if self.stream.write_all(&[*byte]).is_err() || self.has_ended() {
                return Dripped::HungUp { written, after: begin.elapsed() };
            }
            sleep(pause);
        }
        Dripped::All
    }

    /// Whether the other side answered or hung up before it was asked for anything more. What it said stays readable.
    fn has_ended(&self) -> bool {
        let mut byte = [0];
        let looked = self.stream.set_nonblocking(true).and_then(|()| self.stream.peek(&mut byte));
        let _ = self.stream.set_nonblocking(false);
        !matches!(looked, Err(cause) if cause.kind() == ErrorKind::WouldBlock)
    }

    /// Reads an answer with its whole body.
    pub fn answer(&mut self, has_body: bool) -> Result<Answer> {
        let until = Instant::now() + PATIENCE;
        let mut answer = self.head(until)?;
        if !has_body || matches!(answer.status, 100..200 | 204 | 304) {
            return Ok(answer);
        }
        if answer.header("transfer-encoding").is_some_and(|coding| coding.contains("chunked")) {
            answer.body = self.chunks(until)?;
        } else if let Some(length) = answer.header("content-length") {
            let length = length.parse().map_err(|_| malformed("a length that is no number"))?;
            answer.body = self.take(length, until)?;
        } else {
            while self.fill(until)? {}
            answer.body = std::mem::take(&mut self.read);
        }
        Ok(answer)
    }

    /// Reads the first line and the headers; of a stream that never ends, this is the answer.
    pub fn head(&mut self, until: Instant) -> Result<Answer> {
        let first = self.line(until)?;
        let status = first
            .strip_prefix("HTTP/1.")
            .and_then(|rest| rest.split(' ').nth(1)?.parse().ok())
            .ok_or_else(|| malformed(&format!("no status in {first:?}")))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line(until)?;
            if line.is_empty() {
                return Ok(Answer { status, headers, body: Vec::new() });
            }
            let (name, value) =
                line.split_once(':').ok_or_else(|| malformed(&format!("header {line:?}")))?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }

    /// Reads on until these words came; gives all that was read up to their end.
    pub fn read_until(&mut self, words: &str, limit: Duration) -> Result<String> {
        let until = Instant::now() + limit;
        loop {
            let found = self.read.windows(words.len()).position(|part| part == words.as_bytes());
            if let Some(at) = found {
                let rest = self.read.split_off(at + words.len());
                let read = std::mem::replace(&mut self.read, rest);
                return Ok(String::from_utf8_lossy(&read).into_owned());
            }
            if !self.fill(until)? {
                return Err(malformed("the connection ended before the words came"));
            }
        }
    }

    /// Whether the other side hangs up within this time. What it says until then is dropped.
    pub fn hangs_up_within(&mut self, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        loop {
            match self.fill(until) {
                Ok(true) => self.read.clear(),
                Ok(false) => return true,
                Err(cause) => return cause.kind() != ErrorKind::TimedOut,
            }
        }
    }

    fn chunks(&mut self, until: Instant) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line(until)?;
            let digits = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(digits, 16)
                .map_err(|_| malformed(&format!("size of a chunk {line:?}")))?;
            body.extend(self.take(size, until)?);
            self.line(until)?;
            if size == 0 {
                return Ok(body);
            }
        }
    }

    fn line(&mut self, until: Instant) -> Result<String> {
        loop {
            if let Some(end) = self.read.windows(2).position(|pair| pair == b"\r\n") {
                let line = String::from_utf8_lossy(&self.read[..end]).into_owned();
                self.read.drain(..end + 2);
                return Ok(line);
            }
            if !self.fill(until)? {
                let read = String::from_utf8_lossy(&self.read).into_owned();
                return Err(malformed(&format!("the connection ended after {read:?}")));
            }
        }
    }

    fn take(&mut self, length: usize, until: Instant) -> Result<Vec<u8>> {
        while self.read.len() < length {
            if !self.fill(until)? {
                return Err(malformed("the connection ended within the body"));
            }
        }
        let rest = self.read.split_off(length);
        Ok(std::mem::replace(&mut self.read, rest))
    }

    /// Reads what has come; false at the end of the connection.
    fn fill(&mut self, until: Instant) -> Result<bool> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Error::new(ErrorKind::TimedOut, "the answer did not come in time"));
        }
        self.stream.set_read_timeout(Some(left))?;
        let mut bytes = [0; 16 * 1024];
        let count = self.stream.read(&mut bytes).map_err(|cause| match cause.kind() {
            ErrorKind::WouldBlock => {
                Error::new(ErrorKind::TimedOut, "the answer did not come in time")
            }
            _ => cause,
        })?;
        self.read.extend_from_slice(&bytes[..count]);
        Ok(count > 0)
    }
}

/// How a slow client fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dripped {
    All,
    /// The server answered or closed the connection.
    HungUp {
        written: usize,
        after: Duration,
    },
    OutOfTime {
        written: usize,
    },
}

/// Opens this many connections and sends the same on each; those that could not be opened are left out.
pub fn flood(to: SocketAddr, request: &Request, count: usize) -> Vec<Wire> {
    let bytes = request.bytes();
    let open = |_| {
        let mut wire = Wire::open(to).ok()?;
        wire.write(&bytes).ok()?;
        Some(wire)
    };
    (0..count).filter_map(open).collect()
}

fn percent(text: &str) -> String {
    let shown = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        }
        b' ' => "+".to_owned(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(shown).collect()
}

fn malformed(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Request, Wire};
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::time::Duration;

    /// A server that says this to whoever asks, and hangs up.
    fn says(words: &'static str) -> std::net::SocketAddr {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let _ = stream.read(&mut [0; 1024]);
            stream.write_all(words.as_bytes()).expect("it listens");
        });
        address
    }

    #[test]
    fn a_request_is_written_as_it_was_made() {
        let request =
            Request::form("/a", &[("x y", "ä&b")]).header("Host", "h").header("host", "i");
        let text = String::from_utf8(request.bytes()).expect("it is text");
        let lines = "POST /a HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nhost: i\r\nContent-Length: 14\r\n\r\nx+y=%C3%A4%26b";
        assert_eq!(text, lines);
    }

    #[test]
    fn bodies_by_length_by_chunks_and_to_the_end_are_read() {
        for (words, body) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc", "ab"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x\r\nc\r\n0\r\n\r\n",
                "abc",
            ),
            ("HTTP/1.1 200 OK\r\nX-Y: Z\r\n\r\nabcd", "abcd"),
        ] {
            let answer = Request::get("/").send(says(words)).expect("an answer");
            assert_eq!((answer.status, answer.text().as_str()), (200, body));
        }
        assert!(
            Request::get("/")
                .send(says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"))
                .is_err()
        );
    }

    #[test]
    fn a_stream_is_read_up_to_the_words_waited_for() {
        let mut wire = Wire::open(says("data: a\n\ndata: b\n\n")).expect("it listens");
        wire.write(b"GET").expect("it listens");
        let limit = Duration::from_secs(10);
        assert_eq!(wire.read_until("a\n\n", limit).expect("it came"), "data: a\n\n");
        assert!(wire.read_until("c", limit).is_err());
        assert!(wire.hangs_up_within(limit));
    }
}
