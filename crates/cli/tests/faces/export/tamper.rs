//! Takes an archive apart and puts it together again, with or without hashes that fit.

use flate2::read::GzDecoder;
use flate2::write::ZlibEncoder;
use flate2::{Compression, GzBuilder};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io::{Read, Write};

/// Names with the session's folder, and contents.
pub fn entries(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut tape = tar::Archive::new(GzDecoder::new(archive));
    let each = tape.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        (String::from_utf8(entry.path_bytes().into_owned()).unwrap(), content)
    });
    each.collect()
}

pub fn raw(archive: &[u8]) -> Vec<u8> {
    let mut tape = Vec::new();
    GzDecoder::new(archive).read_to_end(&mut tape).unwrap();
    tape
}

pub fn gzipped(tape: &[u8]) -> Vec<u8> {
    let mut out = GzBuilder::new().operating_system(255).write(Vec::new(), Compression::new(6));
    out.write_all(tape).unwrap();
    out.finish().unwrap()
}

pub fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut out = ZlibEncoder::new(Vec::new(), Compression::new(6));
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

pub fn tarred(entries: &[(String, Vec<u8>, u64)]) -> Vec<u8> {
    let mut tape = tar::Builder::new(Vec::new());
    for (path, content, mtime) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o644);
        header.set_entry_type(tar::EntryType::Regular);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(*mtime);
        header.set_size(content.len() as u64);
        assert!(path.len() < 100, "{path} would have two heads");
        tape.append_data(&mut header, path, content.as_slice()).unwrap();
    }
    gzipped(&tape.into_inner().unwrap())
}

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every record of a journal with a hash that fits again.
pub fn chained(journal: &str) -> String {
    let mut before = "0".repeat(64);
    let mut text = String::new();
    for line in journal.lines() {
        let body = &line[..line.rfind(",\"hash\":\"").unwrap()];
        before = sha256(format!("{before}\n{body}").as_bytes());
        text.push_str(&format!("{body},\"hash\":\"{before}\"}}\n"));
    }
    text
}

/// An archive in its parts; names without the session's folder.
pub struct Parts {
    session: String,
    pub mtime: u64,
    pub entries: Vec<(String, Vec<u8>)>,
}

impl Parts {
    pub fn of(archive: &[u8]) -> Self {
        let mut tape = tar::Archive::new(GzDecoder::new(archive));
        let mtime = tape.entries().unwrap().next().unwrap().unwrap().header().mtime().unwrap();
        let all = entries(archive);
        let session = all[0].0.split('/').next().unwrap().to_owned();
        let own = |path: &str| path.strip_prefix(&format!("{session}/")).unwrap().to_owned();
        let entries = all.iter().map(|(path, content)| (own(path), content.clone())).collect();
        Self { session, mtime, entries }
    }

    pub fn packed(&self) -> Vec<u8> {
        let whole = |(path, content): &(String, Vec<u8>)| {
            (format!("{}/{path}", self.session), content.clone(), self.mtime)
        };
        tarred(&self.entries.iter().map(whole).collect::<Vec<_>>())
    }

    fn at(&mut self, path: &str) -> &mut Vec<u8> {
        let found = self.entries.iter_mut().find(|(known, _)| known == path);
        &mut found.unwrap_or_else(|| panic!("no {path}")).1
    }

    /// It must change something.
    pub fn bytes(&mut self, path: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let content = self.at(path);
        let before = content.clone();
        change(content);
        assert!(*content != before, "{path} is the same");
    }

    pub fn change(&mut self, path: &str, change: impl FnOnce(&str) -> String) {
        self.bytes(path, |content| {
            *content = change(std::str::from_utf8(content).unwrap()).into_bytes()
        });
    }

    pub fn remove(&mut self, path: &str) {
        let before = self.entries.len();
        self.entries.retain(|(known, _)| known != path);
        assert_eq!(self.entries.len(), before - 1, "{path}");
    }

    pub fn insert(&mut self, at: usize, path: &str, content: &[u8]) {
        self.entries.insert(at, (path.to_owned(), content.to_vec()));
    }

    pub fn manifest(&mut self, change: impl FnOnce(&mut Value)) {
        self.bytes("manifest.json", |content| {
            let mut manifest = ordered(content);
            change(&mut manifest);
            *content = pretty(&manifest);
        });
    }

    /// The hash of the manifest fits again.
    pub fn sum_again(&mut self) {
        let sum = format!("{}  manifest.json\n", sha256(self.at("manifest.json")));
        *self.at("manifest.json.sha256") = sum.into_bytes();
    }

    /// All hashes of entries fit again, and the chain is as long as the journal.
    pub fn hash_again(&mut self) {
        let listed: Vec<Value> = self
            .entries
            .iter()
            .filter(|(path, _)| !path.starts_with("manifest.json"))
            .map(|(path, content)| json!({"path": path, "bytes": content.len(), "sha256": sha256(content)}))
            .collect();
        let journal = String::from_utf8(self.at("session/journal.jsonl").clone()).unwrap();
        let was = ordered(self.at("manifest.json"));
        let last: Value = serde_json::from_str(journal.lines().last().unwrap()).unwrap();
        let mut manifest = was.clone();
        manifest["entries"] = json!(listed);
        let is_zero = was["chain"]["last_hash"].as_str().unwrap().starts_with("00000000");
        if !is_zero {
            manifest["chain"] =
                json!({"records": journal.lines().count(), "last_hash": last["hash"]});
        }
        *self.at("manifest.json") = pretty(&manifest);
        self.sum_again();
    }
}

fn ordered(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

/// In the order in which the program writes its fields: a map of JSON has them by name.
fn pretty(manifest: &Value) -> Vec<u8> {
    let own: tollgate_archive::Manifest = serde_json::from_value(manifest.clone()).unwrap();
    let mut bytes = serde_json::to_vec_pretty(&own).unwrap();
    bytes.push(b'\n');
    bytes
}
