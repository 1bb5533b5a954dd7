//! Time to the first output.

use super::{MeasuredRow, announce, ms};
use crate::timing;
use std::path::Path;
use std::process::Command;
use xtask::{Trouble, run};

const RUNS: usize = 50;

pub fn measure(program: &Path) -> Result<Vec<MeasuredRow>, Trouble> {
    announce("the start");
    let time = timing::median(RUNS, || {
        let said = run::read(Command::new(program).arg("--version"))?;
        if said.starts_with("tollgate") {
            Ok(())
        } else {
            Err(format!("tollgate --version said {said:?}").into())
        }
    })?;
    Ok(vec![MeasuredRow::new("tollgate --version", ms(time), RUNS).aim("under 10 ms")])
}
