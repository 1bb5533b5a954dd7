//! A scripted model service on 127.0.0.1, for real agent programs to talk to when no model may be asked.
//!
//! It speaks Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini generateContent, as a stream and
//! whole. A [`Script`] is a list of rules; the first whose [`When`] fits a request answers it. What an answer does next
//! is read off the conversation in the request, never off a counter: an agent may retry, ask on the side or run
//! twice at once, and still gets the answer that fits.

mod answer;
mod conversation;
pub mod crew;
mod dialect;
mod failing;
mod folder;
mod http;
mod log;
mod script;
mod service;
mod toolbox;
mod validate;

pub use conversation::{Dialect, RequestKind};
pub use log::Request;
pub use script::{Call, File, Rule, Script, ScriptedTurn, ServiceFault, StopReason, Usage, When};
pub use service::Service;
