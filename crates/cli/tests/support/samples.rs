//! Repositories of other people, kept as test data.

use super::{Repo, files_below};
use std::fs;
use std::path::Path;

impl Repo {
    /// Puts the files of a sample into the repository and commits them.
    pub fn take_sample(&self, name: &str) -> &Self {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name);
        for file in files_below(&sample) {
            let target = self.root().join(file.strip_prefix(&sample).unwrap());
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::copy(&file, target).unwrap();
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "sample"]);
        self
    }
}
