//! The kernel refuses what a run may not write, whatever way it tries, and lets ordinary work be done.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::print_stderr, reason = "what is not tested here is said aloud")]

use crate::process_support;

use process_support::{World, wait_for, with_each_isolation};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use tollgate_process::{
    Attached, RunEnd, RunSpec, Sandbox, SandboxLevel, Waited, probe_sandbox, sandbox_of, spec_of,
};

/// A story for machines that can hold a run. Elsewhere it says so and sees that nobody claims otherwise.
fn where_it_is_enforced(story: impl Fn(&World)) {
    let level = SandboxLevel::of_this_machine();
    if level == SandboxLevel::Full {
        return with_each_isolation(|world| {
            lay_out(world);
            story(world);
        });
    }
    eprintln!("NOT TESTED: this kernel enforces no whole sandbox ({})", level.as_str());
    with_each_isolation(|world| {
        let spec = held(world, "true", &[]);
        assert_eq!(world.end(&spec), RunEnd::Exited { code: 0 });
        assert_eq!(sandbox_of(&world.run_dir()).unwrap(), Some(level));
        assert_eq!(probe_sandbox().unwrap().level, level);
    });
}

/// Beside the folder that can be written stands what must stay as it is.
fn lay_out(world: &World) {
    let precious = precious(world);
    fs::create_dir_all(precious.join("folder")).unwrap();
    fs::write(precious.join("file"), "precious").unwrap();
    fs::write(world.work().join("own"), "own").unwrap();
    symlink(precious.join("file"), world.work().join("link")).unwrap();
    symlink(&precious, world.work().join("way_out")).unwrap();
}

fn precious(world: &World) -> PathBuf {
    world.work().with_file_name("precious")
}

/// A script that may write its working directory, devices and what is named.
fn held(world: &World, script: &str, more: &[&Path]) -> RunSpec {
    let mut spec = world.script(script);
    spec.env.insert("PRECIOUS".to_owned(), precious(world).display().to_string());
    let devices = ["/dev/null", "/dev/tty"].map(PathBuf::from);
    let more = more.iter().map(|path| path.canonicalize().unwrap());
    let writable = more.chain([world.work().canonicalize().unwrap()]).chain(devices).collect();
    spec.sandbox = Some(Sandbox { writable, ..Sandbox::default() });
    spec
}

/// Every name and content in the precious folder.
fn state(world: &World) -> Vec<(PathBuf, Option<String>)> {
    let mut found: Vec<_> = fs::read_dir(precious(world))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read_to_string(&path).ok()))
        .collect();
    found.sort();
    found
}

/// Each fails with the words of EACCES; renames and links out of the tree may be told as EXDEV.
const ATTEMPTS: [&str; 17] = [
    "echo x > $PRECIOUS/new",
    "echo x > $PRECIOUS/file",
    "echo x >> $PRECIOUS/file",
    "echo x > link",
    "echo x > way_out/new",
    "rm $PRECIOUS/file",
    "rmdir $PRECIOUS/folder",
    "mkdir $PRECIOUS/sub",
    "ln -s own $PRECIOUS/sym",
    "mkfifo $PRECIOUS/fifo",
    "ln own $PRECIOUS/hard",
    "ln $PRECIOUS/file hard && echo x > hard",
    "mv -n own $PRECIOUS/moved",
    "mv $PRECIOUS/file $PRECIOUS/renamed",
    "mv $PRECIOUS/file taken",
    "truncate -s 0 $PRECIOUS/file",
    "setsid -w sh -c '(echo x > $PRECIOUS/new)'",
];

#[test]
fn r104_no_way_of_writing_leads_out_of_the_places_that_are_open() {
    where_it_is_enforced(|world| {
        let before = state(world);
        let tries: String = ATTEMPTS
            .iter()
            .map(|attempt| {
                let quoted = attempt.replace('\'', "'\\''");
                format!("if ({attempt}) 2>errors; then echo 'went through: {quoted}'; fi\ncat errors >>all\n")
            })
            .collect();
        let spec = held(world, &tries, &[]);
        assert_eq!(world.end(&spec), RunEnd::Exited { code: 0 });
        assert_eq!(world.log("stdout.log"), "");
        assert_eq!(state(world), before);
        let errors = world.work_file("all");
        for line in errors.lines() {
            let is_told = ["Permission denied", "cross-device"].iter().any(|w| line.contains(w));
            assert!(is_told, "{line}");
        }
        assert!(errors.lines().count() >= ATTEMPTS.len(), "{errors}");
        assert_eq!(sandbox_of(&world.run_dir()).unwrap(), Some(SandboxLevel::Full));
    });
}

/// What the test above would see if nothing held the run: it can fail.
#[test]
fn without_a_sandbox_every_way_leads_out() {
    with_each_isolation(|world| {
        lay_out(world);
        let mut spec = held(world, "echo x > $PRECIOUS/new && echo y > link", &[]);
        spec.sandbox = None;
        assert_eq!(world.end(&spec), RunEnd::Exited { code: 0 });
        assert_eq!(fs::read_to_string(precious(world).join("file")).unwrap(), "y\n");
        assert_eq!(sandbox_of(&world.run_dir()).unwrap(), None);
    });
}

#[test]
fn r104_a_grandchild_that_left_its_session_is_held_too() {
    where_it_is_enforced(|world| {
        let script = "(setsid sh -c '(echo x > $PRECIOUS/new; echo $? > tried) &' &); \
                      until [ -s tried ]; do sleep 0.01; done";
        assert_eq!(world.end(&held(world, script, &[])), RunEnd::Exited { code: 0 });
        assert_ne!(world.work_file("tried").trim(), "0");
        assert!(!precious(world).join("new").exists());
    });
}

#[test]
fn work_in_the_open_places_continues() {
    where_it_is_enforced(|world| {
        let script = "set -e; mkdir -p a/b; echo x > a/f; mv a/f a/b/f; ln a/b/f hard; ln -s hard sym; \
                      mkfifo pipe; echo y > sym; rm a/b/f; rm -r a; echo ok > /dev/null; cat $PRECIOUS/file; \
                      echo z >> $PRECIOUS/folder/log; echo 500 > /proc/self/oom_score_adj";
        let open = precious(world).join("folder");
        let spec = held(world, script, &[&open, Path::new("/proc")]);
        assert_eq!(world.end(&spec), RunEnd::Exited { code: 0 });
        assert_eq!(world.log("stdout.log"), "precious");
        assert_eq!(fs::read_to_string(open.join("log")).unwrap(), "z\n");
    });
}

#[test]
fn a_run_has_a_temporary_folder_of_its_own_that_goes_with_it() {
    where_it_is_enforced(|world| {
        let script = "set -e; echo $TMPDIR; stat -c %a $TMPDIR; mktemp > /dev/null; \
                      cd $TMPDIR; mkdir -p deep/er; echo x > deep/er/file";
        assert_eq!(world.end(&held(world, script, &[])), RunEnd::Exited { code: 0 });
        let said = world.log("stdout.log");
        let (folder, mode) = said.trim().split_once('\n').unwrap();
        assert_eq!(mode, "700");
        assert!(folder.contains("tollgate-"), "{folder}");
        assert!(!Path::new(folder).exists());
    });
}

#[test]
fn what_a_killed_supervisor_left_in_it_goes_with_the_next_look() {
    with_each_isolation(|world| {
        lay_out(world);
        let run = world.start(&held(
            world,
            "echo $TMPDIR > temp.new; mv temp.new temp; exec MARKED",
            &[],
        ));
        world.wait_for_work_file("temp");
        let temp = PathBuf::from(world.work_file("temp").trim());
        assert!(temp.is_dir());
        let supervisor = Pid::from_raw(world.supervisor_pid()).unwrap();
        kill_process(supervisor, Signal::KILL).unwrap();
        assert!(matches!(run.wait().unwrap(), Waited::Lost));
        assert!(matches!(world.attach(), Attached::Lost));
        assert!(!temp.exists());
        wait_for("the end of the tree", || !world.marked_process_lives());
    });
}

#[test]
fn a_link_that_took_the_place_of_an_open_folder_opens_nothing() {
    where_it_is_enforced(|world| {
        let mut spec = held(world, "echo x > $PRECIOUS/new", &[]);
        let writable = &mut spec.sandbox.as_mut().unwrap().writable;
        writable.push(world.work().canonicalize().unwrap().join("way_out"));
        writable.push(PathBuf::from("/nowhere/at/all"));
        assert!(matches!(world.end(&spec), RunEnd::Exited { code: 1 | 2 }));
        assert!(!precious(world).join("new").exists());
    });
}

/// Programs of people, in the places that a session opens; one that is not installed is passed over aloud.
#[test]
fn git_python_node_and_cargo_work_in_a_sandbox() {
    const STORIES: [(&str, &str); 4] = [
        (
            "git",
            "git init -q repo && cd repo && echo x > f && git add f && \
             git -c user.name=A -c user.email=a@localhost commit -qm one && git gc -q && git mv f g && git stash -q",
        ),
        (
            "python3",
            "python3 -c 'import tempfile, subprocess, multiprocessing as m, json; t = tempfile.NamedTemporaryFile(); \
             t.write(b\"x\"); q = m.Queue(); q.put(1); assert q.get() == 1; open(\"py\", \"w\").write(\"x\"); \
             subprocess.run([\"true\"], stdout=subprocess.DEVNULL, check=True)'",
        ),
        (
            "node",
            "node -e 'const fs = require(\"fs\"), os = require(\"os\"), p = require(\"path\"); \
             const d = fs.mkdtempSync(p.join(os.tmpdir(), \"x\")); fs.writeFileSync(p.join(d, \"f\"), \"x\"); \
             fs.renameSync(p.join(d, \"f\"), \"js\"); require(\"child_process\").execSync(\"true\", {stdio: \"ignore\"}); \
             require(\"net\").createServer().listen(p.join(d, \"s\"), function () { this.close() })'",
        ),
        (
            "cargo",
            "mkdir -p tiny/src && cd tiny && printf '[package]\\nname=\"tiny\"\\nedition=\"2021\"\\n[workspace]\\n' > Cargo.toml && \
             echo 'fn main() {}' > src/main.rs && cargo build -q --offline && ./target/debug/tiny",
        ),
    ];
    where_it_is_enforced(|world| {
        for (index, (program, script)) in STORIES.iter().enumerate() {
            if !Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success()) {
                eprintln!("NOT TESTED: {program} is not installed");
                continue;
            }
            // Each in a world of its own: a run folder serves once.
            let world = World::new(world.isolation);
            let spec = held(&world, script, &[Path::new("/dev/shm")]);
            let end = world.end(&spec);
            let said = world.log("stderr.log");
            assert_eq!(end, RunEnd::Exited { code: 0 }, "{index} {program}: {said}");
        }
    });
}

#[test]
fn a_sandbox_that_is_required_and_not_there_starts_nothing() {
    with_each_isolation(|world| {
        let mut spec = held(world, "touch ran", &[]);
        spec.sandbox.as_mut().unwrap().required = true;
        let end = world.end(&spec);
        match SandboxLevel::of_this_machine() {
            SandboxLevel::Full => assert_eq!(end, RunEnd::Exited { code: 0 }),
            _ => {
                let RunEnd::CouldNotStart { cause, .. } = end else { panic!("{end:?}") };
                assert!(cause.contains("required"), "{cause}");
                assert!(!world.work().join("ran").exists());
            }
        }
    });
}

#[test]
fn a_run_of_an_earlier_build_reads_without_a_sandbox() {
    let folder = tempfile::tempdir().unwrap();
    let earlier = r#"{"argv": ["true"], "cwd": "/", "timeout_ms": 1, "output_bytes_max": 1}"#;
    fs::write(folder.path().join("run.json"), earlier).unwrap();
    fs::write(folder.path().join("started"), r#"{"pid": 1, "start_time": 1}"#).unwrap();
    assert_eq!(spec_of(folder.path()).unwrap().unwrap().sandbox, None);
    assert_eq!(sandbox_of(folder.path()).unwrap(), None);
}

#[test]
fn the_trial_restricts_no_process_and_is_accurate() {
    let probe = probe_sandbox().unwrap();
    assert_eq!(probe.level == SandboxLevel::None, probe.why_none.is_some(), "{probe:?}");
    assert_eq!(probe.level == SandboxLevel::None, probe.abi.is_none(), "{probe:?}");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x"), "x").unwrap();
}
