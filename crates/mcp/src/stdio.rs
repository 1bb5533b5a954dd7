//! Standard input as the server reads it: notes its end, so that whoever waits for something else is told at once, and tells of
//! messages that are too long to be answered.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};

/// A reply has 4 MiB at most; no message is longer than twice that.
pub const LINE_BYTES_MAX: usize = 8 << 20;

/// Whether the client has gone.
#[derive(Debug, Clone, Default)]
pub struct Ended(Arc<AtomicBool>);

impl Ended {
    pub fn is_true(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

#[derive(Debug)]
pub struct Noted<R> {
    inner: R,
    ended: Ended,
    talk: fn(&str),
    /// How long the line is so far.
    line_bytes: usize,
}

impl<R> Noted<R> {
    pub fn new(inner: R, ended: Ended, talk: fn(&str)) -> Self {
        Self { inner, ended, talk, line_bytes: 0 }
    }

    /// The transport leaves out what is too long, and cannot say so: it has not read which request it was.
    fn measure(&mut self, read: &[u8]) {
        for line in read.split_inclusive(|byte| *byte == b'\n') {
            let was_short = self.line_bytes <= LINE_BYTES_MAX;
            self.line_bytes += line.len();
            if was_short && self.line_bytes > LINE_BYTES_MAX {
                (self.talk)(&format!(
                    "a message of more than {LINE_BYTES_MAX} bytes came; it is left out and not answered"
                ));
            }
            if line.ends_with(b"\n") {
                self.line_bytes = 0;
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Noted<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(context, buffer);
        let is_over = match &polled {
            Poll::Ready(Ok(())) => buffer.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        self.measure(&buffer.filled()[before..]);
        if is_over {
            self.ended.0.store(true, Ordering::Release);
        }
        polled
    }
}
