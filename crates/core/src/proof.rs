//! What the commands behind a criterion prove, as it is shown where a person decides.

use crate::task::Check;

/// What is to be shown, on a line, and a line for each check of it; a command that cannot fail is called so.
pub fn with_checks(what: &str, checks: &[Check]) -> String {
    let mut text = one_line(what);
    for check in checks {
        let words = match check {
            Check::Command(command) if proves_nothing(command) => {
                "  <- proves nothing: it passes whatever was done"
            }
            _ => "",
        };
        text.push_str(&format!("\n    {}{words}", one_line(&check.to_string())));
    }
    text
}

/// Text of others on one line, so that no part of it passes for a line of ours.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A command that surely ends well, whatever the work is like. What is not understood counts as a proof.
pub fn proves_nothing(command: &str) -> bool {
    let Some(parts) = parts(command) else { return false };
    let is_strict = parts.iter().any(|part| {
        part.words.first().is_some_and(|word| word == "set")
            && part.words.iter().any(|word| {
                word == "errexit"
                    || word == "pipefail"
                    || (word.starts_with('-') && word.contains('e'))
            })
    });
    let mut always = true;
    for part in parts.iter().filter(|part| !part.words.is_empty()) {
        let cannot_fail = cannot_fail(part);
        always = match part.after {
            After::And => always && cannot_fail,
            After::Or => always || cannot_fail,
            After::Pipe if is_strict => always && cannot_fail,
            After::Pipe => cannot_fail,
            After::End if is_strict => always && cannot_fail,
            After::End => cannot_fail,
        };
        let is_left = part.after == After::End && part.words[0] == "exit";
        if is_left {
            return always;
        }
    }
    always
}

/// What stands before a part of a list of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    End,
    And,
    Or,
    Pipe,
}

#[derive(Debug)]
struct Part {
    after: After,
    words: Vec<String>,
    /// Something in it is put in by the shell.
    is_filled_in: bool,
}

impl Part {
    fn new(after: After) -> Self {
        Self { after, words: Vec::new(), is_filled_in: false }
    }
}

/// None for what is more than a list of plain commands.
fn parts(command: &str) -> Option<Vec<Part>> {
    let mut parts = vec![Part::new(After::End)];
    let mut word: Option<String> = None;
    let mut chars = command.chars().peekable();
    while let Some(char) = chars.next() {
        let part = parts.last_mut()?;
        match char {
            '\'' => {
                let word = word.get_or_insert_default();
                word.extend(chars.by_ref().take_while(|char| *char != '\''));
            }
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(inside) = chars.next().filter(|char| *char != '"') {
                    part.is_filled_in |= matches!(inside, '$' | '`');
                    word.push(if inside == '\\' { chars.next()? } else { inside });
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            '#' if word.is_none() => while chars.next_if(|char| *char != '\n').is_some() {},
            '$' if chars.peek() == Some(&'(') => {
                part.is_filled_in = true;
                word.get_or_insert_default().push(char);
                skip_brackets(&mut chars);
            }
            // `2>&1` is a part of the command.
            '&' if word.as_deref().is_some_and(|word| word.ends_with('>')) => {
                word.get_or_insert_default().push(char);
            }
            ' ' | '\t' => part.words.extend(word.take()),
            '(' => return None,
            ')' | '{' | '}' | '<' if word.is_none() => return None,
            ';' | '\n' | '&' | '|' => {
                part.words.extend(word.take());
                let after = match (char, chars.next_if_eq(&char).is_some()) {
                    ('&', true) => After::And,
                    ('|', true) => After::Or,
                    ('|', false) => After::Pipe,
                    (';' | '\n', _) => After::End,
                    _ => return None,
                };
                parts.push(Part::new(after));
            }
            _ => {
                part.is_filled_in |= matches!(char, '$' | '`');
                word.get_or_insert_default().push(char);
            }
        }
    }
    parts.last_mut()?.words.extend(word);
    Some(parts)
}

/// Over `(…)`, with those inside.
fn skip_brackets(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let mut depth = 0_u32;
    for char in chars.by_ref() {
        match char {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

fn cannot_fail(part: &Part) -> bool {
    let is_assignment =
        |word: &&String| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    let skipped = part.words.iter().take_while(is_assignment).count();
    let words: Vec<&str> = part.words[skipped..].iter().map(String::as_str).collect();
    let Some((first, rest)) = words.split_first() else {
        return true;
    };
    let program = first.rsplit('/').next().unwrap_or_default();
    match (program, rest) {
        ("true" | ":" | "echo" | "printf" | "sleep" | "set", _) => true,
        ("exit" | "return", [] | ["0"]) => true,
        ("!", ["false" | "/bin/false"]) => true,
        ("sh" | "bash" | "dash" | "zsh", ["-c" | "-ec" | "-lc" | "-euc", inner]) => {
            !part.is_filled_in && proves_nothing(inner)
        }
        ("test", operands) => !part.is_filled_in && always_holds(operands),
        ("[", [operands @ .., "]"]) => !part.is_filled_in && always_holds(operands),
        ("[[", [operands @ .., "]]"]) => !part.is_filled_in && always_holds(operands),
        _ => false,
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// A test of words that stand there as they are.
fn always_holds(operands: &[&str]) -> bool {
    match operands {
        [word] => !word.is_empty(),
        ["-n", word] => !word.is_empty(),
        ["-z", word] => word.is_empty(),
        [left, "=" | "==" | "-eq", right] => left == right,
        [left, "!=" | "-ne", right] => left != right,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r175_a_command_that_cannot_fail_proves_nothing() {
        for command in [
            "",
            "  ",
            "# later",
            "true",
            ":",
            "exit 0",
            "exit",
            "/bin/true",
            "echo ok",
            "echo 'all tests pass'",
            "echo $(cargo test)",
            "printf 'ok\\n'",
            "test 1 = 1",
            "test 1 -eq 1",
            "[ 1 ]",
            "[ 1 = 1 ]",
            "[[ a == a ]]",
            "test -n x",
            "cargo test || true",
            "cargo test || :",
            "cargo test; true",
            "cargo test; exit 0",
            "cargo test\ntrue",
            "cargo test || echo failed",
            "true && true",
            "sh -c true",
            "bash -c 'exit 0'",
            "sh -c 'make test || true'",
            "CI=1 true",
            "make test | true",
            "true # cargo test",
            "! false",
            "sleep 1",
            "cargo test ; : ;",
            "set -e; true",
            "exit 0; cargo test",
            "cargo test 2>&1 || true",
        ] {
            assert!(proves_nothing(command), "{command}");
        }
    }

    #[test]
    fn r175_a_real_command_is_not_called_empty() {
        for command in [
            "cargo test",
            "make test",
            "npm test -- --ci",
            "grep -q one app.txt",
            "true && cargo test",
            "cargo test && true",
            "cargo test && echo ok",
            "echo x | grep -q x",
            "echo one; cargo test",
            "test -f app.txt",
            "test -s out",
            "[ -x bin/app ]",
            "[ \"$(wc -l < a)\" = 3 ]",
            "test \"$(cat a)\" = b",
            "[ $x = 1 ]",
            "! grep -q TODO app.txt",
            "sh -c 'cargo test'",
            "bash -c \"$CMD\"",
            "sh check.sh",
            "./check.sh",
            "exit 1",
            "false",
            "set -e; cargo test; true",
            "set -o pipefail; cargo test | true",
            "for f in *; do sh $f; done",
            "if a; then b; fi",
            "(cd x && make)",
            "python3 -m pytest -q",
            "diff -u a b",
            "cargo test 2>&1 | grep -q ok",
            "test 1 = 2",
            "true || exit 1 && cargo test",
            "echo ok > f && diff f g",
            "truecolor --test",
            "go test ./...",
            "curl -fsS http://localhost:8080/health",
            "cmp a b",
            "cargo test | tee log",
        ] {
            assert!(!proves_nothing(command), "{command}");
        }
    }
}
