//! When each dispatch was at work, as a Gantt picture. While nothing runs, the time is drawn short: a night in which a
//! question waited would leave no room for the work.

use super::shape::{TRACK, clock, duration, name};
use crate::chronicle::{Chronicle, Span, What};
use maud::{Markup, html};
use tollgate_core::time::Timestamp;

/// A time without work is drawn no longer than this part of all the work.
const GAP_OF_WORK: u64 = 12;

const BAD: &str = "pic-bar-bad";

/// `now` is where something ends that still lasts.
pub fn timeline(chronicle: &Chronicle, now: Timestamp) -> Markup {
    let axis = Axis::of(chronicle, now);
    let rows = rows(chronicle, now);
    let label = match rows.is_empty() {
        true => "Timeline: nothing has run yet".to_owned(),
        false => {
            let words: Vec<String> = rows.iter().map(Row::in_words).collect();
            format!("Timeline. {}", words.join("; "))
        }
    };
    html! {
        div class="pic pic-rows" role="img" aria-label=(label) {
            @for row in &rows {
                span class="pic-name" { (row.name) }
                span class="pic-note" { (duration(row.took())) }
                svg viewBox=(format!("0 0 {TRACK} 12")) preserveAspectRatio="none" {
                    rect class="pic-track" x="0" y="0" width=(TRACK) height="12" {}
                    @for gap in &axis.gaps {
                        rect class="pic-gap" x=(axis.at(gap.0)) y="0" width=(axis.width(gap.0, gap.1)) height="12" {}
                    }
                    @for bar in &row.bars {
                        rect class=(bar.class) x=(axis.at(bar.from)) y=(bar.top()) width=(axis.width(bar.from, bar.until)) height=(11 - bar.top()) {
                            title { (bar.words) }
                        }
                    }
                }
            }
            @match (axis.pieces.first(), axis.pieces.last()) {
                (Some(first), Some(last)) => span class="pic-key" { (key(first.from, last.until, axis.gaps.len())) },
                _ => span class="pic-key" { "Nothing has run yet." },
            }
        }
    }
}

fn key(from: Timestamp, until: Timestamp, gaps: usize) -> String {
    let until_day =
        if from.date() == until.date() { String::new() } else { format!("{} ", until.date()) };
    let short = if gaps == 0 { "" } else { "; times without work are drawn short" };
    format!(
        "{} {} to {until_day}{} UTC; what failed is half as high{short}",
        from.date(),
        clock(from),
        clock(until)
    )
}

struct Row {
    name: String,
    bars: Vec<Bar>,
}

struct Bar {
    from: Timestamp,
    until: Timestamp,
    class: &'static str,
    words: String,
}

impl Bar {
    /// What failed is half as high, so that it is seen without colours.
    fn top(&self) -> u32 {
        if self.class == BAD { 6 } else { 1 }
    }
}

impl Row {
    fn took(&self) -> u64 {
        self.bars.iter().map(|bar| bar.until.ms_since(bar.from)).sum()
    }

    fn in_words(&self) -> String {
        let bars: Vec<&str> = self.bars.iter().map(|bar| bar.words.as_str()).collect();
        format!("{}: {}", self.name, bars.join(", "))
    }
}

/// One for each dispatch, one for all checks, one for the person.
fn rows(chronicle: &Chronicle, now: Timestamp) -> Vec<Row> {
    let mut rows: Vec<(Option<u32>, Row)> = Vec::new();
    let (mut checks, mut person) = (Vec::new(), Vec::new());
    for span in &chronicle.spans {
        let bar = bar(span, now);
        match &span.what {
            What::Checks { .. } => checks.push(bar),
            What::Question { .. } => person.push(bar),
            What::Attempt(attempt) => {
                let known = rows.iter_mut().rev().find(|row| row.0 == Some(attempt.number.0));
                match known {
                    Some((_, row)) => row.bars.push(bar),
                    None => {
                        let row = Row { name: name(&attempt.title), bars: vec![bar] };
                        rows.push((Some(attempt.number.0), row));
                    }
                }
            }
        }
    }
    let others = [("checks", checks), ("you", person)];
    let others = others.into_iter().filter(|(_, bars)| !bars.is_empty());
    let others = others.map(|(name, bars)| Row { name: name.to_owned(), bars });
    rows.into_iter().map(|(_, row)| row).chain(others).collect()
}

fn bar(span: &Span, now: Timestamp) -> Bar {
    let until = span.until.unwrap_or(now).max(span.from);
    let (class, how) = match &span.what {
        _ if span.until.is_none() => ("pic-bar", "still open".to_owned()),
        What::Attempt(attempt) => {
            let class = if attempt.replied { "pic-bar-ok" } else { BAD };
            (class, attempt.end.unwrap_or_default().replace('_', " "))
        }
        What::Checks { passed, of, .. } => match passed {
            Some(true) => ("pic-bar-ok", format!("{} passed", name(of))),
            _ => (BAD, format!("{} failed", name(of))),
        },
        What::Question { id, status, .. } => {
            let status = status.map_or("open", |status| status.as_str());
            ("pic-bar-wait", format!("{id} {status}"))
        }
    };
    let class = match (&span.what, span.until) {
        (What::Question { .. }, None) => "pic-bar-wait",
        _ => class,
    };
    let words = format!("{} to {} {how}", clock(span.from), clock(until));
    Bar { from: span.from, until, class, words }
}

/// Time on the track: pieces in which something runs are as long as they took, those between them short.
struct Axis {
    pieces: Vec<Piece>,
    gaps: Vec<(Timestamp, Timestamp)>,
    whole: u64,
}

struct Piece {
    from: Timestamp,
    until: Timestamp,
    /// Where it begins, and how long it is drawn.
    drawn_from: u64,
    drawn: u64,
}

impl Axis {
    fn of(chronicle: &Chronicle, now: Timestamp) -> Self {
        let busy = busy(chronicle, now);
        let work: u64 = busy.iter().map(|(from, until)| until.ms_since(*from)).sum();
        let gap_max = (work / GAP_OF_WORK).max(1);
        let (Some(start), Some(end)) = (edge(chronicle, now, false), edge(chronicle, now, true))
        else {
            return Self { pieces: Vec::new(), gaps: Vec::new(), whole: 1 };
        };
        let mut axis = Self { pieces: Vec::new(), gaps: Vec::new(), whole: 0 };
        let mut at = start;
        for (from, until) in busy {
            axis.gap(at, from, gap_max);
            axis.piece(from, until, until.ms_since(from));
            at = until;
        }
        axis.gap(at, end, gap_max);
        axis
    }

    fn gap(&mut self, from: Timestamp, until: Timestamp, drawn_max: u64) {
        let took = until.ms_since(from);
        if took > drawn_max {
            self.gaps.push((from, until));
        }
        self.piece(from, until, took.min(drawn_max));
    }

    fn piece(&mut self, from: Timestamp, until: Timestamp, drawn: u64) {
        if until > from {
            self.pieces.push(Piece { from, until, drawn_from: self.whole, drawn });
            self.whole += drawn;
        }
    }

    /// Where a moment is on the track.
    fn at(&self, moment: Timestamp) -> u64 {
        let index = self.pieces.partition_point(|piece| piece.until < moment);
        let Some(piece) = self.pieces.get(index) else {
            return TRACK;
        };
        let (took, into) = (piece.until.ms_since(piece.from), moment.ms_since(piece.from));
        let into = u128::from(into) * u128::from(piece.drawn) / u128::from(took.max(1));
        let drawn = u128::from(piece.drawn_from) + into;
        let units = drawn * u128::from(TRACK) / u128::from(self.whole.max(1));
        u64::try_from(units).unwrap_or(TRACK).min(TRACK)
    }

    /// At least wide enough to be seen.
    fn width(&self, from: Timestamp, until: Timestamp) -> u64 {
        self.at(until).saturating_sub(self.at(from)).max(3)
    }
}

/// When agents or checks ran, without overlaps, in order.
fn busy(chronicle: &Chronicle, now: Timestamp) -> Vec<(Timestamp, Timestamp)> {
    let is_work = |span: &&Span| !matches!(span.what, What::Question { .. });
    let work = chronicle.spans.iter().filter(is_work);
    let mut all: Vec<_> =
        work.map(|span| (span.from, span.until.unwrap_or(now).max(span.from))).collect();
    all.sort();
    let mut merged: Vec<(Timestamp, Timestamp)> = Vec::new();
    for (from, until) in all {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(until),
            _ => merged.push((from, until)),
        }
    }
    merged
}

/// The first or the last moment of anything.
fn edge(chronicle: &Chronicle, now: Timestamp, last: bool) -> Option<Timestamp> {
    let spans = chronicle.spans.iter();
    match last {
        false => spans.map(|span| span.from).min(),
        true => spans.map(|span| span.until.unwrap_or(now).max(span.from)).max(),
    }
}
