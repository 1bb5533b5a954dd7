//! Whatever bytes a source file holds, the guard answers in time and never panics.

use crate::mutated::mutated;
use proptest::prelude::*;
use tollgate_judge::test_guard::{FileVersion, Steering, weakened};

const SOURCES: &[(&str, &str)] = &[
    (
        "tests/a.rs",
        "#[test]\n#[case(A { b: 'é' })]\npub(crate) async fn a<'a>() { let s = r#\"x\"#; assert_eq!(f(), \"é\"); /* x */ }\n",
    ),
    (
        "test_a.py",
        "@pytest.mark.x(\n  1,\n)\ndef test_a(é): assert f('''\nx''') == 1 or True\n\nclass TestB:\n    def test_b(self):\n        pass\n",
    ),
    (
        "a.test.ts",
        "describe.each`a${1}`('x', () => { it.only(\"é\", () => { expect(/['\"]/.test(`x`)).toBe(true); }); });\n",
    ),
    (
        "a_test.go",
        "//go:build ignore\nfunc (s *S) TestA(t *testing.T) { t.Skip(`é`); assert.True(t, true) }\n",
    ),
    (
        "A.java",
        "@Disabled @Test(enabled = false)\nvoid a() { assertTrue(true, \"é\"); }\n@Ignore class B { @Test void c() {} }\n",
    ),
    ("A.kt", "@Test\nfun `é b`() = runTest { x shouldBe 1 }\n"),
    (
        "A.cs",
        "[Fact(Skip = @\"é\")]\npublic void A() { Assert.True(true); }\n[Ignore] class B { [Test] void C() {} }\n",
    ),
    (
        "a_spec.rb",
        "=begin\nx\n=end\nxdescribe 'é' do\n  it { is_expected.to eq 1 }\n  it \"x\" do |e|\n    skip 'y'\n  end\nend\ndef test_é\nend\n",
    ),
    ("ATest.php", "<?php /** @test */ #[Test]\nfunction a() { $this->assertTrue(true); } # é\n"),
    ("a.bats", "@test \"é\" {\n  [ \"$a\" = 'b' ] # c\n}\n"),
    ("test_a.sh", "#!/bin/sh\nexit 0\nexpect 'é' \"$#\"\n"),
    ("package.json", "{\"scripts\": {\"test\": \"é\"}, \"jest\": {}}"),
    ("Makefile", "test é: build\n\trun\n.PHONY: test\n"),
    ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"é\" # x\n[[tool.coverage]]\n"),
    ("vite.config.ts", "export default { test: { é: [1] } }"),
    ("jest.config.js", "module.exports = { a: 'é' } // b"),
    ("phpunit.xml", "<a><!-- é --></a>"),
    ("pom.xml", "<minimum>é</minimum>"),
];

/// Every script that a command names is there, with a text that calls others.
fn steering(commands: &[String]) -> Steering {
    let text = "set -e\n. lib.sh\nmake -C a test\nnpm run x\n".to_owned();
    Steering::find(commands, |paths| Ok::<_, ()>(vec![Some(text.clone()); paths.len()])).unwrap()
}

fn guard_everything(text: &str) {
    let checks = ["cd a && make test".to_owned(), text.chars().take(40).collect()];
    for (path, good) in SOURCES {
        let change = |before, after| FileVersion { path, before, after, old_path: None };
        weakened(&[change(Some(good), Some(text))], &steering(&checks));
        weakened(&[change(Some(text), Some(good)), change(Some(text), None)], &steering(&checks));
        assert_eq!(weakened(&[change(Some(text), Some(text))], &steering(&checks)), []);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        guard_everything(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn arbitrary_text_is_answered(text in "\\PC{0,200}") {
        guard_everything(&text);
    }

    #[test]
    fn r108_mutated_sources_are_answered(
        which in 0..SOURCES.len(),
        edits in proptest::collection::vec((any::<usize>(), any::<usize>(), any::<u8>()), 1..8),
    ) {
        let (path, text) = SOURCES[which];
        let bytes = mutated(text, &edits);
        let other = String::from_utf8_lossy(&bytes);
        let change = FileVersion { path, before: Some(text), after: Some(&other), old_path: None };
        weakened(&[change], &steering(&[]));
        let back = FileVersion { path, before: Some(&other), after: Some(text), old_path: None };
        weakened(&[back], &steering(&[]));
        let same = FileVersion { path, before: Some(&other), after: Some(&other), old_path: None };
        prop_assert_eq!(weakened(&[same], &steering(&[])), []);
    }
}

#[test]
fn r108_sources_made_to_be_slow_are_answered() {
    let pieces = [
        "it(",
        "#[test] fn a",
        "@Test void a",
        "[Fact] void A(",
        "it 'a' do\n",
        "def test_a(",
        "func TestA(",
        "{",
        "\"",
        "`",
        "/*",
        "@test x\n",
        "describe.skip(\n",
    ];
    for piece in pieces {
        let text = piece.repeat(12_000 / piece.len());
        for (path, good) in SOURCES {
            let change =
                FileVersion { path, before: Some(good), after: Some(&text), old_path: None };
            weakened(&[change], &steering(&[]));
        }
    }
}
