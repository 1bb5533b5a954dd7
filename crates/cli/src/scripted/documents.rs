//! The least that is valid of every kind of document an action can ask for.

use super::start::Start;

/// One file for each output, and one in a folder.
pub(super) fn files_of(outputs: &[String], start: &Start) -> Vec<String> {
    let file = |output: &String| match output.strip_suffix('/') {
        None => output.clone(),
        Some(folder) => format!("{output}{}", name_in(folder, start)),
    };
    outputs.iter().map(file).collect()
}

fn name_in(folder: &str, start: &Start) -> String {
    let day = start.session.split('_').next().unwrap_or_default();
    match folder.rsplit('/').next().unwrap_or_default() {
        "features" => "F0001-first-feature.md".to_owned(),
        "stories" => "F0001-S0001-first-story.md".to_owned(),
        "personas" => "user.md".to_owned(),
        "screens" => "start.md".to_owned(),
        "api" => "openapi.yaml".to_owned(),
        "blog" => format!("{day}-what-was-done.md"),
        _ => format!("{}.md", start.role.to_lowercase()),
    }
}

pub(super) fn text_of(path: &str, outputs: &[String]) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_story = folder.ends_with("stories");
    match (folder.rsplit('/').next().unwrap_or_default(), name) {
        (_, "BLUEPRINT.md") => sections("Blueprint", BLUEPRINT),
        (_, "glossary.md") => sections("Glossary", GLOSSARY),
        (_, "SOLUTION-PATTERNS.md") => sections("Solution patterns", PATTERNS),
        ("features", _) => feature(outputs),
        (_, _) if is_story => sections("F0001-S0001 First story", STORY),
        ("personas", _) => sections("User", PERSONA),
        ("screens", _) => sections("Start", SCREEN),
        _ => by_extension(path, name),
    }
}

fn by_extension(path: &str, name: &str) -> String {
    let is_junit = name.contains("junit") || name.contains("test");
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "yaml" | "yml" if path.contains("/api/") => OPENAPI.to_owned(),
        "yaml" | "yml" => "summary: nothing to tell\n".to_owned(),
        "json" => "{\"summary\": \"nothing to tell\"}\n".to_owned(),
        "sarif" => "{\"version\": \"2.1.0\", \"runs\": []}\n".to_owned(),
        "info" | "lcov" => "SF:app.txt\nDA:1,1\nLF:1\nLH:1\nend_of_record\n".to_owned(),
        "xml" if is_junit => JUNIT.to_owned(),
        "xml" => COBERTURA.to_owned(),
        "md" | "markdown" => {
            let title = name.rsplit_once('.').map_or(name, |(stem, _)| stem).replace('-', " ");
            sections(&title, REPORT)
        }
        _ => PRODUCT.to_owned(),
    }
}

fn sections(title: &str, sections: &[(&str, &str)]) -> String {
    let parts = sections.iter().map(|(heading, text)| format!("\n## {heading}\n\n{text}\n"));
    format!("# {title}\n{}", parts.collect::<String>())
}

/// It names its story where the same step writes it.
fn feature(outputs: &[String]) -> String {
    let has_story = outputs.iter().any(|output| output.ends_with("stories/"));
    let stories = if has_story { "- F0001-S0001" } else { "It is one story by itself." };
    let parts = [
        ("Goal", "The app has one line more."),
        ("Scope", "That line, and nothing else."),
        ("Stories", stories),
    ];
    sections("F0001 First feature", &parts)
}

/// Code, tests and the files of a deployment are all one line to it.
pub(super) const PRODUCT: &str = "# one line\n";

const BLUEPRINT: &[(&str, &str)] = &[
    ("Vision", "An app of one line more."),
    ("Users", "- Whoever reads the app."),
    ("Core entities", "- Line"),
    ("Scope", "Lines, and nothing else."),
    ("Features", "The first is one more line."),
    ("Architecture", "Plain text files."),
    ("Open questions", "- None."),
];

const GLOSSARY: &[(&str, &str)] =
    &[("Terms", "- Line: what ends with a newline."), ("Blocked terms", "- none so far")];

const PATTERNS: &[(&str, &str)] = &[
    ("Structure", "One file a part."),
    ("Data", "Plain text."),
    ("Interfaces", "Files."),
    ("Errors", "They are told."),
    ("Security", "Nothing secret is kept."),
    ("Tests", "Beside the code."),
];

const STORY: &[(&str, &str)] = &[
    ("Story", "As a reader I want one line more, so that there is more to read."),
    ("Acceptance criteria", "- The app has one line more."),
];

const PERSONA: &[(&str, &str)] =
    &[("Who", "Somebody who reads."), ("Goals", "- To read more."), ("Needs", "- One line more.")];

const SCREEN: &[(&str, &str)] = &[
    ("Purpose", "Shows the lines."),
    ("Elements", "- The lines."),
    ("States", "- With lines, and without."),
];

const REPORT: &[(&str, &str)] = &[
    ("What was done", "The part that this step asks for."),
    ("What was found", "Nothing that stands in the way."),
];

const OPENAPI: &str = "openapi: 3.1.0
info:
  title: Lines
  version: 1.0.0
paths:
  /lines:
    get:
      responses:
        '200':
          description: All lines
";

const JUNIT: &str = "<testsuites tests=\"1\" failures=\"0\"><testsuite name=\"app\" tests=\"1\" failures=\"0\">\
                     <testcase classname=\"app\" name=\"has a line\"/></testsuite></testsuites>\n";

const COBERTURA: &str = "<coverage line-rate=\"1\" lines-covered=\"1\" lines-valid=\"1\"><packages><package name=\"app\">\
                         <classes><class name=\"app\" filename=\"app.txt\"><lines><line number=\"1\" hits=\"1\"/></lines>\
                         </class></classes></package></packages></coverage>\n";

#[cfg(test)]
mod tests {
    use super::*;
    use tollgate_contract::artefact::{self, RepositoryFiles};
    use tollgate_contract::{coverage, junit, sarif};

    struct Empty;

    impl RepositoryFiles for Empty {
        fn is_file(&self, _: &str) -> bool {
            false
        }

        fn read(&self, _: &str) -> Option<Vec<u8>> {
            None
        }

        fn files_below(&self, _: &str) -> Vec<String> {
            Vec::new()
        }
    }

    #[test]
    fn every_document_is_what_the_checks_ask_for() {
        let start = Start::sample(std::path::Path::new("."), "QA", "meta");
        let outputs: Vec<String> = [
            "planning-mds/BLUEPRINT.md",
            "planning-mds/domain/glossary.md",
            "planning-mds/architecture/SOLUTION-PATTERNS.md",
            "planning-mds/architecture/data-model.md",
            "planning-mds/features/",
            "planning-mds/stories/",
            "planning-mds/personas/",
            "planning-mds/screens/",
            "planning-mds/api/",
            "planning-mds/testing/defects.md",
            "docs/blog/",
            "notes.json",
        ]
        .map(str::to_owned)
        .to_vec();
        let files: Vec<(String, String)> = files_of(&outputs, &start)
            .into_iter()
            .map(|path| (path.clone(), text_of(&path, &outputs)))
            .collect();
        let read: Vec<(&str, &[u8])> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
        let report = artefact::check_outputs(&read, &Empty);
        assert!(report.is_ok(), "{report:#?}");
    }

    #[test]
    fn every_report_of_a_tool_is_one() {
        let text = |path: &str| text_of(path, &[]);
        assert!(coverage::read(&text("lcov.info"), "lcov.info", "/tree", &|_| true).is_ok());
        assert!(coverage::read(&text("coverage.xml"), "coverage.xml", "/tree", &|_| true).is_ok());
        assert!(junit::read(&text("junit.xml"), "junit.xml").is_ok());
        assert!(sarif::read(&text("scan.sarif"), "scan.sarif").is_ok());
    }
}
