//! tsconfig.json: what the type checker looks at, how strictly, and what a name leads to.

use crate::test_guard::language::Language;
use crate::test_guard::lex::Source;
use serde_json::{Map, Value};

const STRICT: &[&str] = &[
    "strict",
    "noImplicitAny",
    "strictNullChecks",
    "strictFunctionTypes",
    "noUncheckedIndexedAccess",
    "noImplicitReturns",
    "noFallthroughCasesInSwitch",
    "noUnusedLocals",
    "noUnusedParameters",
    "exactOptionalPropertyTypes",
    "checkJs",
    "noEmitOnError",
    "noImplicitOverride",
    "useUnknownInCatchVariables",
    "strictBindCallApply",
    "strictPropertyInitialization",
];
const LOOSE: &[&str] =
    &["noCheck", "skipLibCheck", "skipDefaultLibCheck", "suppressImplicitAnyIndexErrors"];

pub(super) fn loosened(before: &str, after: Option<&str>) -> Option<String> {
    let old = read(before)?;
    let Some(after) = after else {
        return Some("the settings of the type checker are gone".to_owned());
    };
    let new = read(after)?;
    let options = |of: &Value| {
        of.get("compilerOptions").and_then(Value::as_object).cloned().unwrap_or_default()
    };
    let (was, now) = (options(&old), options(&new));
    let is = |of: &Map<String, Value>, key: &str| of.get(key).and_then(Value::as_bool);
    let is_new = old.as_object().is_some_and(Map::is_empty);
    let mut strict = STRICT.iter().filter(|key| {
        (is(&was, key) == Some(true) && is(&now, key) != Some(true))
            || (!is_new && is(&now, key) == Some(false) && is(&was, key).is_none())
    });
    if let Some(key) = strict.next() {
        return Some(format!("the type checker no longer asks for {key:?}"));
    }
    let mut loose =
        LOOSE.iter().filter(|key| is(&now, key) == Some(true) && is(&was, key) != Some(true));
    if let Some(key) = loose.find(|key| !is_new || **key == "noCheck") {
        return Some(format!("the type checker is told {key:?}"));
    }
    leads_elsewhere(&was, &now).or_else(|| looks_at_less(&old, &new, is_new))
}

fn looks_at_less(old: &Value, new: &Value, is_new: bool) -> Option<String> {
    let list = |of: &Value, key: &str| -> Vec<String> {
        let items = of.get(key).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    for key in ["include", "files"] {
        let (was, now) = (list(old, key), list(new, key));
        if let Some(gone) = was.iter().find(|item| !now.contains(item)) {
            return Some(format!("the type checker no longer looks at {gone:?}"));
        }
    }
    const USUAL: &[&str] = &["node_modules", "dist", "build", "out", "coverage", "lib"];
    let was = list(old, "exclude");
    let now = list(new, "exclude");
    let is_odd =
        |item: &&String| !USUAL.iter().any(|usual| item.contains(usual)) && !was.contains(item);
    let odd = now.iter().find(is_odd).filter(|_| !is_new)?;
    Some(format!("the type checker leaves out {odd:?}"))
}

fn leads_elsewhere(was: &Map<String, Value>, now: &Map<String, Value>) -> Option<String> {
    let known = was.get("paths");
    let paths = now.get("paths").and_then(Value::as_object)?;
    let (name, to) = paths.iter().find(|(name, to)| {
        let is_known = known.and_then(|known| known.get(*name)) == Some(*to);
        let text = to.to_string().to_ascii_lowercase();
        let is_double = ["stub", "fake", "mock", "shim"].iter().any(|word| text.contains(word));
        let is_relative = name.starts_with('.');
        !is_known && (is_double || is_relative)
    })?;
    Some(format!("{name:?} leads to {to}"))
}

/// Comments and a comma before a bracket are allowed in it.
fn read(text: &str) -> Option<Value> {
    let bare = Source::new(text, Language::JavaScript).bare;
    let mut plain = String::with_capacity(bare.len());
    for c in bare.chars() {
        if matches!(c, '}' | ']') {
            plain.truncate(plain.trim_end().trim_end_matches(',').len());
        }
        plain.push(c);
    }
    serde_json::from_str(&plain).ok()
}
