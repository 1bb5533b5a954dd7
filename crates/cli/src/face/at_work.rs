//! What works, in words; and long work where no live line can be shown: a plain line for each piece of it.

use super::narrate;
use crate::output::{self, DIM};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tollgate_core::view::{AtWork, Parts};
use tollgate_files::layout::{Layout, state_home};
use tollgate_host::preparing::{Place, Preparing};

/// What takes longer than this is told.
const LONG: Duration = Duration::from_secs(2);

/// Before an agent there is its workspace.
#[derive(Debug)]
pub struct BeforeAgent {
    /// What its agent will print; when it is there, the agent is too.
    output: PathBuf,
    place: Option<Place>,
}

impl BeforeAgent {
    /// None where no agent comes.
    pub fn of(root: &Path, now: Parts<'_>, at_work: AtWork) -> Option<Self> {
        let AtWork::Dispatch(number, attempt) = at_work else {
            return None;
        };
        let layout = Layout::new(root).session(now.name());
        let state = state_home(|name| std::env::var_os(name)).ok();
        let place = state.map(|state| Place::of(&state, root, now.name(), now.lane_of(number)));
        Some(Self { output: layout.attempt(number, attempt).stdout(), place })
    }

    pub fn output(&self) -> &Path {
        &self.output
    }

    /// What is done at the moment; none when the agent has begun.
    pub fn words(&self) -> Option<String> {
        if self.output.symlink_metadata().is_ok() {
            return None;
        }
        Some(match self.place.as_ref().map(Place::now) {
            Some(Preparing::Clone) => "its workspace is cloned".to_owned(),
            Some(Preparing::SetUp { command }) => format!("its setup runs: {command}"),
            Some(Preparing::Input) | None => "its workspace is prepared".to_owned(),
        })
    }
}

/// Tells of long work, each piece once.
#[derive(Debug)]
pub struct PlainLines {
    root: PathBuf,
    pieces: BTreeMap<AtWork, Piece>,
}

#[derive(Debug)]
struct Piece {
    before: Option<BeforeAgent>,
    words: String,
    since: Instant,
    is_told: bool,
}

impl PlainLines {
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), pieces: BTreeMap::new() }
    }

    pub fn look(&mut self, now: Parts<'_>) {
        let at_work = now.at_work();
        self.pieces.retain(|one, _| at_work.contains(one));
        for one in at_work {
            let root = &self.root;
            let piece = self.pieces.entry(one).or_insert_with(|| Piece {
                before: BeforeAgent::of(root, now, one),
                words: String::new(),
                since: Instant::now(),
                is_told: false,
            });
            piece.look(&now.title(one));
        }
    }
}

impl Piece {
    fn look(&mut self, who: &str) {
        let words = match self.before.as_ref().and_then(BeforeAgent::words) {
            Some(words) => format!("{who}: {words}"),
            None => {
                self.before = None;
                who.to_owned()
            }
        };
        if words != self.words {
            (self.words, self.since, self.is_told) = (words, Instant::now(), false);
        }
        if !self.is_told && self.since.elapsed() >= LONG {
            self.is_told = true;
            if !output::is_quiet() {
                narrate::detail(DIM, "works", &self.words);
            }
        }
    }
}
