//! The terminal view on a pseudo-terminal: what a person sees of it, and the keys that they press.

use super::Repo;
use super::pty::Terminal;
use std::time::{Duration, Instant};
use vt100::Parser;

/// Far more than anything takes; only a test that fails waits so long.
const PATIENCE: Duration = Duration::from_secs(30);

/// As the pseudo-terminal says.
const ROWS: u16 = 50;

pub const ENTER: &str = "\r";
pub const TAB: &str = "\t";
pub const ESCAPE: &str = "\u{1b}";

pub struct Watched {
    pub terminal: Terminal,
    columns: u16,
}

impl Watched {
    pub fn start(repo: &Repo, args: &[&str]) -> Self {
        Self::start_with(repo, args, &[])
    }

    pub fn start_with(repo: &Repo, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut all = vec!["watch"];
        all.extend(args);
        let columns = 100;
        let terminal = Terminal::start_wide_with(repo, &all, variables, columns);
        Self { terminal, columns }
    }

    /// What a person sees now.
    pub fn shown(&self) -> String {
        self.parsed().screen().contents()
    }

    pub fn parsed(&self) -> Parser {
        let size = |cells: u16| std::num::NonZero::new(cells).unwrap();
        let mut parser = Parser::new(size(ROWS), size(self.columns), 0);
        parser.process(&self.terminal.bytes());
        parser
    }

    /// Waits until these words are on the screen.
    #[track_caller]
    pub fn shows(&mut self, words: &str) -> &mut Self {
        let give_up = Instant::now() + PATIENCE;
        while !self.shown().contains(words) {
            assert!(Instant::now() < give_up, "{words:?} is not on the screen:\n{}", self.shown());
            std::thread::sleep(Duration::from_millis(20));
        }
        self
    }

    /// Waits until it has taken the screen so many times. What was typed before that is gone.
    #[track_caller]
    pub fn comes_back(&mut self, times: usize) -> &mut Self {
        const TAKES_THE_SCREEN: &[u8] = b"\x1b[?1049h";
        super::eventually("it takes the screen again", || {
            let bytes = self.terminal.bytes();
            let taken = bytes.windows(TAKES_THE_SCREEN.len()).filter(|at| *at == TAKES_THE_SCREEN);
            taken.count() >= times
        });
        self
    }

    /// Waits until these words are not on the screen any more.
    #[track_caller]
    pub fn hides(&mut self, words: &str) -> &mut Self {
        let give_up = Instant::now() + PATIENCE;
        while self.shown().contains(words) {
            assert!(
                Instant::now() < give_up,
                "{words:?} is still on the screen:\n{}",
                self.shown()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        self
    }

    #[track_caller]
    pub fn does_not_show(&mut self, words: &str) -> &mut Self {
        assert!(!self.shown().contains(words), "{words:?} is on the screen:\n{}", self.shown());
        self
    }

    pub fn presses(&mut self, keys: &str) -> &mut Self {
        self.terminal.sends(keys);
        self
    }

    /// The option with this keyword by its number; nothing is sent by that.
    #[track_caller]
    pub fn takes(&mut self, keyword: &str) -> &mut Self {
        let keyword = format!("  {keyword}");
        self.shows(&keyword);
        let shown = self.shown();
        let line = shown.lines().find(|line| line.contains(&keyword));
        let line = line.unwrap_or_else(|| panic!("no option {keyword}:\n{shown}"));
        let number = line.chars().find(char::is_ascii_digit).unwrap();
        self.presses(&number.to_string()).shows("You answer UD-")
    }

    /// The button that sends, and Enter on it.
    #[track_caller]
    pub fn confirms(&mut self) -> &mut Self {
        self.presses(TAB).shows("▸ Back").presses(TAB).hides("▸ Back").presses(ENTER)
    }

    pub fn is_resized(&mut self, columns: u16) -> &mut Self {
        self.columns = columns;
        self.terminal.is_resized(columns);
        self
    }

    /// It ended with this exit code, and the terminal is as it was before.
    #[track_caller]
    pub fn ends_restored(&mut self, code: i32, before: [u32; 4], how: &str) {
        assert_eq!(self.terminal.ends(), code, "{how}: {}", self.terminal.screen());
        assert_eq!(self.terminal.modes(), before, "{how}: the modes of the terminal");
        let parser = self.parsed();
        let screen = parser.screen();
        assert!(!screen.alternate_screen(), "{how}: the other screen is left");
        assert!(!screen.hide_cursor(), "{how}: the cursor is shown");
        assert!(!screen.bracketed_paste(), "{how}: pastes are not marked any more");
    }
}
