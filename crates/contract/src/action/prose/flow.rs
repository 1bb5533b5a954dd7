//! Reads the picture of a flow: `Architect → (Backend Developer + Frontend Developer)`, with gates in brackets.

use super::Reader;
use super::names;
use super::page::Section;
use super::stage::{Player, Stage, StageKind, gate, is_conditional, is_end};

const ARROWS: [&str; 9] = ["↓", "→", "▼", "⬇", "➜", "⟶", "->", "=>", "⇒"];
/// A flow with more lines or stages is none that people drew.
const LINES_MAX: usize = 300;
const STAGES_MAX: usize = 200;

pub(super) fn read(reader: &mut Reader<'_>, section: &Section) -> Vec<Stage> {
    let introduction = reader.page.introduction(section);
    let mut lines = reader.page.first_code(introduction.clone());
    if lines.is_empty() {
        let is_drawn = |text: &str| text.contains('+') || ARROWS.iter().any(|a| text.contains(a));
        let written = reader.page.written(introduction).into_iter();
        let drawn = written.filter(|written| written.is_item || is_drawn(written.text));
        lines = drawn.map(|written| (written.line, written.text)).collect();
    }
    let drawn = stage_texts(&lines[..lines.len().min(LINES_MAX)]);
    let last = drawn.len().saturating_sub(1);
    let mut stages = Vec::new();
    for (at, (line, text)) in drawn.into_iter().take(STAGES_MAX).enumerate() {
        if let Some(kind) = stage(reader, line, &text, at == 0, at == last) {
            stages.push(Stage { line, kind });
        }
    }
    stages
}

/// The texts between the arrows, with the line where each begins.
fn stage_texts(lines: &[(u32, &str)]) -> Vec<(u32, String)> {
    let mut texts: Vec<(u32, String)> = Vec::new();
    let mut open: Option<(u32, String)> = None;
    for (line, raw) in lines {
        let text = raw.trim_matches(|c: char| c.is_whitespace() || "│|┃─━═┌┐└┘├┤".contains(c));
        // A line that ends in the middle of a group continues on the next.
        let continues = text.starts_with('+')
            || open.as_ref().is_some_and(|(_, text)| text.ends_with('+') || depth(text) > 0);
        if !continues {
            texts.extend(open.take());
        }
        if text.is_empty() {
            continue;
        }
        let joined = match open.take() {
            Some((first, before)) => (first, format!("{before} {text}")),
            None => (*line, text.to_owned()),
        };
        open = Some(joined);
    }
    texts.extend(open);
    texts.into_iter().flat_map(|(line, text)| split_at_arrows(line, &text)).collect()
}

fn split_at_arrows(line: u32, text: &str) -> Vec<(u32, String)> {
    let mut parts = vec![String::new()];
    // Behind an arrow at the beginning of a line, brackets are a remark.
    let (mut rest, mut is_remark, mut open) = (text, false, 0);
    while let Some(c) = rest.chars().next() {
        let arrow = ARROWS.iter().find(|arrow| open == 0 && rest.starts_with(**arrow));
        if let Some(arrow) = arrow {
            is_remark |= parts.len() == 1 && parts[0].trim().is_empty();
            parts.push(String::new());
            rest = &rest[arrow.len()..];
            continue;
        }
        open = depth_after(open, c);
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    let is_stage = |part: &String| {
        let part = part.trim();
        let is_note = is_remark && part.starts_with('[') && gate(part).is_none();
        !part.is_empty() && !is_note
    };
    let parts = parts.into_iter().filter(is_stage);
    parts.map(|part| (line, part.trim().to_owned())).collect()
}

/// How many brackets are open at the end.
fn depth(text: &str) -> usize {
    text.chars().fold(0, depth_after)
}

fn depth_after(depth: usize, c: char) -> usize {
    match c {
        '(' | '[' => depth + 1,
        ')' | ']' => depth.saturating_sub(1),
        _ => depth,
    }
}

fn stage(
    reader: &mut Reader<'_>,
    line: u32,
    text: &str,
    is_first: bool,
    is_last: bool,
) -> Option<StageKind> {
    if let Some(gate) = gate(text) {
        return Some(gate);
    }
    let mut players: Vec<Player> = Vec::new();
    let mut unknown: Vec<String> = Vec::new();
    for member in members(text) {
        match player(reader, line, &member) {
            Some(player) => players.push(player),
            None => unknown.push(member),
        }
    }
    if players.is_empty() {
        let is_person = is_first && names::words_of(text) == ["user"];
        let is_outcome = is_last && is_end(text);
        if !is_person && !is_outcome {
            reader.not_understood(line, format!("no role and no gate is known in {text:?}"));
        }
        return None;
    }
    for member in unknown {
        reader.not_understood(line, format!("no role is known as {member:?}, so nobody plays it"));
    }
    Some(StageKind::Work(players))
}

/// The parts of a stage that work side by side.
fn members(text: &str) -> Vec<String> {
    let text = text.trim();
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let text = inner.filter(|inner| depth(inner) == 0).unwrap_or(text);
    let mut parts = vec![String::new()];
    let mut open = 0_usize;
    for c in text.chars() {
        open = depth_after(open, c);
        match (c, parts.last_mut()) {
            ('+' | '&' | ',', _) if open == 0 => parts.push(String::new()),
            (c, Some(last)) => last.push(c),
            _ => {}
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

fn player(reader: &Reader<'_>, line: u32, member: &str) -> Option<Player> {
    let inner = member.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let member = inner.unwrap_or(member);
    let name = member.split(['(', '[']).next().unwrap_or_default();
    let remarks = &member[name.len()..];
    let named = names::alone(name, reader.resolve)?;
    let is_conditional = is_conditional(remarks) || member.ends_with('*');
    Some(Player { named, line, is_conditional, about: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r147_a_drawing_is_cut_into_its_stages() {
        let drawn = [
            (1, "User → A (note → x)"),
            (2, "  ↓"),
            (3, "(B + C [if D] +"),
            (4, " E)"),
            (5, "  ↓ [Parallel]"),
            (6, "[APPROVAL GATE: looks]"),
            (7, "F + G -> H"),
        ];
        let texts: Vec<(u32, String)> = stage_texts(&drawn);
        let texts: Vec<(u32, &str)> = texts.iter().map(|(line, t)| (*line, t.as_str())).collect();
        assert_eq!(
            texts,
            [
                (1, "User"),
                (1, "A (note → x)"),
                (3, "(B + C [if D] + E)"),
                (6, "[APPROVAL GATE: looks]"),
                (7, "F + G"),
                (7, "H"),
            ]
        );
        assert_eq!(members("(B + C [if D] + E)"), ["B", "C [if D]", "E"]);
        assert_eq!(members("A (x + y) + B"), ["A (x + y)", "B"]);
        assert_eq!(members("(A) + (B)"), ["(A)", "(B)"]);
    }
}
