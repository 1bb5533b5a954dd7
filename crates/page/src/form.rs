//! The fields of a form, each once.

use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub struct Fields(BTreeMap<String, String>);

impl Fields {
    /// Of two fields of one name the first counts.
    pub fn new(pairs: Vec<(String, String)>) -> Self {
        let mut fields = BTreeMap::new();
        for (name, value) in pairs {
            fields.entry(name).or_insert(value);
        }
        Self(fields)
    }

    /// Empty where the form has no such field.
    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// None where it is empty.
    pub fn given(&self, name: &str) -> Option<String> {
        // Browsers send line ends of their own.
        let text = self.text(name).replace("\r\n", "\n");
        (!text.trim().is_empty()).then(|| text.trim().to_owned())
    }

    pub fn is_empty(&self) -> bool {
        self.0.values().all(|value| value.trim().is_empty())
    }

    pub fn is_set(&self, name: &str) -> bool {
        !self.text(name).is_empty()
    }
}
