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
pub enum Control {
    Line(&'static str),
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

fn read_control(text: &'static str) -> Control {
    match text.strip_prefix("none: ") {
        Some(why) => Control::Impossible(why),
        None => Control::Line(text),
    }
}
