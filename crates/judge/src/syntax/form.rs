//! Which form a file has, by its name.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    /// One value in each line.
    JsonLines,
    /// JSON in which people leave comments and trailing commas.
    LooseJson,
    Yaml,
    Toml,
    Xml,
    Code(Language),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    /// TypeScript with markup.
    Tsx,
    Go,
    Java,
    CSharp,
    Php,
    Ruby,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Json | Self::JsonLines | Self::LooseJson => "JSON",
            Self::Yaml => "YAML",
            Self::Toml => "TOML",
            Self::Xml => "XML",
            Self::Code(Language::Rust) => "Rust",
            Self::Code(Language::Python) => "Python",
            Self::Code(Language::JavaScript) => "JavaScript",
            Self::Code(Language::TypeScript | Language::Tsx) => "TypeScript",
            Self::Code(Language::Go) => "Go",
            Self::Code(Language::Java) => "Java",
            Self::Code(Language::CSharp) => "C#",
            Self::Code(Language::Php) => "PHP",
            Self::Code(Language::Ruby) => "Ruby",
        })
    }
}

impl Form {
    pub(super) fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        if is_bad_on_purpose(path) || is_named_template(name) {
            return None;
        }
        let (stem, ending) = name.rsplit_once('.')?;
        Some(match ending {
            "json" if is_loose(path, name, stem) => Self::LooseJson,
            "jsonc" | "json5" | "code-workspace" => Self::LooseJson,
            "json" | "geojson" | "webmanifest" | "ipynb" => Self::Json,
            "jsonl" | "ndjson" => Self::JsonLines,
            "yaml" | "yml" => Self::Yaml,
            "toml" => Self::Toml,
            "xml" | "svg" | "xsd" | "csproj" | "fsproj" | "vbproj" | "props" | "targets"
            | "nuspec" | "resx" | "xaml" | "plist" => Self::Xml,
            "rs" => Self::Code(Language::Rust),
            "py" | "pyi" => Self::Code(Language::Python),
            "js" | "mjs" | "cjs" | "jsx" => Self::Code(Language::JavaScript),
            "ts" | "mts" | "cts" => Self::Code(Language::TypeScript),
            "tsx" => Self::Code(Language::Tsx),
            "go" => Self::Code(Language::Go),
            "java" => Self::Code(Language::Java),
            "cs" => Self::Code(Language::CSharp),
            "php" => Self::Code(Language::Php),
            "rb" | "rake" | "gemspec" => Self::Code(Language::Ruby),
            _ => return None,
        })
    }
}

/// Settings that their own tools read with comments in them.
fn is_loose(path: &str, name: &str, stem: &str) -> bool {
    const NAMES: &[&str] = &["tsconfig", "jsconfig", "tslint", "devcontainer", "api-extractor"];
    const FOLDERS: &[&str] = &[".vscode/", ".devcontainer/", ".zed/"];
    NAMES.iter().any(|known| stem == *known || stem.starts_with(&format!("{known}.")))
        || name.starts_with('.')
        || FOLDERS
            .iter()
            .any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")))
        || ["deno.json", "biome.json", "renovate.json", "turbo.json", "nx.json"].contains(&name)
}

/// Tests of parsers keep broken files.
fn is_bad_on_purpose(path: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "testdata",
        "test-data",
        "test_data",
        "fixtures",
        "__fixtures__",
        "fixture",
        "snapshots",
        "__snapshots__",
        "templates",
        "template",
        "corpus",
    ];
    const WORDS: &[&str] = &["invalid", "broken", "malformed", "corrupt", "syntax_error"];
    let path = path.to_ascii_lowercase();
    let is_template_path = path.contains("{{") || path.contains("{%");
    is_template_path
        || path.split('/').any(|part| FOLDERS.contains(&part))
        || WORDS.iter().any(|word| path.contains(word))
}

/// `deploy.tmpl.yaml` and its like.
fn is_named_template(name: &str) -> bool {
    const MARKS: &[&str] =
        &["tmpl", "tpl", "template", "j2", "jinja", "jinja2", "in", "mustache", "hbs"];
    name.split('.').skip(1).any(|part| MARKS.contains(&part.to_ascii_lowercase().as_str()))
}
