//! One way to answer a question: how it is named, what is typed for it, and the option that a person is shown.

use serde::{Deserialize, Serialize};

/// Whether an answer takes a person's own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NeedsWords {
    #[default]
    No,
    Optional,
    Required,
}

/// A way to answer one kind of question, before its words are given.
pub trait Way: Copy + PartialEq + 'static {
    const ALL: &'static [Self];

    /// Names it within its question.
    fn id(self) -> &'static str;

    /// What is typed: its keyword, and a name for the words where it needs some.
    fn form(self) -> &'static str;

    fn needs_words(self) -> NeedsWords;

    fn keyword(self) -> &'static str {
        self.form().split_once(':').map_or(self.form(), |(keyword, _)| keyword)
    }
}

/// What a person can answer, and what follows from it. Terminal, page and program offer the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerOption {
    /// Names it within its question. Journals of earlier versions do not have it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// What to answer; `…: TEXT` where text is needed.
    pub answer: String,
    pub label: String,
    pub consequence: String,
    #[serde(default)]
    pub needs_words: NeedsWords,
    #[serde(default)]
    pub recommended: bool,
}

impl AnswerOption {
    pub fn of(way: impl Way, label: &str, consequence: &str) -> Self {
        Self {
            id: way.id().to_owned(),
            answer: way.form().to_owned(),
            label: label.to_owned(),
            consequence: consequence.to_owned(),
            needs_words: way.needs_words(),
            recommended: false,
        }
    }

    pub fn recommended_if(self, recommended: bool) -> Self {
        Self { recommended, ..self }
    }

    /// What to answer when this option is chosen with these words.
    pub fn with_words(&self, words: &str) -> String {
        match (self.answer.split_once(':'), self.needs_words) {
            (Some((keyword, _)), _) => format!("{keyword}: {words}"),
            (None, NeedsWords::Required) => words.to_owned(),
            (None, NeedsWords::Optional | NeedsWords::No) => format!("{}: {words}", self.answer),
        }
    }

    /// What a person types first: the keyword, with a `:` where words follow. None where their words are all of it.
    pub fn typed(&self) -> Option<&str> {
        match (self.needs_words, self.answer.find(':')) {
            (NeedsWords::No, _) | (NeedsWords::Optional, None) => Some(&self.answer),
            (_, Some(colon)) => Some(&self.answer[..=colon]),
            (NeedsWords::Required, None) => None,
        }
    }

    /// What the words are called in the form of the answer.
    pub fn name_of_words(&self) -> &str {
        self.answer.split_once(':').map_or(self.answer.as_str(), |(_, name)| name.trim())
    }

    /// Adds what journals of earlier versions do not say, where it is this way to answer.
    pub(super) fn complete<W: Way>(&mut self) {
        if self.id.is_empty()
            && let Some(way) = W::ALL.iter().find(|way| way.form() == self.answer)
        {
            self.id = way.id().to_owned();
            self.needs_words = way.needs_words();
        }
    }
}
