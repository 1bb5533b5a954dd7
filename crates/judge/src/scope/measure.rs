//! How large a change of one file really is, and whether others can notice it.

use crate::{syntax, test_guard};
use std::collections::BTreeMap;

/// A change that was declared incidental may have so many lines, where nothing else is set.
pub const INCIDENTAL_LINES_MAX: u32 = 20;

/// What a change did to one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Measure {
    /// A line that is another now counts once.
    pub lines: usize,
    /// Names that others could use before and cannot any more.
    pub lost_names: Vec<String>,
    /// What its tests expected before and do not any more.
    pub lost_expectations: Vec<String>,
    /// One of the versions is no text, or too long to be looked at.
    pub is_unreadable: bool,
}

impl Measure {
    /// None for a version that is not there.
    pub fn of(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Self {
        let text = |bytes: Option<&[u8]>| -> Option<Option<String>> {
            let Some(bytes) = bytes else { return Some(None) };
            let is_short = bytes.len() <= BYTES_MAX && !bytes.contains(&0);
            let text = std::str::from_utf8(bytes).ok().filter(|_| is_short)?;
            Some(Some(text.to_owned()))
        };
        let (Some(before), Some(after)) = (text(before), text(after)) else {
            return Self { is_unreadable: true, ..Self::default() };
        };
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        Self {
            lines: changed_lines(&before, &after),
            lost_names: lost_names(path, &before, &after),
            lost_expectations: test_guard::lost_expectations(path, &before, &after),
            is_unreadable: false,
        }
    }

    /// Why the change is more than an incidental one; nothing where it is none.
    pub(super) fn faults(&self, lines_max: u32) -> Vec<String> {
        let mut faults = Vec::new();
        if self.is_unreadable {
            faults.push("its change cannot be measured".to_owned());
        }
        if self.lines > usize::try_from(lines_max).unwrap_or(usize::MAX) {
            let lines = self.lines;
            faults.push(format!("{lines} lines of it changed, and at most {lines_max} may"));
        }
        if let Some(name) = self.lost_names.first() {
            let more = more(self.lost_names.len());
            faults.push(format!("it no longer exports {name}{more}"));
        }
        if let Some(expected) = self.lost_expectations.first() {
            let more = more(self.lost_expectations.len());
            faults.push(format!("what a test expects changed{more}: {}", short(expected)));
        }
        faults
    }
}

/// A longer text was made by a program.
const BYTES_MAX: usize = 1024 * 1024;

fn more(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    }
}

fn short(text: &str) -> String {
    const CHARS_MAX: usize = 60;
    match text.char_indices().nth(CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Where a version does not parse, nothing can be told about its names.
fn lost_names(path: &str, before: &str, after: &str) -> Vec<String> {
    let Some(before) = syntax::exported(path, before) else { return Vec::new() };
    let after = match after.trim().is_empty() {
        true => Default::default(),
        false => match syntax::exported(path, after) {
            Some(after) => after,
            None => return Vec::new(),
        },
    };
    before.difference(&after).cloned().collect()
}

/// The lines that differ: of each part that was replaced the longer side counts.
fn changed_lines(before: &str, after: &str) -> usize {
    let (mut a, mut b): (Vec<&str>, Vec<&str>) =
        (before.lines().collect(), after.lines().collect());
    let same = a.iter().zip(&b).take_while(|(one, other)| one == other).count();
    a.drain(..same);
    b.drain(..same);
    let same = a.iter().rev().zip(b.iter().rev()).take_while(|(one, other)| one == other).count();
    a.truncate(a.len() - same);
    b.truncate(b.len() - same);
    if a.len().saturating_mul(b.len()) > CELLS_MAX {
        return unmatched(&a, &b);
    }
    aligned(&a, &b)
}

/// The table of an exact comparison has so many cells; beyond, lines are only counted.
const CELLS_MAX: usize = 4_000_000;

/// The number of lines that one side has more often than the other.
fn unmatched(a: &[&str], b: &[&str]) -> usize {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    a.iter().for_each(|line| *counts.entry(line).or_default() += 1);
    b.iter().for_each(|line| *counts.entry(line).or_default() -= 1);
    let side =
        |wanted: fn(&i64) -> bool| counts.values().copied().filter(wanted).sum::<i64>().abs();
    let most = side(|count| *count > 0).max(side(|count| *count < 0));
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// By the longest common sequence of lines.
fn aligned(a: &[&str], b: &[&str]) -> usize {
    let width = b.len() + 1;
    let mut longest = vec![0_u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = match a[i] == b[j] {
                true => longest[(i + 1) * width + j + 1] + 1,
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut changed) = (0, 0, 0);
    let (mut removed, mut added) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            changed += removed.max(added);
            (removed, added) = (0, 0);
            (i, j) = (i + 1, j + 1);
        } else if j == b.len()
            || (i < a.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1])
        {
            removed += 1;
            i += 1;
        } else {
            added += 1;
            j += 1;
        }
    }
    changed + removed.max(added)
}

#[cfg(test)]
mod tests {
    use super::{Measure, changed_lines};

    #[test]
    fn r161_changed_lines_are_counted_as_people_count_them() {
        for (before, after, count) in [
            ("a\nb\nc\n", "a\nb\nc\n", 0),
            ("a\nb\nc\n", "a\nx\nc\n", 1),
            ("a\nb\nc\n", "a\nc\n", 1),
            ("", "a\nb\n", 2),
            ("a\nb\n", "", 2),
            ("a\nb\nc\nd\n", "b\nc\nd\ne\n", 2),
            ("1\n2\n3\n4\n5\n", "1\nx\n3\ny\nz\n5\n", 3),
        ] {
            assert_eq!(changed_lines(before, after), count, "{before:?} {after:?}");
        }
        let long: String = (0..3_000).map(|n| format!("{n}\n")).collect();
        let other: String = (0..3_000).map(|n| format!("{}\n", n + 1_500)).collect();
        assert_eq!(changed_lines(&long, &other), 1_500);
    }

    #[test]
    fn r161_what_others_could_notice_is_named() {
        let of = |path: &str, before: &str, after: &str| {
            Measure::of(path, Some(before.as_bytes()), Some(after.as_bytes())).faults(20)
        };
        let none: Vec<String> = Vec::new();
        assert_eq!(of("a.ts", "export const a = 1;\n", "export const a = 2;\n"), none);
        assert_eq!(
            of("a.ts", "export const a = 1;\n", "export const a = 1;\nexport const b = 2;\n"),
            none
        );
        assert_eq!(
            of("a.ts", "export const a = 1;\n", "export const b = 1;\n"),
            ["it no longer exports a"]
        );
        let test = |value: &str| format!("test('a', () => {{ expect(f()).toBe({value}); }});\n");
        assert_eq!(of("a.test.ts", &test("1"), &test("1 ")), none);
        let faults = of("a.test.ts", &test("1"), &test("2"));
        assert!(faults[0].starts_with("what a test expects changed: "), "{faults:?}");
        let added = format!("{}{}", test("1"), test("3").replace("'a'", "'b'"));
        assert_eq!(of("a.test.ts", &test("1"), &added), none);
        assert_eq!(of("a.snap", "x\n", "y\n")[0], "what a test expects changed: a.snap");
        let binary = Measure::of("a.png", Some(b"\0"), Some(b"\0\0"));
        assert_eq!(binary.faults(20), ["its change cannot be measured"]);
    }
}
