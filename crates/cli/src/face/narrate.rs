//! How a line of the timeline looks here.

use crate::output::{self, BAD, BOLD, DIM, GOOD, NOTE, WARN};
use anstyle::Style;
use tollgate_core::view::{Level, Line, Tone};

/// Details stand behind their marks, which end in one column.
const MARK_COLUMNS: usize = 7;

pub fn style(tone: Tone) -> Style {
    match tone {
        Tone::Strong => BOLD,
        Tone::Quiet => DIM,
        Tone::Good => GOOD,
        Tone::Note => NOTE,
        Tone::Warning => WARN,
        Tone::Bad => BAD,
    }
}

/// What is too small for someone who watches is left to the log.
pub fn show(line: &Line) {
    let style = style(line.tone);
    match line.level {
        Level::Heading => output::marked(style, line.mark, &line.text),
        Level::Detail => {
            output::marked(style, &format!("{:>MARK_COLUMNS$}", line.mark), &line.text);
        }
        Level::Small => {}
    }
}
