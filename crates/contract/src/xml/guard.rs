//! Looks over the tags of a text before it is parsed, because some documents cost far more than their length.

/// Reports of large projects have tens of megabytes.
const BYTES_MAX: usize = 100_000_000;
const DEPTH_MAX: usize = 100;
/// The parser compares each attribute of an element with all before it.
const ATTRIBUTES_MAX: usize = 200;
const NAMESPACES_MAX: usize = 100;
/// The parser sets room aside for every equals sign.
const EQUALS_MAX: usize = 10_000_000;

#[derive(Debug)]
pub(super) struct Refused {
    pub at: usize,
    pub why: String,
}

/// Whether a DOCTYPE without declarations is in the prolog.
pub(super) fn check(text: &str) -> Result<bool, Refused> {
    if text.len() > BYTES_MAX {
        return refuse(0, format!("it has {} bytes, more than {BYTES_MAX}", text.len()));
    }
    if text.bytes().filter(|byte| *byte == b'=').count() > EQUALS_MAX {
        return refuse(0, format!("it has more than {EQUALS_MAX} equals signs"));
    }
    let mut seen = XmlState::default();
    let mut at = 0;
    while let Some(next) = text[at..].find('<') {
        at = seen.markup(text, at + next)?;
    }
    Ok(seen.has_doctype)
}

fn refuse<T>(at: usize, why: impl Into<String>) -> Result<T, Refused> {
    Err(Refused { at, why: why.into() })
}

#[derive(Default)]
struct XmlState {
    has_doctype: bool,
    has_elements: bool,
    depth: usize,
    namespaces: usize,
}

impl XmlState {
    /// Takes what begins with `<` here and gives its end.
    fn markup(&mut self, text: &str, at: usize) -> Result<usize, Refused> {
        let rest = &text[at..];
        let until = |end: &str| rest.find(end).map_or(text.len(), |found| at + found + end.len());
        if rest.starts_with("<!--") {
            return Ok(until("-->"));
        }
        if rest.starts_with("<![CDATA[") {
            return Ok(until("]]>"));
        }
        if rest.starts_with("<?") {
            return Ok(until("?>"));
        }
        if rest.starts_with("<!") {
            return self.doctype(text, at);
        }
        self.element(text, at)
    }

    fn doctype(&mut self, text: &str, at: usize) -> Result<usize, Refused> {
        if self.has_doctype || self.has_elements {
            return refuse(at, "it has a document type, which is not allowed");
        }
        self.has_doctype = true;
        let tag = tag(text, at);
        if tag.has_bracket {
            return refuse(at, "its document type declares entities or elements of its own");
        }
        Ok(tag.end)
    }

    fn element(&mut self, text: &str, at: usize) -> Result<usize, Refused> {
        self.has_elements = true;
        let tag = tag(text, at);
        let inside = &text[at..tag.end];
        if inside.starts_with("</") {
            self.depth = self.depth.saturating_sub(1);
        } else if !inside.ends_with("/>") {
            self.depth += 1;
        }
        self.namespaces += inside.matches("xmlns").count();
        match () {
            () if self.depth > DEPTH_MAX => {
                refuse(at, format!("its elements nest deeper than {DEPTH_MAX}"))
            }
            () if tag.attributes > ATTRIBUTES_MAX => {
                refuse(at, format!("an element has more than {ATTRIBUTES_MAX} attributes"))
            }
            () if self.namespaces > NAMESPACES_MAX => {
                refuse(at, format!("it declares more than {NAMESPACES_MAX} namespaces"))
            }
            () => Ok(tag.end),
        }
    }
}

struct Tag {
    end: usize,
    attributes: usize,
    has_bracket: bool,
}

/// Up to the `>` that is in no quotes.
fn tag(text: &str, at: usize) -> Tag {
    let mut tag = Tag { end: text.len(), attributes: 0, has_bracket: false };
    let mut quote = None;
    for (offset, byte) in text.as_bytes()[at..].iter().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if open == *byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'=') => tag.attributes += 1,
            (None, b'[') => tag.has_bracket = true,
            (None, b'>') => {
                tag.end = at + offset + 1;
                break;
            }
            (None, _) => {}
        }
    }
    tag
}
