//! Pages as they were made a moment ago: many browsers that hear of the same event ask for the same page at once.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tollgate_desk::Stamp;

/// What no journal tells, such as who runs a session, is at most so old.
const LASTS: Duration = Duration::from_millis(300);
const PAGES_MAX: usize = 32;

#[derive(Debug, Default)]
pub struct Rendered(Mutex<BTreeMap<String, Page>>);

#[derive(Debug)]
struct Page {
    made: Instant,
    /// Of the journal that it tells of.
    stamp: Option<Stamp>,
    html: String,
}

impl Rendered {
    /// The page of this address, made at most once at a time for a journal that has not changed.
    pub fn page<E>(
        &self,
        address: &str,
        stamp: Option<Stamp>,
        make: impl FnOnce() -> Result<String, E>,
    ) -> Result<String, E> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|_, page| page.made.elapsed() < LASTS);
        if let Some(page) = pages.get(address).filter(|page| page.stamp == stamp) {
            return Ok(page.html.clone());
        }
        // What is written while it is made is in the next one.
        let html = make()?;
        if pages.len() < PAGES_MAX {
            let page = Page { made: Instant::now(), stamp, html: html.clone() };
            pages.insert(address.to_owned(), page);
        }
        Ok(html)
    }

    /// A person did something, and wants to see it.
    pub fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use super::Rendered;

    fn page(rendered: &Rendered, address: &str, html: &str) -> String {
        let made: Result<String, ()> = rendered.page(address, None, || Ok(html.to_owned()));
        made.expect("nothing fails")
    }

    #[test]
    fn a_page_is_made_once_until_somebody_does_something() {
        let rendered = Rendered::default();
        assert_eq!(page(&rendered, "/a", "one"), "one");
        assert_eq!(page(&rendered, "/a", "two"), "one");
        assert_eq!(page(&rendered, "/b", "two"), "two");
        rendered.forget();
        assert_eq!(page(&rendered, "/a", "three"), "three");
        let failed: Result<String, &str> = rendered.page("/c", None, || Err("no"));
        assert_eq!(failed, Err("no"));
    }
}
