//! Sessions as a table. At a terminal each is one line: what does not fit is shortened or left out.

use crate::output;
use tollgate_core::view::{Standing, Summary};
use tollgate_files::clock;
use tollgate_host::sessions::{Listed, Trouble};
use unicode_width::UnicodeWidthStr;

/// A name is cut, but not so far that nobody knows it: before that, other columns go.
const NAME_COLUMNS_MIN: usize = 24;
const GAP: &str = "  ";
const NAME: &str = "SESSION";
/// What is left out of a narrow table, the first one first.
const SPARED: [&str; 4] = ["ACTION", "DISK", "UPDATED", "STATE"];

struct Column {
    title: &'static str,
    width: usize,
    is_right: bool,
    cells: Vec<String>,
}

pub fn of(listed: &[Listed]) -> String {
    let whole = columns(listed);
    match output::data_columns() {
        Some(room) if width(&whole) > room => lines(&narrowed(listed, room)),
        _ => lines(&whole),
    }
}

fn columns(listed: &[Listed]) -> Vec<Column> {
    let column = |title, width, is_right, cell: &dyn Fn(&Listed) -> String| Column {
        title,
        width,
        is_right,
        cells: listed.iter().map(cell).collect(),
    };
    let name = |one: &Listed| one.summary.session.to_string();
    let widest = listed.iter().map(|one| name(one).width()).max().unwrap_or(0);
    let mut numbers = column("#", 3, true, &|_| String::new());
    numbers.cells = (1..=listed.len()).map(|number| number.to_string()).collect();
    vec![
        numbers,
        column(NAME, widest.max(NAME.len()), false, &name),
        column("ACTION", 10, false, &|one| {
            one.summary.action.clone().unwrap_or_else(|| "-".to_owned())
        }),
        column("STATE", 16, false, &|one| state(&one.summary).to_owned()),
        column("NOW", 12, false, &now),
        column("UPDATED", 24, false, &|one| {
            one.summary.updated_at.map_or("-".to_owned(), |at| at.to_string())
        }),
        column("DISK", 10, true, &|one| output::size(one.disk_bytes)),
    ]
}

/// The same with short times, no wider than its content and than the terminal.
fn narrowed(listed: &[Listed], room: usize) -> Vec<Column> {
    let mut columns = columns(listed);
    let now = clock::now();
    for column in &mut columns {
        if column.title == "UPDATED" {
            let ago = |one: &Listed| one.summary.updated_at.map(|at| ago(now.ms_since(at)));
            column.cells =
                listed.iter().map(|one| ago(one).unwrap_or_else(|| "-".to_owned())).collect();
        }
        column.width = column.cells.iter().map(|cell| cell.width()).max().unwrap_or(0);
        column.width = column.width.max(column.title.len());
    }
    let mut spared = SPARED.iter();
    while room_for_name(&columns, room) < NAME_COLUMNS_MIN
        && let Some(title) = spared.next()
    {
        columns.retain(|column| column.title != *title);
    }
    let name_max = room_for_name(&columns, room);
    for column in columns.iter_mut().filter(|column| column.title == NAME) {
        column.width = column.width.min(name_max);
        for cell in &mut column.cells {
            *cell = cut(cell, column.width);
        }
    }
    columns
}

fn room_for_name(columns: &[Column], room: usize) -> usize {
    let name = columns.iter().filter(|column| column.title == NAME).map(|column| column.width);
    (room + name.sum::<usize>()).saturating_sub(width(columns))
}

fn width(columns: &[Column]) -> usize {
    let gaps = columns.len().saturating_sub(1) * GAP.len();
    columns.iter().map(|column| column.width).sum::<usize>() + gaps
}

fn lines(columns: &[Column]) -> String {
    let count = columns.first().map_or(0, |column| column.cells.len());
    let title = row(columns, |column| column.title);
    let rows = (0..count).map(|index| row(columns, |column| &column.cells[index]));
    std::iter::once(title).chain(rows).collect::<Vec<_>>().join("\n")
}

fn row<'a>(columns: &'a [Column], cell: impl Fn(&'a Column) -> &'a str) -> String {
    let cells = columns.iter().map(|column| {
        let text = cell(column);
        let gap = " ".repeat(column.width.saturating_sub(text.width()));
        if column.is_right { gap + text } else { text.to_owned() + &gap }
    });
    cells.collect::<Vec<_>>().join(GAP)
}

/// Beginning and end of a text that is too long; a name is ASCII.
fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let kept = columns.saturating_sub(1);
    let (begin, end) = (kept - kept / 2, kept / 2);
    let chars: Vec<char> = text.chars().collect();
    let ending = &chars[chars.len().saturating_sub(end)..];
    chars.iter().take(begin).chain(&['…']).chain(ending).collect()
}

/// How long it is since then.
fn ago(ms: u64) -> String {
    let minutes = ms / 60_000;
    match (minutes / (24 * 60), minutes / 60, minutes) {
        (0, 0, 0) => "now".to_owned(),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, _) => format!("{hours} h"),
        (days, ..) => format!("{days} d"),
    }
}

/// A session that a person ended is not blocked.
fn state(summary: &Summary) -> &'static str {
    match (summary.state, summary.standing) {
        (_, Some(Standing::Cancelled)) => "CANCELLED",
        (Some(state), _) => state.as_str(),
        (None, _) => "-",
    }
}

/// Who must act.
fn now(listed: &Listed) -> String {
    match listed.summary.standing {
        None if matches!(listed.trouble, Some(Trouble::NotBegun)) => "not begun".to_owned(),
        None => "unreadable".to_owned(),
        Some(Standing::Working) if listed.is_running => "running".to_owned(),
        Some(Standing::Working) => "stopped".to_owned(),
        Some(Standing::YourTurn) => "your turn".to_owned(),
        Some(ended) => ended.as_str().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{ago, cut};

    #[test]
    fn r186_a_long_name_keeps_its_beginning_and_its_end() {
        assert_eq!(cut("2026-11-18_add-a-line", 11), "2026-…-line");
        assert_eq!(cut("2026-11-18_add", 14), "2026-11-18_add");
    }

    #[test]
    fn r186_how_long_ago_a_session_changed_is_short() {
        let shown = [0, 59_999, 61_000, 7_200_000, 200_000_000].map(ago);
        assert_eq!(shown, ["now", "now", "1 min", "2 h", "2 d"]);
    }
}
