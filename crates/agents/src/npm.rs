//! Programs that npm installs: behind the script on `PATH` lies a binary in a package of its own for each platform.

use std::path::{Path, PathBuf};

/// npm's name of this platform, and the target triple of static binaries for it.
pub fn target() -> Option<(&'static str, &'static str)> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some(("linux-x64", "x86_64-unknown-linux-musl")),
        ("linux", "aarch64") => Some(("linux-arm64", "aarch64-unknown-linux-musl")),
        ("macos", "x86_64") => Some(("darwin-x64", "x86_64-apple-darwin")),
        ("macos", "aarch64") => Some(("darwin-arm64", "aarch64-apple-darwin")),
        _ => None,
    }
}

/// The file of a package, looked for as Node would from where the found script really lies.
pub fn native(found: &Path, package: &str, file: &str) -> Option<PathBuf> {
    let script = found.canonicalize().ok()?;
    let is_script = script.components().any(|part| part.as_os_str() == "node_modules");
    let places = script.ancestors().map(|folder| folder.join("node_modules").join(package));
    places.map(|place| place.join(file)).find(|path| is_script && path.is_file())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_binary_of_the_platform_is_found_through_the_link_that_npm_makes() {
        let root = tempfile::tempdir().unwrap();
        let modules = root.path().canonicalize().unwrap().join("lib/node_modules");
        let script = modules.join("@a/tool/bin/tool.js");
        let binary = modules.join("@a/tool-linux-x64/vendor/tool");
        for file in [&script, &binary] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let link = root.path().join("tool");
        symlink(&script, &link).unwrap();
        assert_eq!(native(&link, "@a/tool-linux-x64", "vendor/tool"), Some(binary));
        assert_eq!(native(&link, "@a/tool-linux-arm64", "vendor/tool"), None);
    }

    #[test]
    fn a_program_that_npm_did_not_install_stays_what_it_is() {
        let root = tempfile::tempdir().unwrap();
        let binary = root.path().join("node_modules/@a/tool-linux-x64/tool");
        fs::create_dir_all(binary.parent().unwrap()).unwrap();
        fs::write(&binary, "").unwrap();
        let other = root.path().join("tool");
        fs::write(&other, "").unwrap();
        assert_eq!(native(&other, "@a/tool-linux-x64", "tool"), None);
    }
}
