//! Why a tool did nothing, as its client is told.

use serde_json::{Value, json};
use tollgate_desk::{OpenedError, Refused as OrderRefused};
use tollgate_host::sessions::SessionsError;

#[derive(Debug, PartialEq, Eq)]
pub struct Refused {
    /// The tool `explain` knows it. Empty where there is none.
    pub code: String,
    pub message: String,
    pub hints: Vec<String>,
}

impl Refused {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), hints: Vec::new() }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    pub fn into_json(self) -> Value {
        let code = (!self.code.is_empty()).then_some(self.code);
        json!({ "error": { "code": code, "message": self.message, "hints": self.hints } })
    }
}

impl From<OrderRefused> for Refused {
    fn from(refused: OrderRefused) -> Self {
        let OrderRefused { code, message, hints } = refused;
        Self { code, message, hints }
    }
}

impl From<OpenedError> for Refused {
    fn from(error: OpenedError) -> Self {
        Self::new("cli.session", error.to_string())
    }
}

impl From<SessionsError> for Refused {
    fn from(error: SessionsError) -> Self {
        Self::new("cli.session", error.to_string()).hint("the tool list_sessions names them")
    }
}
