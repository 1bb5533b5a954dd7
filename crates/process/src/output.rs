//! What the agent writes: read in bounded pieces, without its secrets, into two files, up to a limit for both.

use super::record::RunFolder;
use rustix::io::ioctl_fionbio;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::path::Path;
use tempfile::NamedTempFile;
use tollgate_files::redact::{RedactingStream, Redactor};

/// As much as a pipe holds; more would only cost memory.
const CHUNK_BYTES: usize = 64 * 1024;

/// In the folder of a run, what it wrote.
pub(super) const LOGS: [&str; 2] = ["stdout.log", "stderr.log"];

/// The agent's ends of the pipes.
#[derive(Debug)]
pub(super) struct OutputPipes {
    pub stdout: PipeWriter,
    pub stderr: PipeWriter,
}

/// Our ends.
#[derive(Debug)]
pub(super) struct Output<'a> {
    pub stdout: Channel<'a>,
    pub stderr: Channel<'a>,
    bytes_left: u64,
    over_limit: bool,
    chunk: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Channel<'a> {
    /// None after its end.
    pub pipe: Option<PipeReader>,
    pub bytes: u64,
    log: File,
    stream: RedactingStream<'a>,
    clean: Vec<u8>,
}

impl<'a> Output<'a> {
    pub fn open(
        folder: &RunFolder,
        redactor: &'a Redactor,
        bytes_max: u64,
    ) -> io::Result<(Self, OutputPipes)> {
        let (stdout, agent_stdout) = Channel::open(folder, LOGS[0], redactor)?;
        let (stderr, agent_stderr) = Channel::open(folder, LOGS[1], redactor)?;
        let output = Self {
            stdout,
            stderr,
            bytes_left: bytes_max,
            over_limit: false,
            chunk: vec![0; CHUNK_BYTES],
        };
        Ok((output, OutputPipes { stdout: agent_stdout, stderr: agent_stderr }))
    }

    /// Takes one piece of each channel, if there is one. Returns whether anything came.
    pub fn take_some(&mut self) -> io::Result<bool> {
        let from_stdout =
            take(&mut self.stdout, &mut self.chunk, &mut self.bytes_left, &mut self.over_limit)?;
        let from_stderr =
            take(&mut self.stderr, &mut self.chunk, &mut self.bytes_left, &mut self.over_limit)?;
        Ok(from_stdout || from_stderr)
    }

    pub fn is_over_limit(&self) -> bool {
        self.over_limit
    }

    /// Takes what the pipes still hold. A process outside the tree that has got hold of one is not waited for.
    pub fn finish(&mut self) -> io::Result<()> {
        while !self.over_limit && self.take_some()? {}
        self.stdout.finish()?;
        self.stderr.finish()
    }
}

impl<'a> Channel<'a> {
    fn open(
        folder: &RunFolder,
        name: &str,
        redactor: &'a Redactor,
    ) -> io::Result<(Self, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        ioctl_fionbio(&reader, true)?;
        let channel = Self {
            pipe: Some(reader),
            bytes: 0,
            log: File::create(folder.path(name))?,
            stream: redactor.stream(),
            clean: Vec::new(),
        };
        Ok((channel, writer))
    }

    fn keep(&mut self, piece: &[u8]) -> io::Result<()> {
        self.bytes += piece.len() as u64;
        self.clean.clear();
        self.stream.push(piece, &mut self.clean);
        self.log.write_all(&self.clean)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.clean.clear();
        self.stream.finish(&mut self.clean);
        self.log.write_all(&self.clean)
    }
}

/// Takes more out of a log that is complete; it is replaced as a whole.
pub(super) fn redact_again(log: &Path, redactor: &Redactor) -> io::Result<()> {
    let mut from = File::open(log)?;
    let mut to = NamedTempFile::new_in(tollgate_files::folder_of(log))?;
    let (mut stream, mut clean) = (redactor.stream(), Vec::new());
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let count = from.read(&mut chunk)?;
        clean.clear();
        match count {
            0 => stream.finish(&mut clean),
            count => stream.push(&chunk[..count], &mut clean),
        }
        to.write_all(&clean)?;
        if count == 0 {
            break;
        }
    }
    to.as_file().set_permissions(from.metadata()?.permissions())?;
    to.persist(log).map_err(|error| error.error)?;
    Ok(())
}

fn take(
    channel: &mut Channel<'_>,
    chunk: &mut [u8],
    bytes_left: &mut u64,
    over_limit: &mut bool,
) -> io::Result<bool> {
    let Some(pipe) = &mut channel.pipe else {
        return Ok(false);
    };
    let count = match pipe.read(chunk) {
        Ok(0) => {
            channel.pipe = None;
            return Ok(false);
        }
        Ok(count) => count,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(true),
        Err(error) => return Err(error),
    };
    let kept = count.min(usize::try_from(*bytes_left).unwrap_or(usize::MAX));
    *bytes_left -= kept as u64;
    *over_limit |= kept < count;
    channel.keep(&chunk[..kept])?;
    Ok(true)
}
