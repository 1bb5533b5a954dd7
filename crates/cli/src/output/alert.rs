//! How a terminal is asked to call its person: by the bell, and by OSC 9, which many terminals show on the desktop.

use tollgate_files::sanitize::terminal_line;

/// Terminals and what stands between cut longer texts off, or drop them.
const SHOWN_CHARS_MAX: usize = 200;

/// What is written to the terminal that these variables describe.
pub(super) fn bytes(
    rings: bool,
    shows: Option<&str>,
    variable: impl Fn(&str) -> Option<String>,
) -> String {
    let bell = if rings { "\u{7}" } else { "" };
    let shown = shows.map(|text| osc_9(text, variable)).unwrap_or_default();
    format!("{shown}{bell}")
}

fn osc_9(text: &str, variable: impl Fn(&str) -> Option<String>) -> String {
    // No control remains in it, so nothing in it can end the sequence early.
    let sequence = format!("\u{1b}]9;{}\u{7}", terminal_line(text, SHOWN_CHARS_MAX));
    let term = variable("TERM").unwrap_or_default();
    if variable("TMUX").is_some_and(|tmux| !tmux.is_empty()) {
        // tmux drops what it does not know, and passes on what is wrapped so, where `allow-passthrough` is on.
        return format!("\u{1b}Ptmux;{}\u{1b}\\", sequence.replace('\u{1b}', "\u{1b}\u{1b}"));
    }
    // The console of the kernel and GNU screen have no notifications, and would show or misread it.
    let has_none = matches!(term.as_str(), "" | "dumb" | "linux") || term.starts_with("screen");
    if has_none { String::new() } else { sequence }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    fn at(term: &str, tmux: &str, text: &str) -> String {
        bytes(false, Some(text), |name| match name {
            "TERM" => Some(term.to_owned()),
            "TMUX" => Some(tmux.to_owned()),
            _ => None,
        })
    }

    #[test]
    fn r193_a_notification_is_one_sequence_and_no_text_ends_it() {
        assert_eq!(at("xterm-256color", "", "waits for you"), "\u{1b}]9;waits for you\u{7}");
        let hostile = "a\u{7}b\u{1b}]0;x\u{1b}\\c\u{9c}d\u{9b}2Je\nf";
        let shown = at("xterm", "", hostile);
        assert_eq!(
            shown.matches(['\u{7}', '\u{1b}', '\u{9c}', '\u{9b}', '\n']).count(),
            2,
            "{shown:?}"
        );
        assert!(at("xterm", "", &"x".repeat(5_000)).len() < 250);
    }

    #[test]
    fn r193_tmux_passes_it_on_and_a_terminal_without_notifications_gets_none() {
        let wrapped = "\u{1b}Ptmux;\u{1b}\u{1b}]9;hi\u{7}\u{1b}\\";
        assert_eq!(at("screen-256color", "/tmp/tmux-1/default,1,0", "hi"), wrapped);
        for term in ["", "dumb", "linux", "screen"] {
            assert_eq!(at(term, "", "hi"), "", "{term}");
            assert_eq!(bytes(true, None, |_| Some(term.to_owned())), "\u{7}");
        }
    }
}
