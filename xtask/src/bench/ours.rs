//! Our own rows: what is measured of Tollgate alone.

use super::table::Table;
use super::{repos, timing};
use crate::{Trouble, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Sizes of the repositories on which the git part of a dispatch is measured.
const REPOSITORY_FILES: [u32; 3] = [100, 10_000, 100_000];

/// One thing measured of Tollgate alone. A row is in the table when it can be measured, else not.
trait Ours {
    fn name(&self) -> String;
    fn aim(&self) -> &'static str;
    fn measure(&self) -> Result<String, Trouble>;
}

/// Measures and prints every row of ours.
pub fn alone(root: &Path) -> Result<(), Trouble> {
    let mut rows: Vec<Box<dyn Ours>> = vec![Box::new(Start { program: release(root)? })];
    rows.extend(REPOSITORY_FILES.map(|files| Box::new(GitFloor { files }) as Box<dyn Ours>));
    let mut table = Table::new(&["Tollgate alone", "measured", "aim"]);
    for row in rows {
        table.row(vec![row.name(), row.measure()?, row.aim().to_owned()]);
    }
    run::say(&format!("{}\n{}", timing::machine(), table.text()));
    Ok(())
}

fn release(root: &Path) -> Result<PathBuf, Trouble> {
    run::must(run::cargo(&["build", "--release", "--package", "tollgate"]).current_dir(root))?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join("release/tollgate"))
}

/// Time to the first output.
struct Start {
    program: PathBuf,
}

impl Ours for Start {
    fn name(&self) -> String {
        "tollgate --version".to_owned()
    }

    fn aim(&self) -> &'static str {
        "under 10 ms"
    }

    fn measure(&self) -> Result<String, Trouble> {
        let time = timing::median(50, || {
            let said = run::read(Command::new(&self.program).arg("--version"))?;
            if said.starts_with("tollgate") {
                Ok(())
            } else {
                Err(format!("tollgate --version said {said:?}").into())
            }
        })?;
        Ok(format!("{:.2} ms", time.as_secs_f64() * 1e3))
    }
}

/// What git itself takes to look at a tree once: no dispatch that asks git can cost less.
struct GitFloor {
    files: u32,
}

impl Ours for GitFloor {
    fn name(&self) -> String {
        format!("git status alone, {} files", self.files)
    }

    fn aim(&self) -> &'static str {
        "the floor of the git part of a dispatch"
    }

    fn measure(&self) -> Result<String, Trouble> {
        let repository = repos::with_files(self.files)?;
        let time = timing::median(9, || {
            run::read(repos::git(&repository).args(["status", "--porcelain"])).map(drop)
        })?;
        Ok(format!("{:.1} ms", time.as_secs_f64() * 1e3))
    }
}
