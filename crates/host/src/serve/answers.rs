//! Answers that the core cannot judge: it knows neither the settings nor how a file is written.

use super::{Owner, ServeError};
use crate::projection;
use tollgate_core::answer::{CheckAnswer, Choice, EscalationAnswer};
use tollgate_core::decision::{Decision, Subject};
use tollgate_core::id::DecisionId;
use tollgate_core::refusal::Refusal;
use tollgate_core::session::ReplacedCheck;

impl Owner {
    /// Why an answer cannot be followed here, whatever the core would say to it.
    pub(super) fn refused_here(
        &self,
        decision: &DecisionId,
        answer: &str,
        reason: Option<&str>,
    ) -> Result<Option<Refusal>, ServeError> {
        let Some(decision) = self.session().decision(decision) else {
            return Ok(None);
        };
        match decision.read(answer, reason) {
            Ok(Choice::Escalation(EscalationAnswer::RetryWith(name))) => {
                Ok(self.unknown_agent(&name))
            }
            Ok(Choice::Check(CheckAnswer::FixCheck(with))) => self.not_writable(decision, &with),
            _ => Ok(None),
        }
    }

    fn unknown_agent(&self, name: &str) -> Option<Refusal> {
        let config = &self.context.config;
        config.agent(name).is_none().then(|| Refusal::UnknownAgent {
            name: name.to_owned(),
            known: config.agents.keys().cloned().collect(),
        })
    }

    /// A command that a person gives in place of another must be able to take its place in the files of the plan.
    fn not_writable(&self, decision: &Decision, with: &str) -> Result<Option<Refusal>, ServeError> {
        let Subject::Check { command: Some(command), .. } = &decision.subject else {
            return Ok(None);
        };
        let replaced = ReplacedCheck { command: command.clone(), with: with.to_owned() };
        for path in self.session().files_with_check(command) {
            if !projection::can_replace_check(&self.layout, path, &replaced)? {
                let (command, path) = (command.clone(), self.session().session_path(path));
                return Ok(Some(Refusal::CheckNotWritable { command, path }));
            }
        }
        Ok(None)
    }
}
