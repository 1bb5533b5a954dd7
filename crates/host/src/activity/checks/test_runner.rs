//! How a file of tests is run: as the settings say, else by the runner that the project evidently uses.

use serde_json::Value;
use std::path::Path;
use tollgate_core::task::Check;
use tollgate_files as files;
use tollgate_judge::scope::is_plain;

/// Settings of a project that are longer are no settings.
const SETTINGS_BYTES_MAX: u64 = 1024 * 1024;

/// What the shell runs for a check: its own text, or for a test the command of its runner. A test that is not there fails;
/// one that nobody knows how to run ends like a command that does not exist.
pub(super) fn shell_command(configured: &[String], tree: &Path, command: &str) -> String {
    let Check::Test(path) = Check::from(command.to_owned()) else { return command.to_owned() };
    let path = path.strip_prefix("./").unwrap_or(&path);
    if !is_there(tree, path) {
        return ends_with(1, &format!("the test {path} does not exist"));
    }
    let argv = match configured.is_empty() {
        true => evident(tree, path),
        false => Some(filled(configured, path)),
    };
    match argv {
        Some(argv) => argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
        None => ends_with(
            127,
            &format!(
                "no test runner is known for {path}: set `test` below [check] in tollgate.toml"
            ),
        ),
    }
}

/// Whether a check is about something that the base does not have: a test, or a path that the command names.
pub(super) fn is_about_new_files(base: &Path, work: &Path, command: &str) -> bool {
    match Check::from(command.to_owned()) {
        Check::Test(path) => !is_there(base, path.strip_prefix("./").unwrap_or(&path)),
        Check::Command(command) => named_paths(&command)
            .any(|path| !is_there(base, path) && (path.contains('/') || is_there(work, path))),
        Check::Manual(_) => false,
    }
}

/// The words of a command that can be paths below the root of a tree.
fn named_paths(command: &str) -> impl Iterator<Item = &str> {
    let words = command.split(|c: char| c.is_whitespace() || "'\"();&|<>=".contains(c));
    let of_tree = |word: &&str| {
        !word.starts_with(['-', '/', '~']) && !word.contains(['*', '?', '[', '$', '`', '{', '\\'])
    };
    // `tests/a.py::test_b` names a test in a file.
    words
        .filter(of_tree)
        .map(|word| word.split_once("::").map_or(word, |(file, _)| file))
        .map(|word| word.strip_prefix("./").unwrap_or(word).trim_end_matches('/'))
        .filter(|word| !word.is_empty() && !word.contains(':') && !word.contains(".."))
}

fn is_there(tree: &Path, path: &str) -> bool {
    let is_entry = |open: std::fs::File| open.metadata().is_ok_and(|m| m.is_file() || m.is_dir());
    is_plain(path) && files::open_beneath(tree, path).is_ok_and(is_entry)
}

/// `{path}` stands for the test; without it the path comes last.
fn filled(configured: &[String], path: &str) -> Vec<String> {
    let mut argv: Vec<String> =
        configured.iter().map(|word| word.replace("{path}", path)).collect();
    if !configured.iter().any(|word| word.contains("{path}")) {
        argv.push(path.to_owned());
    }
    argv
}

fn ends_with(code: u8, words: &str) -> String {
    format!("printf '%s\\n' {} >&2; exit {code}", quoted(words))
}

/// As one word of the shell, whatever is in it.
fn quoted(word: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    match !word.is_empty() && word.chars().all(is_safe) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn evident(tree: &Path, path: &str) -> Option<Vec<String>> {
    // A path that begins with a dash must not pass for an option.
    let safe = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
    let (stem, ending) = name.rsplit_once('.')?;
    match ending {
        "sh" => Some(words(&["sh", &safe])),
        "bash" => Some(words(&["bash", &safe])),
        "bats" => Some(words(&["bats", &safe])),
        "py" => Some(words(&["python3", "-m", "pytest", &safe])),
        "go" => Some(words(&["go", "test", &format!("./{}", folder.trim_start_matches("./"))])),
        "rs" => cargo(tree, path, stem),
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => script(tree, &safe),
        "rb" if stem.ends_with("_spec") => Some(words(&["bundle", "exec", "rspec", &safe])),
        "rb" => Some(words(&["ruby", "-Ilib:test", &safe])),
        "php" => has(tree, "vendor/bin/phpunit").then(|| words(&["vendor/bin/phpunit", &safe])),
        "exs" => has(tree, "mix.exs").then(|| words(&["mix", "test", &safe])),
        "java" | "kt" => jvm(tree, stem),
        "cs" => Some(words(&["dotnet", "test", "--filter", stem])),
        _ => None,
    }
}

/// A test of its own below `tests` is run alone; with any other file its whole package.
fn cargo(tree: &Path, path: &str, stem: &str) -> Option<Vec<String>> {
    let manifest = above(tree, path, "Cargo.toml")?;
    let mut argv: Vec<String> =
        ["cargo", "test", "--manifest-path", &manifest].map(str::to_owned).to_vec();
    let package = manifest.trim_end_matches("Cargo.toml");
    let inside = path.strip_prefix(package).unwrap_or(path);
    if let Some(rest) = inside.strip_prefix("tests/") {
        let target = rest.strip_suffix("/main.rs").unwrap_or(stem);
        if rest.strip_suffix("/main.rs").is_some() || !rest.contains('/') {
            argv.extend(["--test".to_owned(), target.to_owned()]);
        }
    }
    Some(argv)
}

/// The runner that package.json names, or its script for tests.
fn script(tree: &Path, path: &str) -> Option<Vec<String>> {
    let manifest = above(tree, path, "package.json")?;
    let bytes = files::read_beneath(tree, &manifest, SETTINGS_BYTES_MAX).ok()?;
    let package: Value = serde_json::from_slice(&bytes).ok()?;
    let uses = |name: &str| {
        ["devDependencies", "dependencies"].iter().any(|list| !package[list][name].is_null())
    };
    let folder = manifest.trim_end_matches("package.json");
    let inside = path.strip_prefix(folder).unwrap_or(path);
    let runners: [(&str, &[&str]); 3] =
        [("vitest", &["vitest", "run"]), ("jest", &["jest"]), ("mocha", &["mocha"])];
    let known = runners.iter().find(|(name, _)| uses(name)).map(|(_, argv)| *argv);
    let argv: Vec<&str> = match known {
        Some(argv) => [&["npx", "--no-install"], argv, &[inside]].concat(),
        None if package["scripts"]["test"].is_string() => vec!["npm", "test", "--", inside],
        None => return None,
    };
    let argv: Vec<String> = argv.into_iter().map(str::to_owned).collect();
    match folder {
        "" => Some(argv),
        // The runner reads the settings of the folder that it is started in.
        folder => {
            let inner = argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
            let script = format!("cd {} && {inner}", quoted(folder));
            Some(["sh".to_owned(), "-c".to_owned(), script].to_vec())
        }
    }
}

fn jvm(tree: &Path, stem: &str) -> Option<Vec<String>> {
    let argv: [&str; 3] = match () {
        () if has(tree, "gradlew") => ["./gradlew", "test", "--tests"],
        () if has(tree, "build.gradle") || has(tree, "build.gradle.kts") => {
            ["gradle", "test", "--tests"]
        }
        () if has(tree, "mvnw") => return Some(maven("./mvnw", stem)),
        () if has(tree, "pom.xml") => return Some(maven("mvn", stem)),
        () => return None,
    };
    Some(argv.iter().map(|word| (*word).to_owned()).chain([format!("*{stem}")]).collect())
}

fn maven(program: &str, stem: &str) -> Vec<String> {
    [program, "-q", "test", &format!("-Dtest={stem}")].map(str::to_owned).to_vec()
}

fn has(tree: &Path, path: &str) -> bool {
    files::open_beneath(tree, path).is_ok()
}

/// The nearest file of this name in the folder of a path or above it, from the tree's root.
fn above(tree: &Path, path: &str, name: &str) -> Option<String> {
    let mut folder = path.strip_prefix("./").unwrap_or(path);
    loop {
        let parent = folder.rsplit_once('/').map(|(parent, _)| parent);
        let candidate = parent.map_or_else(|| name.to_owned(), |at| format!("{at}/{name}"));
        if has(tree, &candidate) {
            return Some(candidate);
        }
        folder = parent?;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::{is_about_new_files, shell_command};
    use std::fs;

    #[test]
    fn r128_a_check_is_about_new_files_when_it_names_a_path_that_the_base_lacks() {
        let (base, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for tree in [base.path(), work.path()] {
            fs::create_dir(tree.join("src")).unwrap();
            fs::write(tree.join("src/old.py"), "").unwrap();
        }
        fs::write(work.path().join("new.sh"), "").unwrap();
        for (command, is_new) in [
            ("npm test", false),
            ("python3 -m http.server", false),
            ("pytest src/old.py", false),
            ("pytest src/old.py::test_a --cov=src/", false),
            ("/usr/bin/env true", false),
            ("curl http://localhost/new", false),
            ("grep -q 'a*/b' src/old.py", false),
            ("pytest src/new.py::test_b", true),
            ("test -e ./made/by-work.txt && true", true),
            ("sh new.sh", true),
            ("test: src/new.py", true),
            ("test: src/old.py", false),
        ] {
            assert_eq!(is_about_new_files(base.path(), work.path(), command), is_new, "{command}");
        }
    }

    #[test]
    fn r160_a_test_is_run_by_the_runner_of_its_project() {
        let dir = tempfile::tempdir().unwrap();
        let tree = dir.path();
        let write = |path: &str, text: &str| {
            let path = tree.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("a/Cargo.toml", "");
        write("web/package.json", r#"{"devDependencies": {"vitest": "1"}}"#);
        write("package.json", r#"{"scripts": {"test": "node --test"}}"#);
        write("pom.xml", "");
        for (path, command) in [
            ("tests/x.sh", "sh tests/x.sh"),
            ("it's.sh", r"sh 'it'\''s.sh'"),
            ("-x.sh", "sh ./-x.sh"),
            ("t/test_a.py", "python3 -m pytest t/test_a.py"),
            ("pkg/a_test.go", "go test ./pkg"),
            ("a/tests/one.rs", "cargo test --manifest-path a/Cargo.toml --test one"),
            ("a/tests/two/main.rs", "cargo test --manifest-path a/Cargo.toml --test two"),
            ("a/src/lib.rs", "cargo test --manifest-path a/Cargo.toml"),
            ("web/src/a.test.ts", "sh -c 'cd web/ && npx --no-install vitest run src/a.test.ts'"),
            ("lib/a.test.js", "npm test -- lib/a.test.js"),
            ("src/test/FooTest.java", "mvn -q test -Dtest=FooTest"),
        ] {
            write(path, "");
            assert_eq!(shell_command(&[], tree, &format!("test: {path}")), command);
        }
        let own = ["run-it".to_owned(), "--file={path}".to_owned()];
        assert_eq!(shell_command(&own, tree, "test: tests/x.sh"), "run-it --file=tests/x.sh");
        assert_eq!(
            shell_command(&own[..1], tree, "Test: tests/x.sh passes"),
            "run-it tests/x.sh",
            "without a place for it the path comes last"
        );
        assert_eq!(shell_command(&[], tree, "make test: x y"), "make test: x y");
        let missing = shell_command(&[], tree, "test: gone.sh");
        assert!(missing.ends_with("exit 1") && missing.contains("does not exist"), "{missing}");
        assert!(shell_command(&[], tree, "test: ../x.sh").ends_with("exit 1"));
        write("x.unknown", "");
        let unknown = shell_command(&[], tree, "test: x.unknown");
        assert!(unknown.ends_with("exit 127") && unknown.contains("[check]"), "{unknown}");
    }
}
