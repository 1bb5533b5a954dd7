//! The terminal of the person: taken, lent out, and given back as it was on every way out.

use ratatui::Terminal;
use ratatui::TerminalOptions;
use ratatui::Viewport;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use rustix::termios::{self, OptionalActions, Termios};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The other screen, no cursor, pastes marked as such.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[0m\x1b[2J\x1b[H";
/// Cleared first, for terminals that have no other screen.
const LEAVE: &[u8] = b"\x1b[?2004l\x1b[0m\x1b[2J\x1b[H\x1b[?25h\x1b[?1049l";

/// How the terminal was before, and where it is.
static BEFORE: OnceLock<(File, Termios)> = OnceLock::new();
static IS_OURS: AtomicBool = AtomicBool::new(false);

type Shown = Terminal<CrosstermBackend<BufWriter<File>>>;

#[derive(Debug)]
pub struct Tty {
    file: File,
    shown: Option<Shown>,
    size: (u16, u16),
}

impl Tty {
    /// The terminal that this process belongs to, or the one that its input comes from.
    pub fn find() -> io::Result<Self> {
        let file = File::options().read(true).write(true).open("/dev/tty");
        let file = match file {
            Ok(file) => file,
            Err(_) => File::from(io::stdin().as_fd().try_clone_to_owned()?),
        };
        let modes = termios::tcgetattr(&file)?;
        let _kept_from_before = BEFORE.set((file.try_clone()?, modes));
        Ok(Self { file, shown: None, size: (0, 0) })
    }

    /// Also after it was lent out, or the program was stopped.
    pub fn take(&mut self) -> io::Result<()> {
        if let Some((_, before)) = BEFORE.get() {
            let mut modes = before.clone();
            modes.make_raw();
            IS_OURS.store(true, Ordering::SeqCst);
            termios::tcsetattr(&self.file, OptionalActions::Now, &modes)?;
        }
        (&self.file).write_all(ENTER)?;
        self.draw_again()
    }

    /// The whole screen, whatever is on it now.
    pub fn draw_again(&mut self) -> io::Result<()> {
        let size = termios::tcgetwinsize(&self.file)?;
        // A terminal that does not say how large it is.
        let known = |cells: u16, usual: u16| if cells == 0 { usual } else { cells };
        self.size = (known(size.ws_col, 80), known(size.ws_row, 24));
        (&self.file).write_all(b"\x1b[0m\x1b[2J\x1b[H")?;
        let backend =
            CrosstermBackend::new(BufWriter::with_capacity(1 << 16, self.file.try_clone()?));
        let viewport = Viewport::Fixed(Rect::new(0, 0, self.size.0, self.size.1));
        self.shown = Some(Terminal::with_options(backend, TerminalOptions { viewport })?);
        Ok(())
    }

    pub fn draw(&mut self, draw: impl FnOnce(&mut ratatui::Frame<'_>)) -> io::Result<()> {
        match &mut self.shown {
            Some(shown) => shown.draw(draw).map(|_| ()),
            None => Ok(()),
        }
    }

    /// What was typed; none where the terminal is gone.
    pub fn read(&self) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = [0; 4096];
        match (&self.file).read(&mut bytes) {
            Ok(0) => Ok(None),
            Ok(count) => Ok(Some(bytes[..count].to_vec())),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Some(Vec::new())),
            Err(error) => Err(error),
        }
    }
}

impl AsFd for Tty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        // It shows the cursor when it is dropped, which must come before the other screen is left.
        self.shown = None;
        give_back();
    }
}

/// May be called at any time, from any thread, and twice.
pub fn give_back() {
    if !IS_OURS.swap(false, Ordering::SeqCst) {
        return;
    }
    if let Some((file, before)) = BEFORE.get() {
        // Whose terminal is gone needs nothing back.
        let _is_gone = (&*file).write_all(LEAVE);
        let _is_gone = termios::tcsetattr(file, OptionalActions::Flush, before);
    }
}

/// A panic tells its words on a screen that can show them.
pub fn give_back_before_a_panic_is_told() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        give_back();
        tell(panic);
    }));
}
