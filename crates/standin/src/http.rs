//! As much of HTTP/1.1 as agents use: requests with a body of known length or in chunks, answers whole or in chunks.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// Request line and headers; real ones have a few kilobytes.
const HEAD_BYTES_MAX: u64 = 64 * 1024;

/// Long conversations with all tools have a few megabytes.
const BODY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// How long a client may be silent, or not read, before the connection is given up.
const SILENCE_MAX: Duration = Duration::from_secs(60);

/// How long a client may continue sending after its request was refused.
const FAREWELL_MAX: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub struct HttpRequest {
    pub method: String,
    /// Without the query, which may hold a key.
    pub path: String,
    pub query: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl HttpRequest {
    /// The value of the header with this name, in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    pub fn keeps_connection(&self) -> bool {
        !self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// Why a request could not be read.
#[derive(Debug)]
pub enum Unreadable {
    /// The client left, or was silent for too long.
    Gone,
    Refused(u16, &'static str),
}

impl From<io::Error> for Unreadable {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// A connection of a client.
#[derive(Debug)]
pub struct Connection {
    reader: BufReader<TcpStream>,
}

impl Connection {
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_read_timeout(Some(SILENCE_MAX))?;
        stream.set_write_timeout(Some(SILENCE_MAX))?;
        stream.set_nodelay(true)?;
        Ok(Self { reader: BufReader::new(stream) })
    }

    pub fn read(&mut self) -> Result<HttpRequest, Unreadable> {
        let mut request = self.read_head()?;
        if request.header("expect").is_some_and(|it| it.eq_ignore_ascii_case("100-continue")) {
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let chunked = request
            .header("transfer-encoding")
            .is_some_and(|value| value.to_ascii_lowercase().contains("chunked"));
        request.body = if chunked {
            self.read_chunks()?
        } else {
            match request.header("content-length").map(str::parse::<usize>) {
                None => Vec::new(),
                Some(Ok(length)) => self.read_exactly(length)?,
                Some(Err(_)) => {
                    return Err(Unreadable::Refused(400, "content-length is no number"));
                }
            }
        };
        Ok(request)
    }

    fn read_head(&mut self) -> Result<HttpRequest, Unreadable> {
        let mut left = HEAD_BYTES_MAX;
        let first = loop {
            // Empty lines before a request are allowed.
            let line = self.read_line(&mut left)?;
            if !line.is_empty() {
                break line;
            }
        };
        let mut words = first.split(' ');
        let (Some(method), Some(target), Some(version)) =
            (words.next(), words.next(), words.next())
        else {
            return Err(Unreadable::Refused(400, "the first line is no request"));
        };
        if !version.starts_with("HTTP/1.") {
            return Err(Unreadable::Refused(505, "only HTTP/1.1 is spoken here"));
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (method, path, query) = (method.to_owned(), path.to_owned(), query.to_owned());
        let mut headers = Vec::new();
        loop {
            let line = self.read_line(&mut left)?;
            if line.is_empty() {
                break;
            }
            let Some((name, value)) = line.split_once(':') else {
                return Err(Unreadable::Refused(400, "a header has no colon"));
            };
            headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
        Ok(HttpRequest { method, path, query, headers, body: Vec::new() })
    }

    fn read_line(&mut self, left: &mut u64) -> Result<String, Unreadable> {
        let mut line = Vec::new();
        let read = self.reader.by_ref().take(*left).read_until(b'\n', &mut line)?;
        *left -= read as u64;
        if line.pop() != Some(b'\n') {
            let full = *left == 0;
            return Err(if full {
                Unreadable::Refused(431, "the head is too large")
            } else {
                Unreadable::Gone
            });
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    fn read_chunks(&mut self) -> Result<Vec<u8>, Unreadable> {
        let mut body = Vec::new();
        loop {
            let line = self.read_line(&mut HEAD_BYTES_MAX.clone())?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let Ok(size) = usize::from_str_radix(size, 16) else {
                return Err(Unreadable::Refused(400, "a chunk has no size"));
            };
            if size == 0 {
                break;
            }
            if size > BODY_BYTES_MAX - body.len() {
                return Err(TOO_LARGE);
            }
            body.extend(self.read_exactly(size)?);
            self.read_line(&mut HEAD_BYTES_MAX.clone())?;
        }
        let mut left = HEAD_BYTES_MAX;
        while !self.read_line(&mut left)?.is_empty() {}
        Ok(body)
    }

    /// Grows with what arrives, not with what was promised.
    fn read_exactly(&mut self, length: usize) -> Result<Vec<u8>, Unreadable> {
        if length > BODY_BYTES_MAX {
            return Err(TOO_LARGE);
        }
        let mut bytes = Vec::new();
        self.reader.by_ref().take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() == length { Ok(bytes) } else { Err(Unreadable::Gone) }
    }

    /// Waits, or forever without a time. Returns early, with an error, when the client leaves or the service stops.
    pub fn linger(&mut self, time: Option<Duration>) -> io::Result<()> {
        // A time beyond what the clock can hold is forever too.
        let end = time.and_then(|time| Instant::now().checked_add(time));
        let stream = self.reader.get_mut();
        let waited = loop {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                break Ok(());
            }
            stream.set_read_timeout(left)?;
            match stream.read(&mut [0; 512]) {
                Ok(0) => break Err(io::ErrorKind::ConnectionAborted.into()),
                // A client that talks on is not answered, but it is still there.
                Ok(_) => {}
                Err(error) if is_timeout(&error) => {}
                Err(error) => break Err(error),
            }
        };
        stream.set_read_timeout(Some(SILENCE_MAX))?;
        waited
    }

    /// Says that nothing more comes and takes what is still on its way: closing on unread bytes would take back what
    /// was just sent.
    pub fn finish(&mut self) -> io::Result<()> {
        self.reader.get_ref().shutdown(Shutdown::Write)?;
        self.linger(Some(FAREWELL_MAX))
    }

    pub fn send_json(
        &mut self,
        status: u16,
        headers: &[(String, String)],
        body: &Value,
    ) -> io::Result<()> {
        let body = body.to_string();
        let head = head(status, "application/json", headers);
        self.send(format!("{head}content-length: {}\r\n\r\n", body.len()).as_bytes())?;
        self.send(body.as_bytes())
    }

    pub fn send_bytes(&mut self, content_type: &str, body: &[u8]) -> io::Result<()> {
        let head = head(200, content_type, &[]);
        self.send(format!("{head}content-length: {}\r\n\r\n", body.len()).as_bytes())?;
        self.send(body)
    }

    /// Opens a body of chunks, so that a client can tell a cut one from a whole one.
    pub fn open_stream(&mut self, content_type: &str) -> io::Result<()> {
        let head = head(200, content_type, &[]);
        let rest = "cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n";
        self.send(format!("{head}{rest}").as_bytes())
    }

    pub fn send_chunk(&mut self, chunk: &str) -> io::Result<()> {
        match chunk.len() {
            // An empty chunk would end the stream.
            0 => Ok(()),
            length => self.send(format!("{length:x}\r\n{chunk}\r\n").as_bytes()),
        }
    }

    pub fn close_stream(&mut self) -> io::Result<()> {
        self.send(b"0\r\n\r\n")
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.reader.get_mut().write_all(bytes)
    }
}

const TOO_LARGE: Unreadable = Unreadable::Refused(413, "the body is too large");

fn is_timeout(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}

fn head(status: u16, content_type: &str, headers: &[(String, String)]) -> String {
    let mut head =
        format!("HTTP/1.1 {status} {}\r\ncontent-type: {content_type}\r\n", reason(status));
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        426 => "Upgrade Required",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Scripted",
    }
}
