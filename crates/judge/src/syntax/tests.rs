#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use proptest::prelude::*;

/// A good version and a broken one of the same file, the line of the fault, and a word of the message.
const PAIRS: &[(&str, &str, &str, u32, &str)] = &[
    ("a.json", "{\"a\": 1}", "{\"a\": 1,\n}", 2, "key must be a string"),
    ("a.jsonl", "{}\n\n[1]\n", "{}\n[1\n", 2, "EOF"),
    ("tsconfig.json", "{\n  // why\n  \"a\": [1,],\n}", "{\n  // why\n  \"a\": [1,\n}", 3, "JSON"),
    ("a.jsonc", "// only\n{\"a\": 'b'} // end", "{\"a\" 1}", 1, "JSON"),
    ("a.yaml", "a: !Ref b\n---\nc: [1, 2]\n", "a: b\nc: [1, 2\nd: e\n", 3, "YAML"),
    ("a.yml", "- {a: 1}\n- &x b\n- *x\n", "a: b: c\n", 1, "YAML"),
    ("a.toml", "[a]\nb = 1\n", "[a]\nb = \n", 2, "TOML"),
    ("a.xml", "<!DOCTYPE a SYSTEM \"a.dtd\">\n<a><b/></a>", "<a>\n<b>\n</a>", 3, "'b'"),
    (
        "App.csproj",
        "<Project Sdk=\"x\"><PropertyGroup/></Project>",
        "<Project><A></Project>",
        1,
        "XML",
    ),
    ("a.rs", "fn a() -> u8 { 1 }\n", "fn a() -> u8 {\n    1 +\n}\n", 2, "Rust"),
    ("a.py", "def a():\n    return f\"{1}\"\n", "def a(:\n    return 1\n", 1, "Python"),
    (
        "a.js",
        "export const a = () => <b c={{}}/>;\n",
        "export const a = () => {\n",
        1,
        "JavaScript",
    ),
    ("a.ts", "const a: Array<string> = <any>[];\n", "const a: = 1;\n", 1, "TypeScript"),
    (
        "a.tsx",
        "const A = (): X => <p>{a}</p>;\n",
        "const A = (): X => <p>{a</p>;\n",
        1,
        "TypeScript",
    ),
    ("a.go", "package a\n\nfunc A() {}\n", "package a\n\nfunc A( {}\n", 3, "Go"),
    (
        "A.java",
        "class A { int a() { return 1; } }\n",
        "class A { int a() { return 1 } }\n",
        1,
        "\";\" is missing",
    ),
    (
        "A.cs",
        "namespace A;\n#if DEBUG\npublic record B(int C);\n#endif\n",
        "namespace A;\nclass B { int C( { } }\n",
        2,
        "C#",
    ),
    (
        "a.php",
        "<p><?= $a ?></p>\n<?php function b(): ?int { return 1; }\n",
        "<?php\nfunction b( {\n",
        2,
        "PHP",
    ),
    ("a.rb", "def a = <<~B\n  c\nB\n", "def a\n  [1, 2\nend\n", 1, "Ruby"),
];

#[test]
fn r151_each_form_has_its_fault_named_with_line_and_words() {
    for (path, good, bad, line, word) in PAIRS {
        assert_eq!(broken_by(path, None, good.as_bytes()), None, "{path}");
        assert_eq!(broken_by(path, Some(b""), good.as_bytes()), None, "{path}");
        for before in [None, Some(good.as_bytes())] {
            let fault = broken_by(path, before, bad.as_bytes()).unwrap();
            assert_eq!(fault.line, *line, "{path}: {fault:?}");
            assert!(fault.what.contains(word), "{path}: {fault:?}");
        }
    }
}

#[test]
fn r151_what_was_broken_before_is_not_the_fault_of_this_change() {
    for (path, _, bad, ..) in PAIRS {
        let more = format!("{bad}\n");
        assert_eq!(broken_by(path, Some(bad.as_bytes()), more.as_bytes()), None, "{path}");
    }
}

#[test]
fn r151_templates_fixtures_and_unknown_forms_pass() {
    let bad = b"{ this is no file of any form (";
    for path in [
        "notes.txt",
        "a.kt",
        "Makefile",
        "crates/a/testdata/x.json",
        "tests/fixtures/a.rs",
        "chart/templates/a.yaml",
        "deploy.tmpl.yaml",
        "a.json.j2",
        "tests/invalid/a.py",
        "tests/broken_input.json",
        "{{name}}/a.py",
    ] {
        assert_eq!(broken_by(path, None, bad), None, "{path}");
        assert!(!is_judged(path), "{path}");
    }
    for (path, text) in [
        ("a.yaml", "a: {{ b }}\n{% if c %}\n"),
        ("a.json", "{\"a\": {{ b }} }"),
        ("a.py", "{% if a %}\nimport b\n{% endif %}\n"),
        ("a.py", "import {{ cookiecutter.name }}\n"),
        ("a.js", "const a = <%= b %>;\n"),
    ] {
        assert_eq!(broken_by(path, None, text.as_bytes()), None, "{path}");
    }
    let fault = broken_by("a.json", Some(b"{\"a\": \"{{b}}\"}"), b"{\"a\": \"{{b}}\"");
    assert!(fault.is_some(), "what parsed before is no template");
}

#[test]
fn r151_bytes_that_are_no_text_and_long_files_pass() {
    assert_eq!(broken_by("a.json", None, b"\xFF\xFE{"), None);
    assert_eq!(broken_by("a.json", None, "[".repeat(FILE_BYTES_MAX + 1).as_bytes()), None);
    assert_eq!(
        broken_by("a.json", None, b"\xEF\xBB\xBF{}"),
        None,
        "a mark at the beginning is allowed"
    );
}

#[test]
fn r151_a_long_file_of_anything_is_judged_and_comes_to_an_end() {
    let pieces = [
        "[",
        "{",
        "(",
        "<a>",
        "- ",
        "? ",
        "a: ",
        "{a: ",
        "\"",
        "'",
        "`${",
        "&a ",
        "*a ",
        "!a ",
        "<a b='c' d='e'>",
        "if ",
        "#",
        "/*",
        "[a]\n",
        "a.b.c.d=1\n",
        "\\",
        "f'{",
        "r#",
        "<A<",
        "\n ",
        "%",
    ];
    for (path, ..) in PAIRS {
        for piece in pieces {
            let bytes_max = if matches!(Form::of(path), Some(Form::Code(_) | Form::LooseJson)) {
                code::CODE_BYTES_MAX / 4
            } else {
                FILE_BYTES_MAX / 4
            };
            let text = piece.repeat(bytes_max / piece.len());
            let _ = broken_by(path, None, text.as_bytes());
        }
    }
}

proptest! {
    #[test]
    fn r151_no_bytes_break_the_parsers(index in 0..PAIRS.len(), cut in 0..80_usize, bytes in any::<Vec<u8>>()) {
        let (path, good, ..) = PAIRS[index];
        let cut = cut.min(good.len());
        let mixed = [&good.as_bytes()[..cut], &bytes, &good.as_bytes()[cut..]].concat();
        let _ = broken_by(path, Some(good.as_bytes()), &mixed);
        let _ = broken_by(path, None, &bytes);
    }
}
