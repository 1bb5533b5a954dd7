//! A ceiling on files and functions, with a ratchet: what is over it today may only get shorter.

use super::Problem;
use crate::source::{SourceFile, closing, find_words, is_word, item_end, line_of};

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 70;

/// The exceptions, one a line: `path lines` for a file, `path function lines` for a function.
const RATCHET: &str = "xtask/ratchet.txt";

/// The list may only shrink: lower this number when an entry goes, never raise it.
const RATCHET_ENTRIES_MAX: usize = 0;

pub fn check(files: &[SourceFile]) -> Vec<Problem> {
    let ratchet = files.iter().find(|file| file.path == RATCHET);
    let exceptions: Vec<(usize, Vec<&str>)> =
        ratchet.map_or_else(Vec::new, |file| entries(&file.text));
    let mut problems = against(files, &exceptions);
    if let Some(file) = ratchet
        && exceptions.len() > RATCHET_ENTRIES_MAX
    {
        problems.push(Problem::in_file(
            file,
            "the list of exceptions may only shrink; make the code shorter",
        ));
    }
    problems
}

fn entries(text: &str) -> Vec<(usize, Vec<&str>)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| (number, line.split_whitespace().collect()))
        .collect()
}

/// Something whose length is limited.
struct Measured<'a> {
    file: &'a SourceFile,
    line: usize,
    function: Option<&'a str>,
    lines: usize,
    lines_max: usize,
}

impl Measured<'_> {
    fn named_by(&self, entry: &[&str]) -> bool {
        match (self.function, entry) {
            (None, [path, _]) => *path == self.file.path,
            (Some(function), [path, name, _]) => *path == self.file.path && *name == function,
            _ => false,
        }
    }

    fn what(&self) -> String {
        match self.function {
            Some(name) => format!("`{name}` has {} lines", self.lines),
            None => format!("{} lines outside tests", self.lines),
        }
    }
}

fn against(files: &[SourceFile], exceptions: &[(usize, Vec<&str>)]) -> Vec<Problem> {
    let measured: Vec<Measured<'_>> = files.iter().flat_map(measure).collect();
    let mut problems = Vec::new();
    for one in measured.iter().filter(|one| one.lines > one.lines_max) {
        let excused = exceptions
            .iter()
            .any(|(_, entry)| one.named_by(entry) && granted(entry) == Some(one.lines));
        if !excused {
            let message =
                format!("{}, at most {} are easy to read; split it", one.what(), one.lines_max);
            problems.push(Problem::at(one.file, one.line, message));
        }
    }
    for (number, entry) in exceptions {
        let used = measured.iter().any(|one| {
            one.named_by(entry) && one.lines > one.lines_max && granted(entry) == Some(one.lines)
        });
        if !used {
            problems.push(Problem {
                place: format!("{RATCHET}:{number}"),
                message: "no longer so: lower the number to what is there, or drop the line"
                    .to_owned(),
            });
        }
    }
    problems
}

fn granted(entry: &[&str]) -> Option<usize> {
    entry.last().and_then(|lines| lines.parse().ok())
}

fn measure(file: &SourceFile) -> Vec<Measured<'_>> {
    let code = &file.shipped;
    if code.is_empty() {
        return Vec::new();
    }
    // Comments and blank lines count, for they are read.
    let lines = file.text.lines().count() - file.test_lines;
    let whole = Measured { file, line: 1, function: None, lines, lines_max: FILE_LINES_MAX };
    let functions = find_words(code, "fn ").filter_map(|at| {
        let name = code[at + 3..].trim_start();
        let name = &name[..name.find(|c| !is_word(c)).unwrap_or(name.len())];
        let lines = code[at..item_end(code, at)].matches('\n').count() + 1;
        let line = line_of(code, at);
        let whole = &code[at..item_end(code, at)];
        let is_table = file.text.lines().nth(line.wrapping_sub(2)).is_some_and(is_marked_table);
        let lines = if is_table && is_one_match(whole) { 0 } else { lines };
        (!name.is_empty()).then_some(Measured {
            file,
            line,
            function: Some(name),
            lines,
            lines_max: FUNCTION_LINES_MAX,
        })
    });
    std::iter::once(whole).chain(functions).collect()
}

/// A table of what follows from what may be as long as it has rows; its first row says that it is one.
fn is_marked_table(line: &str) -> bool {
    line.trim_start().starts_with("// table: ")
}

/// Whether a function is nothing but one `match`.
fn is_one_match(function: &str) -> bool {
    let Some(open) = body_of(function) else { return false };
    let body = function[open + 1..].trim_start();
    let Some(table) = body.strip_prefix("match ").and_then(|rest| rest.find('{')) else {
        return false;
    };
    let start = function.len() - body.len() + "match ".len() + table;
    function[closing(function, start)..].trim() == "}"
}

/// Where the body begins: at the first brace that is in no other bracket.
fn body_of(function: &str) -> Option<usize> {
    let open = function.find(['{', '('])?;
    match function.as_bytes()[open] {
        b'{' => Some(open),
        _ => {
            let after = closing(function, open);
            body_of(&function[after..]).map(|at| after + at)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{against, check, entries};
    use crate::source::SourceFile;

    fn long_function(lines: usize) -> SourceFile {
        let text = format!("fn long(a: [u8; 3]) {{\n{}}}\n", "    b();\n".repeat(lines - 2));
        SourceFile::new("crates/x/src/a.rs", &text)
    }

    fn long_file(lines: usize) -> SourceFile {
        SourceFile::new("crates/x/src/a.rs", &"// a\n".repeat(lines))
    }

    #[test]
    fn functions_have_a_ceiling() {
        assert!(check(&[long_function(70)]).is_empty());
        assert_eq!(check(&[long_function(71)]).len(), 1);
    }

    #[test]
    fn a_table_of_one_match_may_be_long_where_it_says_so() {
        let rows = "        1 => b(),\n".repeat(80);
        let file = |text: String| SourceFile::new("crates/x/src/a.rs", &text);
        let table = format!("fn long(a: u8) -> (u8, u8) {{\n    match a {{\n{rows}    }}\n}}\n");
        let marked = format!("// table: one row a case\n{table}");
        assert!(check(&[file(marked.clone())]).is_empty());
        assert_eq!(check(&[file(table)]).len(), 1, "it must say so");
        let more = marked.replacen("    match", "    let c = d();\n    match", 1);
        assert_eq!(check(&[file(more)]).len(), 1, "nothing stands before the match");
        let after = marked.replacen("    }\n}\n", "    };\n    e()\n}\n", 1);
        assert_eq!(check(&[file(after)]).len(), 1, "nothing stands after the match");
    }

    #[test]
    fn files_have_a_ceiling() {
        assert!(check(&[long_file(500)]).is_empty());
        assert_eq!(check(&[long_file(501)]).len(), 1);
    }

    #[test]
    fn tests_may_be_long() {
        let body = "    // b\n\n    fn a() {}\n".repeat(300);
        let text = format!("fn a() {{}}\n#[cfg(test)]\nmod tests {{\n{body}}}\n");
        assert!(check(&[SourceFile::new("crates/x/src/a.rs", &text)]).is_empty());
        assert!(check(&[SourceFile::new("crates/x/tests/a.rs", &body)]).is_empty());
    }

    #[test]
    fn an_exception_holds_for_its_exact_length_only() {
        let list = entries("# why\ncrates/x/src/a.rs long 80\n");
        assert!(against(&[long_function(80)], &list).is_empty());
        assert_eq!(
            against(&[long_function(81)], &list).len(),
            2,
            "longer: refused, and the entry is stale"
        );
        assert_eq!(
            against(&[long_function(75)], &list).len(),
            2,
            "shorter: the entry must be lowered"
        );
        assert_eq!(
            against(&[long_function(60)], &list).len(),
            1,
            "within the ceiling: the entry must go"
        );
    }

    #[test]
    fn the_list_of_exceptions_may_only_shrink() {
        let ratchet = SourceFile::new("xtask/ratchet.txt", "crates/x/src/a.rs long 80\n");
        assert_eq!(check(&[long_function(80), ratchet]).len(), 1);
    }
}
