//! What was tried before a budget was used up, and why each attempt failed: a person decides better who can see it.

use crate::decide::draft::Draft;
use crate::event::Purpose;
use crate::id::{DispatchNumber, TaskRef};
use crate::proof::one_line;
use crate::role::RepairLoop;
use crate::session::Dispatch;

/// Characters of one attempt's words; the whole is in the dispatch's folder.
const WORDS_MAX: usize = 240;

/// The repairs of a loop, one line each: who, what it said that it did, and what was wrong afterwards.
pub fn repairs(
    draft: &Draft<'_>,
    task: &TaskRef,
    repair: RepairLoop,
    still: &[String],
) -> Vec<String> {
    let is_of = |dispatch: &Dispatch| {
        dispatch.task == *task && dispatch.purpose == Purpose::Repair { repair }
    };
    let tried: Vec<(&DispatchNumber, &Dispatch)> =
        draft.dispatches.iter().filter(|(_, dispatch)| is_of(dispatch)).collect();
    // What was wrong after a repair is what the next one was told, and what is still wrong after the last.
    let next = tried.iter().skip(1).map(|(_, dispatch)| dispatch.given.feedback.lines.as_slice());
    let after = next.chain([still]);
    let lines = tried.iter().zip(after).map(|((number, dispatch), after)| {
        let Dispatch { role, .. } = dispatch;
        format!("dispatch {number}, {role}: {}. Then: {}", said(dispatch), in_short(after))
    });
    lines.collect()
}

fn said(dispatch: &Dispatch) -> String {
    let ends = dispatch.attempt_ends();
    let last = ends.last().map_or("it said nothing", |(_, how)| how.as_str());
    cut(last.trim_end_matches('.'))
}

fn in_short(lines: &[String]) -> String {
    let first = |line: &String| line.lines().next().unwrap_or_default().to_owned();
    cut(&lines.iter().map(first).collect::<Vec<_>>().join("; "))
}

/// The attempts of a dispatch, one line each; none where there was only one, because the question tells it.
pub fn attempts(dispatch: &Dispatch) -> Vec<String> {
    let ends = dispatch.attempt_ends();
    if ends.len() < 2 {
        return Vec::new();
    }
    ends.iter().map(|(attempt, how)| format!("attempt {attempt}: {}", cut(how))).collect()
}

fn cut(text: &str) -> String {
    let text = one_line(text);
    match text.char_indices().nth(WORDS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
