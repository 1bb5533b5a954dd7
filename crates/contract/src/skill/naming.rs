//! What a role is called by in the files of other tools.

use super::KNOWN_AS;

/// Folders with a file for each role, beginning with the one that counts first.
pub const FOREIGN_HOMES: [&str; 3] = ["agents", ".claude/agents", ".github/agents"];

/// The name of the role that a file is for: `04-coder.md` and `coder.agent.md` are for `coder`. Pages for people such as
/// README.md are for no role.
pub fn name_of_file(file: &str) -> Option<String> {
    let stem = file.strip_suffix(".md")?;
    let stem = stem.strip_suffix(".agent").unwrap_or(stem);
    let small = stem.to_ascii_lowercase().replace(['_', ' ', '.'], "-");
    let bare = without_number(&small);
    let short = bare.strip_suffix("agent").unwrap_or(bare).trim_end_matches('-');
    let long = format!("{bare}-agent");
    if let Some(known) = [bare, short, long.as_str()].into_iter().find_map(known) {
        return Some(known.to_owned());
    }
    let is_for_people = !stem.contains(|c: char| c.is_lowercase());
    let name = bare.strip_suffix("-agent").unwrap_or(bare);
    (!is_for_people && !name.is_empty()).then(|| name.to_owned())
}

/// The role name of an agent file of another tool, by its place.
pub(crate) fn foreign_name(path: &str) -> Option<String> {
    let (folder, file) = path.rsplit_once('/')?;
    let is_in = |home: &str| folder == home || folder.ends_with(&format!("/{home}"));
    let name = name_of_file(file)?;
    let is_of_a_tool = is_in(".claude/agents") || is_in(".github/agents");
    // People keep other pages there too.
    let is_known = folder == "agents" && known(&name).is_some();
    (is_of_a_tool || is_known).then_some(name)
}

fn without_number(name: &str) -> &str {
    let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix('-') {
        Some(after) if rest.len() < name.len() => after.trim_start_matches('-'),
        _ => name,
    }
}

/// The known name with these letters, whatever the dashes between them.
pub(crate) fn known(name: &str) -> Option<&'static str> {
    let letters = name.replace('-', "");
    KNOWN_AS.iter().map(|(known, _)| *known).find(|known| known.replace('-', "") == letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r145_numbers_before_and_agent_behind_a_name_are_ignored() {
        for (file, name) in [
            ("04-coder.md", "coder"),
            ("coder.agent.md", "coder"),
            ("04_Coder.agent.md", "coder"),
            ("coder-agent.md", "coder"),
            ("CoderAgent.md", "coder"),
            ("implementor.md", "implementor"),
            ("01-spec-agent.md", "spec-agent"),
            ("SpecAgent.md", "spec-agent"),
            ("spec.agent.md", "spec-agent"),
            ("QA.md", "qa"),
            ("3d-artist-agent.md", "3d-artist"),
        ] {
            assert_eq!(name_of_file(file).as_deref(), Some(name), "{file}");
        }
        for file in ["README.md", "DISPATCH-REFERENCE.md", "CONTRACT.md", "coder.txt", ".md"] {
            assert_eq!(name_of_file(file), None, "{file}");
        }
    }
}
