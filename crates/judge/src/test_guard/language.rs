//! Which language a path is written in, and whether a test runner would look there.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    Python,
    JavaScript,
    Go,
    Java,
    Kotlin,
    CSharp,
    Ruby,
    Php,
    Bats,
    Shell,
}

impl Language {
    pub(super) fn of(path: &str) -> Option<Self> {
        let (_, ending) = file_name(path).rsplit_once('.')?;
        Some(match ending {
            "rs" => Self::Rust,
            "py" => Self::Python,
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => Self::JavaScript,
            "go" => Self::Go,
            "java" | "groovy" => Self::Java,
            "kt" | "kts" => Self::Kotlin,
            "cs" => Self::CSharp,
            "rb" => Self::Ruby,
            "php" => Self::Php,
            "bats" => Self::Bats,
            "sh" | "bash" => Self::Shell,
            _ => return None,
        })
    }

    pub(super) fn has_braces(self) -> bool {
        !matches!(self, Self::Python | Self::Ruby)
    }

    /// Attributes tell tests in these; in the others a runner goes by the path.
    fn marks_tests(self) -> bool {
        matches!(self, Self::Rust | Self::Java | Self::Kotlin | Self::CSharp | Self::Bats)
    }
}

/// The language of a file in which a runner would find tests.
pub(super) fn of_tests(path: &str) -> Option<Language> {
    let language = Language::of(path)?;
    (language.marks_tests() || is_looked_at(path, language)).then_some(language)
}

fn is_looked_at(path: &str, language: Language) -> bool {
    let name = file_name(path);
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    match language {
        Language::Python => {
            stem.starts_with("test") || stem.ends_with("_test") || stem.ends_with("_tests")
        }
        Language::Go => is_go_test(path),
        Language::JavaScript => {
            [".test.", ".spec.", "-test.", "_test.", ".cy.", ".e2e."]
                .iter()
                .any(|mark| name.contains(mark))
                || stem == "test"
                || is_below(path, &["__tests__", "test", "tests", "spec", "e2e"])
        }
        Language::Ruby => {
            stem.ends_with("_spec") || stem.ends_with("_test") || stem.starts_with("test_")
        }
        Language::Php => stem.ends_with("Test") || is_below(path, &["tests", "test"]),
        Language::Shell => {
            stem.starts_with("test_")
                || stem.starts_with("test-")
                || stem.ends_with("_test")
                || stem.ends_with("-test")
        }
        _ => true,
    }
}

/// The go tool passes by other systems' files, and what begins with a dot or an underscore.
fn is_go_test(path: &str) -> bool {
    const OTHERS: &[&str] = &[
        "windows",
        "darwin",
        "plan9",
        "solaris",
        "js",
        "wasm",
        "android",
        "ios",
        "freebsd",
        "openbsd",
        "netbsd",
        "dragonfly",
        "aix",
        "illumos",
        "arm",
        "mips",
        "ppc64",
        "s390x",
        "386",
        "riscv64",
        "wasip1",
        "zos",
        "hurd",
    ];
    let Some(stem) = file_name(path).strip_suffix("_test.go") else { return false };
    let system = stem.rsplit('_').next().unwrap_or_default();
    let is_hidden = |step: &str| step.starts_with(['_', '.']) || step == "testdata";
    let is_foreign = stem.contains('_') && OTHERS.contains(&system);
    !path.split('/').any(is_hidden) && !is_foreign
}

/// By the usual settings of the usual runners.
pub(super) fn is_named_as_test(path: &str) -> bool {
    let name = file_name(path);
    let Some((stem, _)) = name.rsplit_once('.') else { return false };
    match Language::of(path) {
        Some(Language::Python) => stem.starts_with("test") || stem.ends_with("_test"),
        Some(Language::JavaScript) => {
            stem.ends_with(".test") || stem.ends_with(".spec") || is_below(path, &["__tests__"])
        }
        Some(Language::Java | Language::Kotlin) => {
            ["Test", "Tests", "TestCase", "IT"].iter().any(|end| stem.ends_with(end))
                || stem.starts_with("Test")
        }
        // Cargo takes the files right below `tests`, and a folder with a main.rs there.
        Some(Language::Rust) => {
            let folders: Vec<&str> = path.split('/').rev().skip(1).collect();
            folders.first() == Some(&"tests")
                || (folders.get(1) == Some(&"tests") && name == "main.rs")
        }
        Some(Language::Php) => stem.ends_with("Test"),
        Some(Language::Ruby) => {
            stem.ends_with("_spec") || stem.ends_with("_test") || stem.starts_with("test_")
        }
        _ => false,
    }
}

/// Output that a test compares with, kept beside it.
pub(super) fn is_snapshot(path: &str) -> bool {
    path.ends_with(".snap") || is_below(path, &["__snapshots__", "snapshots"])
}

/// What tests stand on: helpers, set-up and fakes in a folder of tests.
pub(super) fn is_support(path: &str) -> bool {
    const FOLDERS: &[&str] =
        &["test", "tests", "spec", "specs", "__tests__", "testing", "e2e", "support"];
    let name = file_name(path).to_ascii_lowercase();
    is_below(path, FOLDERS)
        || name.contains("setup")
        || name.contains("test")
        || name.contains("spec")
}

pub(super) fn is_below(path: &str, folders: &[&str]) -> bool {
    let mut steps = path.split('/');
    steps.next_back();
    steps.any(|step| folders.contains(&step))
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
