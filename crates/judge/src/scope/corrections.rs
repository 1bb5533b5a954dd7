//! Reads the "Scope correction" sections of a summary or a revision body.

use super::ScopeCorrection;

/// What the "Scope correction" sections say; a missing field is an empty text.
pub fn corrections_in(text: &str) -> Vec<ScopeCorrection> {
    let mut found: Vec<[String; 3]> = Vec::new();
    let mut is_open = false;
    // The field that a following line may continue with.
    let mut last: Option<usize> = None;
    for line in text.lines() {
        if let Some(title) = heading(line) {
            is_open = opens(&title);
            last = None;
            if is_open {
                found.push(Default::default());
            }
            continue;
        }
        if !is_open {
            continue;
        }
        if let Some((field, value)) = field(line) {
            begin_block(&mut found, field);
            if let Some(block) = found.last_mut() {
                block[field] = value;
            }
            last = Some(field);
        } else if line.trim().is_empty() {
            last = None;
        } else if let (Some(at), Some(block)) = (last, found.last_mut()) {
            block[at] = format!("{} {}", block[at], line.trim()).trim().to_owned();
        }
    }
    let said = found.into_iter().filter(|block| block.iter().any(|field| !field.is_empty()));
    said.map(|[listed, actual, reason]| ScopeCorrection { listed, actual, reason }).collect()
}

/// A field that is there already, or Listed after anything else, begins the next block.
fn begin_block(found: &mut Vec<[String; 3]>, field: usize) {
    let is_taken = found.last().is_none_or(|block| {
        !block[field].is_empty() || (field == 0 && block.iter().any(|text| !text.is_empty()))
    });
    if is_taken {
        found.push(Default::default());
    }
}

/// The title of a heading at any level. A line in bold alone is one only when it opens such a section.
fn heading(line: &str) -> Option<String> {
    let line = line.trim();
    let words = line.trim_matches(['*', '_', '#', ':', ' ']).split_whitespace();
    let title = words.collect::<Vec<_>>().join(" ").to_lowercase();
    (line.starts_with('#') || (line.starts_with("**") && opens(&title))).then_some(title)
}

fn opens(title: &str) -> bool {
    matches!(title, "scope correction" | "scope corrections")
}

/// `- **Listed:** `path``, with or without bullet, bold and backticks.
fn field(line: &str) -> Option<(usize, String)> {
    let line = line.trim().trim_start_matches(['-', '*', '+', '>', '_', ' ']);
    let (name, value) = line.split_once(':')?;
    let name = name.trim_matches(['*', '_', ' ']).to_lowercase();
    let at = ["listed", "actual", "reason"].iter().position(|known| *known == name)?;
    let value = value.trim().trim_start_matches(['*', '_']).trim();
    let value = if at == 2 { value } else { path_in(value) };
    Some((at, value.to_owned()))
}

/// What is in backticks, else the whole.
fn path_in(value: &str) -> &str {
    let quoted = value.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    quoted.map_or(value, |(path, _)| path).trim()
}
