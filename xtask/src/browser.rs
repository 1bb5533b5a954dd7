//! `cargo xtask browser`: installs the browser that the tests of the page use, and says where it is.

use tollgate_programs::chromium::{WITHOUT_VARIABLE, installed, wanted};
use xtask::{Trouble, run};

pub fn run() -> Result<(), Trouble> {
    if !wanted()? {
        run::say(&format!("{WITHOUT_VARIABLE} is set: TESTS IN A BROWSER ARE SKIPPED"));
        return Ok(());
    }
    let chromium = installed()?;
    run::say(&format!("{}, {}", chromium.browser.display(), chromium.driver.display()));
    Ok(())
}

/// Installs it silently.
pub fn fetch() -> Result<(), String> {
    if wanted()? {
        installed()?;
    }
    Ok(())
}
