//! What shows that the work works: which commands count, who named them, and what came of them.

use super::Session;
use crate::action::PartIndex;
use crate::id::{CommitId, DispatchNumber};
use crate::proof;
use crate::role::Role;
use crate::work::CheckResult;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// Commands that a person named for this session.
    pub(super) given: Vec<String>,
    /// What roles named with accepted work: the last word of each part of the action.
    named: Vec<Named>,
    /// Why a person does without, where there is no command.
    pub(super) waived: Option<String>,
    /// What the last run came to, and on which commit.
    pub(super) last: Option<(CommitId, Vec<CheckResult>)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    role: Role,
    part: Option<PartIndex>,
    commands: Vec<String>,
}

impl Session {
    /// The commands that count: what a person named for this session, else what the settings name, else what the roles
    /// named. One that always passes shows nothing.
    pub fn evidence_commands(&self) -> Vec<String> {
        let evidence = &self.checks.evidence;
        let sources = [&evidence.given, &self.policy.evidence];
        let mut commands: Vec<String> = Vec::new();
        let chosen = sources.into_iter().find(|commands| has_proof(commands));
        let of_roles = || evidence.named.iter().flat_map(|named| &named.commands).cloned();
        for command in chosen.map_or_else(|| of_roles().collect(), Clone::clone) {
            let command = self.checks.replaced.get(&command).cloned().unwrap_or(command);
            let is_waived = self.checks.waived.contains_key(&command);
            if !proof::proves_nothing(&command) && !is_waived && !commands.contains(&command) {
                commands.push(command);
            }
        }
        commands
    }

    /// Commands that were named and always pass, whatever the work is like.
    pub(crate) fn empty_evidence(&self) -> Vec<String> {
        let evidence = &self.checks.evidence;
        let of_roles = evidence.named.iter().flat_map(|named| &named.commands);
        let all = evidence.given.iter().chain(&self.policy.evidence).chain(of_roles);
        let mut empty: Vec<String> =
            all.filter(|command| proof::proves_nothing(command)).cloned().collect();
        empty.sort();
        empty.dedup();
        empty
    }

    /// Why a person does without evidence.
    pub fn evidence_waived(&self) -> Option<&str> {
        let named = &self.checks.evidence.named;
        let all = self.checks.evidence.given.iter().chain(&self.policy.evidence);
        let mut all = all.chain(named.iter().flat_map(|named| &named.commands));
        let of_command = all.find_map(|command| self.checks.waived.get(command));
        self.checks.evidence.waived.as_ref().or(of_command).map(String::as_str)
    }

    /// What the last run of evidence came to, where it was on the commit as it is now.
    pub(crate) fn current_evidence(&self) -> Option<&[CheckResult]> {
        let (tip, results) = self.checks.evidence.last.as_ref()?;
        (*tip == self.branch.tip).then_some(results.as_slice())
    }

    /// A role that names none says nothing new.
    pub(super) fn note_commands(&mut self, number: DispatchNumber, commands: &[String]) {
        if commands.is_empty() {
            return;
        }
        let dispatch = &self.dispatches[&number];
        let (role, part) = (dispatch.role, dispatch.part_index());
        let named = &mut self.checks.evidence.named;
        named.retain(|before| (before.role, before.part) != (role, part));
        named.push(Named { role, part, commands: commands.to_vec() });
    }
}

fn has_proof(commands: &[String]) -> bool {
    commands.iter().any(|command| !proof::proves_nothing(command))
}
