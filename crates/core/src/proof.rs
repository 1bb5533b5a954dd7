//! What the commands behind a criterion prove, as it is shown where a person decides.

mod shell;

use crate::task::Check;
use shell::{AndOr, Command, Join, Pipeline, Word};

/// What must be shown, on a line, and a line for each check of it; a command that cannot fail is called so.
pub fn with_checks(what: &str, checks: &[Check]) -> String {
    let mut text = one_line(what);
    for check in checks {
        let shown = match check {
            Check::Command(command) => shown_command(command),
            Check::Manual(_) | Check::Test(_) => one_line(&check.to_string()),
        };
        text.push_str(&format!("\n    {shown}"));
    }
    text
}

/// A command as it runs: of several lines, each has a row of its own.
pub fn shown_command(command: &str) -> String {
    let mark = match proves_nothing(command) {
        true => "  <- proves nothing: it always passes",
        false => "",
    };
    let lines: Vec<String> = command.split('\n').map(with_visible_signs).collect();
    match lines.as_slice() {
        [line] => format!("cmd: {line}{mark}"),
        lines => format!("cmd:{mark}\n        {}", lines.join("\n        ")),
    }
}

/// Shows invisible characters, and spaces other than the plain one, by their numbers.
fn with_visible_signs(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for char in line.chars() {
        let is_plain = matches!(char, ' ' | '\t');
        match !is_plain && (char.is_control() || char.is_whitespace() || is_invisible(char)) {
            true => shown.push_str(&format!("<U+{:04X}>", u32::from(char))),
            false => shown.push(char),
        }
    }
    shown
}

/// Marks of direction, width and format, tags, signs that look like a space and are none, and separators that some
/// terminals break lines at.
pub fn is_invisible(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Text of others on one line, so that no part of it passes for a line of ours.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A command that surely ends well, whatever the work is like. What is not understood counts as a proof.
pub fn proves_nothing(command: &str) -> bool {
    Shell::default().script(command, SHELLS_MAX) == PASSES
}

/// Shells inside shells. An honest check does not nest them deeper.
const SHELLS_MAX: u32 = 4;

/// How something can end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Ends {
    well: bool,
    badly: bool,
}

const PASSES: Ends = Ends { well: true, badly: false };
const FAILS: Ends = Ends { well: false, badly: true };
const EITHER: Ends = Ends { well: true, badly: true };
/// It ends the shell: nothing comes after it.
const NEVER: Ends = Ends { well: false, badly: false };

impl Ends {
    fn or(self, other: Self) -> Self {
        Self { well: self.well || other.well, badly: self.badly || other.badly }
    }

    fn not(self) -> Self {
        Self { well: self.badly, badly: self.well }
    }

    fn is_reached(self) -> bool {
        self != NEVER
    }
}

/// A shell that runs commands without running them: it follows each way they can end.
#[derive(Debug, Clone, Default)]
struct Shell {
    errexit: bool,
    pipefail: bool,
    /// The status that a bare `exit` would have.
    status: Ends,
    /// How the shell can end before its last command.
    left: Ends,
    shells_left: u32,
}

impl Shell {
    fn script(mut self, text: &str, shells_left: u32) -> Ends {
        let Some(list) = shell::parse(text) else { return EITHER };
        self.shells_left = shells_left;
        self.status = PASSES;
        let last = self.list(&list, false);
        last.or(self.left)
    }

    /// `is_tested` where the shell looks at how it ends, and `set -e` does not count for that reason.
    fn list(&mut self, list: &[AndOr], is_tested: bool) -> Ends {
        for and_or in list {
            if !self.status.is_reached() {
                break;
            }
            let ends = if and_or.in_background { PASSES } else { self.and_or(and_or, is_tested) };
            self.status = ends;
        }
        self.status
    }

    fn and_or(&mut self, and_or: &AndOr, is_tested: bool) -> Ends {
        let mut ends = NEVER;
        for (at, (join, pipeline)) in and_or.parts.iter().enumerate() {
            let (runs_after, skipped) = match join {
                Join::First => (self.status, NEVER),
                Join::And => (Ends { badly: false, ..ends }, Ends { well: false, ..ends }),
                Join::Or => (Ends { well: false, ..ends }, Ends { badly: false, ..ends }),
            };
            if !runs_after.is_reached() {
                continue;
            }
            self.status = runs_after;
            let is_last = at + 1 == and_or.parts.len();
            let is_tested = is_tested || !is_last || pipeline.is_inverted;
            let before = (self.errexit, self.pipefail);
            let mut own = self.pipeline(pipeline, is_tested);
            if skipped.is_reached() {
                // Perhaps it did not run: what it may have made stricter stays strict.
                self.errexit |= before.0;
                self.pipefail |= before.1;
            }
            if self.errexit && !is_tested && own.badly {
                self.left = self.left.or(FAILS);
                own.badly = false;
            }
            ends = skipped.or(own);
        }
        ends
    }

    fn pipeline(&mut self, pipeline: &Pipeline, is_tested: bool) -> Ends {
        let ends = match pipeline.commands.as_slice() {
            [one] => self.command(one, is_tested),
            many => {
                let each = many.iter().map(|one| self.apart(|shell| shell.command(one, is_tested)));
                let each: Vec<Ends> = each.collect();
                match self.pipefail {
                    true => Ends {
                        well: each.iter().all(|ends| ends.well),
                        badly: each.iter().any(|ends| ends.badly),
                    },
                    false => each.last().copied().unwrap_or(PASSES),
                }
            }
        };
        if pipeline.is_inverted { ends.not() } else { ends }
    }

    /// In a shell of its own: its settings and its `exit` end with it.
    fn apart(&self, run: impl FnOnce(&mut Self) -> Ends) -> Ends {
        let mut shell = Self { left: NEVER, ..self.clone() };
        let last = run(&mut shell);
        last.or(shell.left)
    }

    fn command(&mut self, command: &Command, is_tested: bool) -> Ends {
        let (ends, may_not_open) = match command {
            Command::Simple { words, may_not_open } => (self.simple(words), may_not_open),
            Command::Group { list, may_not_open } => (self.list(list, is_tested), may_not_open),
            Command::Subshell { list, may_not_open } => {
                (self.apart(|shell| shell.list(list, is_tested)), may_not_open)
            }
            Command::If { condition, then, otherwise, may_not_open } => {
                (self.branches(condition, then, otherwise, is_tested), may_not_open)
            }
        };
        if *may_not_open { ends.or(FAILS) } else { ends }
    }

    fn branches(
        &mut self,
        condition: &[AndOr],
        then: &[AndOr],
        otherwise: &[AndOr],
        is_tested: bool,
    ) -> Ends {
        let ends = self.list(condition, true);
        let (mut all, before) = (NEVER, (self.errexit, self.pipefail));
        let both = [(ends.well, then), (ends.badly, otherwise)];
        for (at, (is_taken, branch)) in both.into_iter().enumerate() {
            if is_taken {
                // An `else` begins after a failure; without one it ends well.
                self.status = if at == 0 || branch.is_empty() { PASSES } else { FAILS };
                all = all.or(self.list(branch, is_tested));
                // Perhaps it did not run, as above.
                self.errexit |= before.0;
                self.pipefail |= before.1;
            }
        }
        all
    }

    fn simple(&mut self, words: &[Word]) -> Ends {
        let (assignments, mut words) = after_assignments(words);
        if words.is_empty() {
            // Its status is that of the last command in it.
            let is_run = assignments.iter().any(|word| word.runs_commands);
            return if is_run { EITHER } else { PASSES };
        }
        let mut is_last = false;
        while let [first, rest @ ..] = words
            && matches!(builtin(first), "command" | "env" | "nohup" | "time" | "builtin" | "exec")
        {
            is_last |= builtin(first) == "exec";
            words = after_assignments(rest).1;
        }
        let ends = match words.split_first() {
            Some((first, rest)) if words.iter().all(|word| !word.may_be_missing) => {
                self.program(builtin(first), rest)
            }
            _ => EITHER,
        };
        if is_last { self.leave(ends) } else { ends }
    }

    fn program(&mut self, name: &str, rest: &[Word]) -> Ends {
        let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
        let is_plain = rest.iter().all(|word| !word.is_filled_in);
        let is_option = |text: &&str| text.starts_with('-') || is_number(text);
        match (name, texts.as_slice()) {
            ("true" | ":" | "echo" | "printf" | "sleep" | "export", _) => PASSES,
            // They read a pipe; a file could be missing.
            ("cat" | "head" | "tail" | "wc", words) if words.iter().all(is_option) => PASSES,
            ("ls" | "pwd", words) if is_plain && words.iter().all(|word| word.starts_with('-')) => {
                PASSES
            }
            ("wait", []) | ("cd", ["." | "/"]) => PASSES,
            // Others may take longer.
            ("timeout", [limit, "true" | "echo", ..]) if is_duration(limit) => PASSES,
            ("eval", words) => self.eval(is_plain.then(|| words.join(" "))),
            ("false", _) => FAILS,
            ("set", words) => {
                self.set(if is_plain { words } else { &["-eo", "pipefail"] });
                PASSES
            }
            ("exit", [] | ["$?"]) => self.leave(self.status),
            ("exit", ["0"]) => self.leave(PASSES),
            ("exit", [number]) if is_number(number) => self.leave(FAILS),
            ("exit", _) => self.leave(EITHER),
            ("sh" | "bash" | "dash" | "zsh" | "ksh", words) if is_plain => self.inner(words),
            ("test", operands) if is_plain && always_holds(operands) => PASSES,
            ("[", [operands @ .., "]"]) if is_plain && always_holds(operands) => PASSES,
            ("[[", [operands @ .., "]]"]) if is_plain && always_holds(operands) => PASSES,
            _ => EITHER,
        }
    }

    /// Text that is not known can do anything, such as end the shell.
    fn eval(&mut self, text: Option<String>) -> Ends {
        let list = text.and_then(|text| shell::parse(&text));
        let (Some(list), Some(left)) = (list, self.shells_left.checked_sub(1)) else {
            return self.leave(EITHER);
        };
        let before = std::mem::replace(&mut self.shells_left, left);
        let ends = self.list(&list, false);
        self.shells_left = before;
        if list.is_empty() { PASSES } else { ends }
    }

    fn leave(&mut self, status: Ends) -> Ends {
        self.left = self.left.or(status);
        NEVER
    }

    /// `-e`, `-euo pipefail`, `+e`. Says how many of the words are options and their names.
    fn set(&mut self, words: &[&str]) -> usize {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let is_on = word.starts_with('-');
            if !(is_on || word.starts_with('+')) {
                break;
            }
            at += 1;
            if word.starts_with("--") {
                continue;
            }
            for letter in word.chars() {
                match letter {
                    'e' => self.errexit = is_on,
                    'o' => {
                        match words.get(at) {
                            Some(&"errexit") => self.errexit = is_on,
                            Some(&"pipefail") => self.pipefail = is_on,
                            _ => {}
                        }
                        at += 1;
                    }
                    _ => {}
                }
            }
        }
        at
    }

    /// `sh -ec '…'`; a script file is not looked into.
    fn inner(&self, words: &[&str]) -> Ends {
        let mut shell = Self::default();
        let options = shell.set(words);
        let is_short = |word: &&&str| word.starts_with('-') && !word.starts_with("--");
        let has_text = words.iter().take(options).filter(is_short).any(|word| word.contains('c'));
        match (words.get(options), self.shells_left.checked_sub(1)) {
            (Some(text), Some(left)) if has_text => shell.script(text, left),
            _ => EITHER,
        }
    }
}

fn after_assignments(words: &[Word]) -> (&[Word], &[Word]) {
    words.split_at(words.iter().take_while(|word| word.is_assignment()).count())
}

/// The name of a program of the system; one of the project may have any name, and a path.
fn builtin(word: &Word) -> &str {
    let path = word.text.as_str();
    path.strip_prefix("/usr/bin/").or_else(|| path.strip_prefix("/bin/")).unwrap_or(path)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_duration(text: &str) -> bool {
    is_number(text.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(text))
}

/// A test of words that are there as they are.
fn always_holds(operands: &[&str]) -> bool {
    match operands {
        [word] => !word.is_empty(),
        ["-n", word] => !word.is_empty(),
        ["-d" | "-e", "/" | "."] => true,
        ["-z", word] => word.is_empty(),
        [left, "=" | "==" | "-eq", right] => left == right,
        [left, "!=" | "-ne", right] => left != right,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
