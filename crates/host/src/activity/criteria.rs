//! The acceptance criteria of a session, which two documents name: are they the same ones?

use tollgate_contract::acceptance;
use tollgate_core::id::SessionName;
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_core::reply::ReplyError;
use tollgate_files::layout::{SessionLayout, session_path};
use tollgate_files::{self as files, FileError};

pub const SPEC: &str = "spec.md";
pub const ACCEPTANCE: &str = "acceptance.json";

/// Criteria that only one of the documents has. `written` holds what is newer than the session folder; where it has neither
/// document there is nothing to compare, and neither is there where one of them does not exist or cannot be read.
pub fn one_sided<'a>(
    record: &SessionLayout,
    session: &SessionName,
    written: impl Fn(&str) -> Option<&'a [u8]>,
) -> Result<Vec<ReplyError>, FileError> {
    if written(SPEC).is_none() && written(ACCEPTANCE).is_none() {
        return Ok(Vec::new());
    }
    let text = |name: &str| -> Result<Option<String>, FileError> {
        let bytes = match written(name) {
            Some(bytes) => bytes.to_vec(),
            None => match files::read_beneath(record.folder(), name, ARTEFACT_BYTES_MAX) {
                Err(error) if error.is_not_found() => return Ok(None),
                bytes => bytes?,
            },
        };
        Ok(String::from_utf8(bytes).ok())
    };
    let (Some(spec), Some(criteria)) = (text(SPEC)?, text(ACCEPTANCE)?) else {
        return Ok(Vec::new());
    };
    let place = |name: &str| format!("{}/{name}", session_path(session));
    let (Some(criteria), _) = acceptance::read(&criteria, ACCEPTANCE) else {
        return Ok(Vec::new());
    };
    let spec = (spec.as_str(), &*place(SPEC));
    Ok(acceptance::agree(spec, (&criteria, &place(ACCEPTANCE))).reply_errors())
}
