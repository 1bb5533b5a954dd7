//! Which paths a role or a task may write: patterns over repository paths with `/`, case-sensitive.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Patterns that are paths, globs, or folders ending in `/`.
#[derive(Debug, Clone, Default)]
pub struct PathRules {
    set: GlobSet,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pattern {pattern:?} cannot be read: {cause}")]
pub struct BadPattern {
    pub pattern: String,
    pub cause: String,
}

impl PathRules {
    /// Fails with every pattern that cannot be read.
    pub fn new<T: AsRef<str>>(patterns: &[T]) -> Result<Self, Vec<BadPattern>> {
        let mut builder = GlobSetBuilder::new();
        let mut bad = Vec::new();
        for pattern in patterns.iter().map(AsRef::as_ref) {
            match glob(pattern) {
                Ok(globs) => globs.into_iter().for_each(|glob| {
                    builder.add(glob);
                }),
                Err(cause) => bad.push(BadPattern { pattern: pattern.to_owned(), cause }),
            }
        }
        if !bad.is_empty() {
            return Err(bad);
        }
        let too_much = |error: globset::Error| {
            vec![BadPattern { pattern: String::new(), cause: error.kind().to_string() }]
        };
        builder.build().map(|set| Self { set }).map_err(too_much)
    }

    pub fn matches(&self, path: &str) -> bool {
        self.set.is_match(path.strip_prefix("./").unwrap_or(path))
    }
}

fn glob(pattern: &str) -> Result<Vec<globset::Glob>, String> {
    let trimmed = pattern.trim();
    let trimmed = trimmed.strip_prefix("./").unwrap_or(trimmed);
    if !is_inside(trimmed) {
        return Err("it points outside the repository".to_owned());
    }
    let (name, below) = match trimmed.strip_suffix('/') {
        Some(folder) => (folder, "/**"),
        None => (trimmed, ""),
    };
    let meant = build(&format!("{name}{below}"));
    if name.contains('*') || !name.contains(['[', '{', '?', '\\']) {
        return Ok(vec![meant?]);
    }
    // A route parameter such as `app/[id]/page.tsx` is a folder's name and not a choice of letters.
    let literal = build(&format!("{}{below}", globset::escape(name)))?;
    Ok(meant.into_iter().chain([literal]).collect())
}

fn build(pattern: &str) -> Result<globset::Glob, String> {
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map_err(|error| error.kind().to_string())
}

/// A relative path or pattern that names something below where it starts.
pub fn is_inside(path: &str) -> bool {
    !path.trim().is_empty()
        && !path.starts_with('/')
        && !path.contains(['\0', '\n', '\r'])
        && !path.contains("<session>")
        && !path.split('/').any(|part| part == "..")
        && path.trim_end_matches('/') != "."
}

/// What nobody may write, whatever role files say. `session` is the one whose own folder is allowed.
pub fn is_protected(path: &str, session: Option<&str>) -> bool {
    let path = path.strip_prefix("./").unwrap_or(path);
    // A nested repository is as dangerous as the outer one.
    if !is_inside(path) || path.split('/').any(is_git_name) {
        return true;
    }
    // `././agents` and `.//agents` lead to `agents` too.
    let mut parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    match parts.next().unwrap_or_default() {
        "tollgate.toml" | "lifecycle-stage.yaml" => parts.next().is_none(),
        "agents" => true,
        // Other tools keep the texts of roles there.
        ".claude" | ".github" => parts.next() == Some("agents"),
        ".agents-work" => parts.next() != session || session.is_none(),
        _ => false,
    }
}

/// Whether some file system takes a name for `.git`: Windows (case, trailing dots and spaces, streams, short names,
/// backslashes between names) or macOS (characters that it ignores).
pub fn is_git_name(name: &str) -> bool {
    // Asked of every part of every path: most are plain and cannot be it.
    let has_letters = || name.as_bytes().windows(3).any(|three| three.eq_ignore_ascii_case(b"git"));
    if name.is_ascii() && !has_letters() {
        return false;
    }
    let visible: String = name.chars().filter(|c| !is_ignored_on_hfs(*c)).collect();
    visible.to_ascii_lowercase().split('\\').any(|part| {
        let stem = part.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
        stem == ".git" || is_short_git_name(stem)
    })
}

/// The name of eight letters that Windows gives to `.git`; the number depends on what is beside it.
fn is_short_git_name(stem: &str) -> bool {
    stem.strip_prefix("git~").is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
}

fn is_ignored_on_hfs(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    #[test]
    fn patterns_are_paths_globs_and_folders() {
        let rules = PathRules::new(&[
            "src/app.rs",
            "docs/",
            "**/*.md",
            "app/[id]/page.tsx",
            "app/[[...slug]]/",
        ])
        .unwrap();
        for path in [
            "src/app.rs",
            "./src/app.rs",
            "docs/a/b.txt",
            "README.md",
            "a/b/c.md",
            "app/[id]/page.tsx",
            "app/[[...slug]]/x.ts",
        ] {
            assert!(rules.matches(path), "{path}");
        }
        for path in ["src/app.rs2", "Src/app.rs", "docs", "src/main.rs", "a/docs/x"] {
            assert!(!rules.matches(path), "{path}");
        }
        let flat = PathRules::new(&["src/*.rs"]).unwrap();
        assert!(flat.matches("src/a.rs") && !flat.matches("src/deep/a.rs"));
    }

    #[test]
    fn every_bad_pattern_is_named() {
        let bad = PathRules::new(&["src/*{a", "../up", "ok", "/etc/passwd", ""]).unwrap_err();
        let names: Vec<&str> = bad.iter().map(|b| b.pattern.as_str()).collect();
        assert_eq!(names, ["src/*{a", "../up", "/etc/passwd", ""]);
    }

    #[test]
    fn r011_r039_the_engine_s_own_files_are_protected_from_everybody() {
        let session = Some("2026-11-15_login");
        for path in [
            "tollgate.toml",
            "agents/coder/SKILL.md",
            ".claude/agents/coder.md",
            ".github//agents/04-coder.md",
            ".github/agents",
            "lifecycle-stage.yaml",
            ".git/config",
            "sub/.git/hooks/x",
            ".GIT/config",
            ".agents-work/2026-11-14_other/spec.md",
            ".agents-work/x",
            "src/../tollgate.toml",
            "././tollgate.toml",
            ".//agents/coder/SKILL.md",
            "./././agents",
            "././.agents-work/2026-11-14_other/spec.md",
            "/etc/passwd",
        ] {
            assert!(is_protected(path, session), "{path}");
        }
        for path in [
            "src/agents/a.rs",
            ".github/workflows/ci.yml",
            "docs/.claude/agents/a.md",
            ".gitignore",
            ".agents-work/2026-11-15_login/spec.md",
            "a/tollgate.toml",
        ] {
            assert!(!is_protected(path, session), "{path}");
        }
        assert!(is_protected(".agents-work/2026-11-15_login/spec.md", None));
    }

    #[test]
    fn r117_every_spelling_of_dot_git_is_protected() {
        for path in [
            ".GiT/config",
            "a/git~1",
            "GIT~2/hooks",
            ".git.",
            ".git . .",
            ".g\u{200c}it",
            "\u{feff}.git/x",
            ".git::$INDEX_ALLOCATION/config",
            ".git:stream",
            "a\\.git\\config",
        ] {
            assert!(is_protected(path, None), "{path:?}");
        }
        for name in [".gitignore", ".github", "a.git", "..git", "git", "git~0", "git~10", ".gıt"] {
            assert!(!is_git_name(name), "{name}");
        }
    }
}
