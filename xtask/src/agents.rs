//! `cargo xtask agents`: installs the agent programs that the tests run, and renews the lock file that pins them.

use serde_json::Value;
use std::path::Path;
use std::process::Command;
use tollgate_programs::{ALL, WITHOUT_VARIABLE, installed, wanted};
use xtask::{Trouble, run};

pub fn run() -> Result<(), Trouble> {
    if !wanted()? {
        run::say(&format!("{WITHOUT_VARIABLE} is set: TESTS WITH REAL AGENT PROGRAMS ARE SKIPPED"));
        return Ok(());
    }
    let programs = installed()?;
    for program in &ALL {
        let words = programs.command_line(program).join(" ");
        run::say(&format!("{:<10}  {:<8}  {words}", program.name, program.version));
    }
    Ok(())
}

/// Installs them silently.
pub fn fetch() -> Result<(), Trouble> {
    if wanted()? {
        installed()?;
    }
    Ok(())
}

/// The versions of package.json and what they need, with the hash of each package and without
/// optional ones: those are for other platforms, or for pictures, sound and clipboards.
pub fn lock(root: &Path) -> Result<(), Trouble> {
    let folder = root.join("xtask/agents");
    let work = tempfile::tempdir()?;
    std::fs::copy(folder.join("package.json"), work.path().join("package.json"))?;
    run::must(
        Command::new("npm")
            .args(["install", "--package-lock-only", "--ignore-scripts", "--legacy-peer-deps"])
            .args(["--omit-lockfile-registry-resolved=true", "--engine-strict=false"])
            .args(["--no-audit", "--no-fund", "--loglevel=error"])
            .current_dir(work.path()),
    )?;
    let written = std::fs::read_to_string(work.path().join("package-lock.json"))?;
    std::fs::write(folder.join("package-lock.json"), trimmed(&written)?)?;
    Ok(())
}

fn trimmed(lock_file: &str) -> Result<String, Trouble> {
    let mut lock: Value = serde_json::from_str(lock_file)?;
    let packages =
        lock["packages"].as_object_mut().ok_or("npm wrote a lock file without packages")?;
    packages.retain(|_, package| package["optional"] != true);
    for (name, package) in packages.iter_mut() {
        if !name.is_empty() && package["integrity"].as_str().is_none() {
            return Err(format!("{name} has no integrity hash in npm's lock file").into());
        }
        for unused in [
            "optionalDependencies",
            "peerDependencies",
            "peerDependenciesMeta",
            "funding",
            "resolved",
        ] {
            package.as_object_mut().map(|fields| fields.remove(unused));
        }
    }
    Ok(format!("{}\n", serde_json::to_string_pretty(&lock)?))
}

#[cfg(test)]
mod tests {
    use super::trimmed;

    #[test]
    fn optional_packages_and_addresses_are_left_out() {
        let lock = r#"{"packages": {
            "": {"dependencies": {"a": "1.0.0"}},
            "a": {"version": "1.0.0", "integrity": "sha512-x", "resolved": "somewhere", "optionalDependencies": {"b": "1"}},
            "b": {"version": "1.0.0", "integrity": "sha512-y", "optional": true}
        }}"#;
        let text = trimmed(lock).expect("it is a lock file");
        assert!(text.contains("sha512-x"), "{text}");
        for gone in ["sha512-y", "somewhere", "optional"] {
            assert!(!text.contains(gone), "{gone} in {text}");
        }
    }

    #[test]
    fn a_package_without_a_hash_is_refused() {
        let lock = r#"{"packages": {"": {}, "a": {"version": "1.0.0"}}}"#;
        let words = trimmed(lock).expect_err("anybody could put anything there").to_string();
        assert!(words.contains('a') && words.contains("integrity"), "{words}");
    }
}
