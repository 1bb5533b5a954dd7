//! Time to the first output.

use super::{MeasuredRow, announce, ms};
use crate::bench::timing;
use crate::{Trouble, run};
use std::path::Path;
use std::process::Command;

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
