//! A terminal of sixty columns: what people copy stays whole, and a row of a table is one line.

use crate::support::pty::Terminal;
use crate::support::{APPROVE, GOAL, Repo};
use unicode_width::UnicodeWidthStr;

const COLUMNS: u16 = 60;

/// What a command shows, line by line and without colours.
fn lines(repo: &Repo, args: &[&str], columns: u16) -> Vec<String> {
    let mut terminal = Terminal::start_wide(repo, args, columns);
    terminal.ends();
    terminal.plain().lines().map(|line| line.trim_end().to_owned()).collect()
}

#[track_caller]
fn expect_line(lines: &[String], line: &str) {
    assert!(lines.iter().any(|one| one.trim() == line), "{line:?} is not whole:\n{lines:#?}");
}

#[test]
fn r180_a_command_to_copy_is_never_broken() {
    let repo = Repo::new();
    repo.run().exits(3);
    let answer = format!("tollgate answer {} {} \"approved\"", repo.session_name(), APPROVE.0);
    expect_line(&lines(&repo, &["status"], COLUMNS), &answer);
    let end = lines(&repo, &["resume", "--no-input"], COLUMNS);
    expect_line(&end, &format!("{answer} --resume"));
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer("UD-REVIEW-STRATEGY", "per-batch").exits(0);
    let end = lines(&repo, &["merge"], COLUMNS);
    let free = format!("`tollgate rm {}`", repo.session_name());
    assert!(end.iter().any(|line| line.contains(&free)), "{end:#?}");
}

#[test]
fn r186_each_session_is_one_line_at_a_narrow_terminal() {
    let repo = Repo::new();
    repo.tollgate(&["run", "--slug", "a-rather-long-name-for-a-session-of-this-kind", GOAL])
        .exits(3);
    let whole = repo.tollgate(&["sessions"]).exits(0).out;
    assert!(whole.lines().all(|line| line.width() > 100), "{whole}");
    for columns in [40, 60, 80, 100, 200] {
        let listed = lines(&repo, &["sessions"], columns);
        assert_eq!(listed.len(), 2, "{columns}: {listed:#?}");
        for line in &listed {
            assert!(line.width() <= usize::from(columns), "{columns}: {line}");
        }
        assert!(listed[0].contains("SESSION") && listed[0].contains("NOW"), "{listed:#?}");
        assert!(listed[1].contains("your turn") && listed[1].contains("of-this"), "{listed:#?}");
    }
}

#[test]
fn r180_help_at_a_gate_fits_a_narrow_terminal() {
    let repo = Repo::new();
    let mut terminal = Terminal::start_wide(&repo, &["run", GOAL], COLUMNS);
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("? help").wait_for("> ");
    let before = terminal.plain().len();
    terminal.types("?").wait_for("back here.");
    for line in terminal.plain()[before..].lines() {
        assert!(line.width() <= usize::from(COLUMNS), "{line}");
    }
}
