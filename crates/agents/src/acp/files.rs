//! `fs/*`: files of the tree that an agent reads and writes through us.

use super::boundary::PathBoundary;
use super::rpc::{INTERNAL_ERROR, INVALID_PARAMS, NOT_FOUND, RpcRefusal};
use serde_json::{Value, json};
use std::fs::Metadata;
use tollgate_files::{self as files, FileError};

/// Larger than any text that a model would take.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

pub fn read(boundary: &PathBoundary, params: &Value) -> Result<Value, RpcRefusal> {
    let inside = boundary.readable(path_of(params)?).map_err(refused)?;
    let bytes =
        files::read_beneath(boundary.tree(), &inside, FILE_BYTES_MAX).map_err(|e| failed(&e))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| RpcRefusal::new(INVALID_PARAMS, format!("{inside} is not text")))?;
    let number = |name: &str| params[name].as_u64().and_then(|number| usize::try_from(number).ok());
    let content = match (number("line"), number("limit")) {
        (None, None) => text,
        (line, limit) => {
            let skip = line.unwrap_or(1).saturating_sub(1);
            let lines = text.split_inclusive('\n').skip(skip);
            lines.take(limit.unwrap_or(usize::MAX)).collect()
        }
    };
    Ok(json!({ "content": content }))
}

pub fn write(boundary: &PathBoundary, params: &Value) -> Result<Value, RpcRefusal> {
    let inside = boundary.writable(path_of(params)?).map_err(refused)?;
    let content = params["content"]
        .as_str()
        .ok_or_else(|| RpcRefusal::new(INVALID_PARAMS, "there is no content"))?;
    if content.len() as u64 > FILE_BYTES_MAX {
        return Err(refused(format!("{inside} would be larger than {FILE_BYTES_MAX} bytes")));
    }
    let tree = boundary.tree();
    // The file is replaced: what was allowed on the old one is allowed on the new one. A link is not replaced either.
    let before = match files::open_beneath(tree, &inside) {
        Ok(file) => file.metadata().ok(),
        Err(error) if error.is_not_found() => None,
        Err(error) => return Err(failed(&error)),
    };
    files::write_beneath(tree, &inside, content.as_bytes()).map_err(|e| failed(&e))?;
    if let Some(before) = before.filter(Metadata::is_file) {
        let file = files::open_beneath(tree, &inside).map_err(|e| failed(&e))?;
        let told = |error| RpcRefusal::new(INTERNAL_ERROR, format!("{inside}: {error}"));
        file.set_permissions(before.permissions()).map_err(told)?;
    }
    Ok(json!({}))
}

fn path_of(params: &Value) -> Result<&str, RpcRefusal> {
    params["path"].as_str().ok_or_else(|| RpcRefusal::new(INVALID_PARAMS, "there is no path"))
}

fn refused(why: String) -> RpcRefusal {
    RpcRefusal::new(INVALID_PARAMS, why)
}

fn failed(error: &FileError) -> RpcRefusal {
    let code = if error.is_not_found() { NOT_FOUND } else { INTERNAL_ERROR };
    RpcRefusal::new(code, error.to_string())
}
