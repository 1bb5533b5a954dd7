//! The documents that a work item may refer to: files of the session, and of the commit that the work starts from.

use super::ActivityError;
use super::order::Site;
use super::session_files::Written;
use std::cell::RefCell;
use tollgate_contract::agent_input::SpecSection;
use tollgate_contract::work_item::{self, WorkItem};
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_files as files;
use tollgate_files::layout::session_path;
use tollgate_judge::scope::is_plain;

/// A Reviewer is given so much of the specification at once; for more it opens the document.
const SECTION_BYTES_MAX: usize = 16 * 1024;
const SECTIONS_BYTES_MAX: usize = 64 * 1024;

/// The sections of the specification that the work items under review refer to, each once.
pub fn spec_sections(at: &Site<'_>) -> Result<Vec<SpecSection>, ActivityError> {
    let documents = Documents::of(at, &[]);
    let mut found: Vec<SpecSection> = Vec::new();
    let mut room = SECTIONS_BYTES_MAX;
    for path in &at.order.brief.referred_items {
        let text = documents.text(path);
        let item = text.and_then(|text| work_item::read(&text, path).0);
        let Some(reference) = item.as_ref().and_then(WorkItem::as_task).map(|t| &t.spec_reference)
        else {
            continue;
        };
        for spec in &reference.specs {
            let Some(text) = documents.text(&spec.text) else { continue };
            for names in &reference.sections {
                for section in work_item::sections_of(&names.text, &text) {
                    let text = cut(section, SECTION_BYTES_MAX.min(room));
                    let section = SpecSection { spec: spec.text.clone(), text };
                    if room > 0 && !found.contains(&section) {
                        room = room.saturating_sub(section.text.len());
                        found.push(section);
                    }
                }
            }
        }
    }
    documents.finish()?;
    Ok(found)
}

fn cut(text: &str, bytes_max: usize) -> String {
    let is_whole = text.len() <= bytes_max;
    let end = (0..=bytes_max.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    let kept = &text[..end.unwrap_or(0)];
    if is_whole { kept.to_owned() } else { format!("{kept}\n(The rest is in the document.)") }
}

/// What the agent changed in its tree does not count: it could write what it quotes.
#[derive(Debug)]
pub struct Documents<'a> {
    at: &'a Site<'a>,
    written: &'a [Written],
    trouble: RefCell<Option<ActivityError>>,
}

impl<'a> Documents<'a> {
    /// `written` are session files of this attempt; they count before those on record.
    pub fn of(at: &'a Site<'a>, written: &'a [Written]) -> Self {
        Self { at, written, trouble: RefCell::new(None) }
    }

    /// The text of a file by its path from the repository's root, or from the session's folder.
    pub fn text(&self, path: &str) -> Option<String> {
        let path = path.strip_prefix("./").unwrap_or(path);
        if !is_plain(path) {
            return None;
        }
        let folder = format!("{}/", session_path(&self.at.order.session));
        let own = self.session_file(path.strip_prefix(&folder).unwrap_or(path));
        let bytes = own.or_else(|| self.committed(path))?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What went wrong while looking; without it, what was not found is not there.
    pub fn finish(self) -> Result<(), ActivityError> {
        self.trouble.into_inner().map_or(Ok(()), Err)
    }

    fn session_file(&self, path: &str) -> Option<Vec<u8>> {
        if let Some(file) = self.written.iter().find(|file| file.path == path) {
            return Some(file.bytes.clone());
        }
        if !self.at.order.about.artefacts.iter().any(|known| known == path) {
            return None;
        }
        let record = self.at.context.session_layout(&self.at.order.session);
        files::read_beneath(record.folder(), path, ARTEFACT_BYTES_MAX).ok()
    }

    fn committed(&self, path: &str) -> Option<Vec<u8>> {
        match self.at.workspace.contents_at(&self.at.order.tip, &[path]) {
            Ok(contents) => contents.into_iter().next().flatten(),
            Err(error) => {
                self.trouble.borrow_mut().get_or_insert(error.into());
                None
            }
        }
    }
}
