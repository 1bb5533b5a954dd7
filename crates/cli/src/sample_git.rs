//! Plain git in repositories that we have made ourselves: the person's identity and signing are not needed there.

use std::path::Path;
use std::process::Command;

/// What git says, or why it did not.
pub fn git(folder: &Path, args: &[&str]) -> Result<String, String> {
    let identity = [
        "-c",
        "user.name=Tollgate",
        "-c",
        "user.email=tollgate@localhost",
        "-c",
        "commit.gpgsign=false",
    ];
    let output = Command::new("git")
        .args(identity)
        .args(args)
        .current_dir(folder)
        .output()
        .map_err(|cause| format!("git could not be started: {cause}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("git {} failed: {}", args[0], String::from_utf8_lossy(&output.stderr).trim()))
}

/// Makes the folder a repository with everything in it as its first commit.
pub fn first_commit(folder: &Path, message: &str) -> Result<(), String> {
    git(folder, &["init", "--quiet", "--initial-branch=main"])?;
    git(folder, &["add", "--all"])?;
    git(folder, &["commit", "--quiet", "--message", message]).map(drop)
}
