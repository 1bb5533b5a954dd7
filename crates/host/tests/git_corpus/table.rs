//! The two tables: settings that make git run a program, and hooks.

/// One line of `keys.txt`.
#[derive(Debug, Clone)]
pub struct Entry {
    pub name: &'static str,
    pub settings: Vec<(&'static str, &'static str)>,
    pub control: Control,
    pub group: &'static str,
}

#[derive(Debug, Clone)]
pub struct Hook {
    pub name: &'static str,
    pub control: Control,
}

/// How to see that the plant is alive: a line for a shell, or why there is none.
#[derive(Debug, Clone)]
#[allow(dead_code, reason = "why there is no control is for who reads the failure")]
pub enum Control {
    Line {
        line: &'static str,
        /// The version of git that is needed, and a program that not every machine has.
        since: Option<(u32, u32)>,
        with: Option<&'static str>,
    },
    Impossible(&'static str),
}

pub fn entries() -> Vec<Entry> {
    lines(include_str!("keys.txt")).map(entry).collect()
}

pub fn hooks() -> Vec<Hook> {
    let hook = |line: &'static str| {
        let (name, control) = line.split_once(" | ").unwrap();
        Hook { name, control: read_control(control) }
    };
    lines(include_str!("hooks.txt")).map(hook).collect()
}

/// Entries that are planted together, group by group.
pub fn groups() -> Vec<(&'static str, Vec<Entry>)> {
    let mut groups: Vec<(&'static str, Vec<Entry>)> = Vec::new();
    for entry in entries() {
        match groups.iter_mut().find(|(name, _)| *name == entry.group) {
            Some((_, members)) => members.push(entry),
            None => groups.push((entry.group, vec![entry])),
        }
    }
    groups
}

fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// A control may hold ` | ` of its own, so the group is what stands behind the last one, if it is a single word.
fn entry(line: &'static str) -> Entry {
    let mut fields = line.splitn(3, " | ");
    let (name, settings, rest) =
        (fields.next().unwrap(), fields.next().unwrap(), fields.next().unwrap());
    let is_group = |word: &str| !word.contains(' ') && word != "cat";
    let (control, group) = match rest.rsplit_once(" | ") {
        Some((control, group)) if is_group(group) => (control, group),
        _ => (rest, "together"),
    };
    let setting = |text: &'static str| text.split_once('=').unwrap();
    Entry {
        name,
        settings: settings.split(" && ").map(setting).collect(),
        control: read_control(control),
        group,
    }
}

/// `none: why`, or a line that may begin with `since 2.42: ` and `with PROGRAM: `.
fn read_control(text: &'static str) -> Control {
    if let Some(why) = text.strip_prefix("none: ") {
        return Control::Impossible(why);
    }
    let prefix = |text: &'static str, word: &str| -> (Option<&'static str>, &'static str) {
        match text.strip_prefix(word).and_then(|rest| rest.split_once(": ")) {
            Some((value, rest)) => (Some(value), rest),
            None => (None, text),
        }
    };
    let (since, text) = prefix(text, "since ");
    let (with, line) = prefix(text, "with ");
    Control::Line { line, since: since.map(version), with }
}

/// `2.42` of `2.42.3`.
pub fn version(text: &str) -> (u32, u32) {
    let mut numbers = text.split('.').map(|number| number.parse().unwrap());
    (numbers.next().unwrap(), numbers.next().unwrap())
}
