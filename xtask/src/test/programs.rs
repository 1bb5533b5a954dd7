//! Runs the test programs that cargo built, several at once: one alone leaves the cores idle while its last tests wait.

use super::Counts;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use xtask::{Trouble, run};

/// A test program, and the folder of its crate, in which cargo would run it.
#[derive(Debug, PartialEq, Eq)]
struct TestProgram {
    name: String,
    folder: PathBuf,
    path: PathBuf,
}

/// Every test waits for processes of its own most of the time.
const TESTS_AT_ONCE_PER_CORE: usize = 2;

/// The crate whose programs take longest. They start first, so that none of them runs alone at the end.
const SLOWEST: &str = "crates/cli";

/// Builds with each of these arguments and runs what came out of it.
pub fn run(root: &Path, builds: &[&[&str]], counts: &mut Counts) -> Result<(), Trouble> {
    let mut programs = Vec::new();
    for arguments in builds {
        programs.extend(built(root, arguments)?);
    }
    programs.sort_by_key(|program| !program.folder.ends_with(SLOWEST));
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let queue = Mutex::new(programs.iter());
    let ended = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().expect("no thread panics with it").next();
                    let Some(program) = next else { return };
                    let end = play(root, program, cores * TESTS_AT_ONCE_PER_CORE);
                    ended.lock().expect("no thread panics with it").push(end);
                }
            });
        }
    });
    let ended = ended.into_inner().expect("no thread panics with it");
    ended.iter().flat_map(|end| end.said.lines()).for_each(|line| counts.add(line));
    let failed: Vec<&str> =
        ended.iter().filter(|end| !end.passed).map(|end| end.name.as_str()).collect();
    match failed.as_slice() {
        [] => Ok(()),
        names => Err(format!("these test programs failed: {}", names.join(", ")).into()),
    }
}

struct Ended {
    name: String,
    passed: bool,
    said: String,
}

/// Says how it ended, in the words of cargo that other programs read, and all that it printed where it failed.
fn play(root: &Path, program: &TestProgram, threads: usize) -> Ended {
    let begin = Instant::now();
    let (passed, said) = match output_of(program, threads) {
        Ok(outcome) => outcome,
        Err(trouble) => (false, format!("could not run it: {trouble}\n")),
    };
    let folder = program.folder.strip_prefix(root).unwrap_or(&program.folder);
    let name = format!("{} {}", folder.display(), program.name);
    let text = if passed { "" } else { said.as_str() };
    run::say(&format!("{text}{}", summary(&name, passed, &said, begin.elapsed())));
    Ended { name, passed, said }
}

fn summary(name: &str, passed: bool, said: &str, took: Duration) -> String {
    let word = if passed { "ok" } else { "FAILED" };
    let mut counts = Counts::default();
    said.lines().for_each(|line| counts.add(line));
    let Counts { passed, failed, skipped } = counts;
    let seconds = took.as_secs_f64();
    format!(
        "{name}\ntest result: {word}. {passed} passed; {failed} failed; {skipped} ignored; 0 measured; 0 filtered out; \
         finished in {seconds:.2}s"
    )
}

/// Both streams go into one file, so that their lines stay in order.
fn output_of(program: &TestProgram, threads: usize) -> std::io::Result<(bool, String)> {
    let file = tempfile::NamedTempFile::new()?;
    let status = Command::new(&program.path)
        .arg(format!("--test-threads={threads}"))
        .arg("--quiet")
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .stdin(Stdio::null())
        .stdout(file.reopen()?)
        .stderr(file.reopen()?)
        .status()?;
    let mut said = String::from_utf8_lossy(&std::fs::read(file.path())?).into_owned();
    if !status.success() {
        said.push_str(&format!("{} ended with {status}\n", program.path.display()));
    }
    Ok((status.success(), said))
}

fn built(root: &Path, arguments: &[&str]) -> Result<Vec<TestProgram>, Trouble> {
    let build = ["test", "--no-run", "--quiet", "--message-format=json"];
    let said = run::read(run::cargo(&build).args(arguments).current_dir(root))?;
    said.lines().map(program_of).filter_map(Result::transpose).collect()
}

/// The program that a line of cargo's messages tells of, if it is one with tests.
fn program_of(line: &str) -> Result<Option<TestProgram>, Trouble> {
    let message: Value = serde_json::from_str(line)?;
    let (Some(path), true) = (message["executable"].as_str(), message["profile"]["test"] == true)
    else {
        return Ok(None);
    };
    let manifest = message["manifest_path"].as_str().map(Path::new);
    let folder = manifest.and_then(Path::parent).ok_or("cargo named no manifest of a program")?;
    let name = message["target"]["name"].as_str().ok_or("cargo named a program without a name")?;
    let (name, path) = (name.to_owned(), PathBuf::from(path));
    Ok(Some(TestProgram { name, folder: folder.to_owned(), path }))
}

#[cfg(test)]
mod tests {
    use super::{TestProgram, output_of, program_of, summary};
    use std::path::PathBuf;
    use std::time::Duration;

    #[test]
    fn a_program_with_tests_is_read_from_cargo_s_messages() {
        let line = r#"{"reason":"compiler-artifact","manifest_path":"/x/crates/a/Cargo.toml","target":{"name":"it"},
            "profile":{"test":true},"executable":"/x/target/it-1"}"#;
        let program = program_of(line).expect("a message").expect("a program");
        let wanted = TestProgram {
            name: "it".to_owned(),
            folder: PathBuf::from("/x/crates/a"),
            path: PathBuf::from("/x/target/it-1"),
        };
        assert_eq!(program, wanted);
        for other in [
            r#"{"reason":"build-finished","success":true}"#,
            r#"{"executable":"/x/target/tollgate","profile":{"test":false},"manifest_path":"/x/Cargo.toml"}"#,
            r#"{"executable":null,"profile":{"test":true}}"#,
        ] {
            assert_eq!(program_of(other).expect("a message"), None, "{other}");
        }
        assert!(program_of("not JSON").is_err());
    }

    #[test]
    fn a_program_that_fails_or_cannot_start_does_not_pass() {
        let program = |path: &str| TestProgram {
            name: "it".to_owned(),
            folder: PathBuf::from("/"),
            path: PathBuf::from(path),
        };
        assert!(output_of(&program("true"), 1).expect("it starts").0);
        let (passed, said) = output_of(&program("false"), 1).expect("it starts");
        assert!(!passed && said.contains("exit status: 1"), "{said}");
        assert!(output_of(&program("/there/is/none"), 1).is_err());
    }

    #[test]
    fn the_result_of_a_program_reads_as_cargo_s() {
        let said = "\nrunning 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        let line = summary("crates/a it", true, said, Duration::from_millis(1250));
        let result = "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.25s";
        assert_eq!(line, format!("crates/a it\n{result}"));
    }
}
