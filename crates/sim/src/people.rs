//! People who answer: mostly helpful, sometimes difficult, now and then not making sense.

use crate::chance::Chance;
use tollgate_core::answer::{EscalationWay, RepairWay};
use tollgate_core::decision::{Decision, DecisionKind, Subject};

#[derive(Debug)]
pub struct People {
    chance: Chance,
    whims: u32,
}

/// What a person does when they are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Says {
    Answer(String),
    Nothing,
}

impl People {
    pub fn new(seed: u64, whims: u32) -> Self {
        Self { chance: Chance::new(seed ^ 0x00C0_FFEE), whims }
    }

    pub fn asked(&mut self, decision: &Decision) -> Says {
        let difficult = self.whims > 0 && self.chance.percent(40);
        if !difficult {
            return Says::Answer(self.helpful(decision));
        }
        self.whims -= 1;
        if self.chance.percent(25) {
            return Says::Answer(self.nonsense().to_owned());
        }
        if decision.kind == DecisionKind::Info && self.chance.percent(50) {
            return Says::Nothing;
        }
        Says::Answer(self.difficult(decision))
    }

    /// Whether someone speaks up without being asked.
    pub fn speaks_up(&mut self) -> bool {
        if self.whims > 0 && self.chance.percent(2) {
            self.whims -= 1;
            return true;
        }
        false
    }

    pub fn strategy(&mut self) -> String {
        let known = ["per-batch", "single-final", "Per Batch", "single", "final only"];
        (*self.chance.pick(&known)).to_owned()
    }

    pub fn nonsense(&mut self) -> &'static str {
        const WORDS: [&str; 13] = [
            "allow",
            "",
            "maybe",
            "approved?",
            "Approved",
            "retry-with:",
            "extend: soon",
            "changes-requested:",
            "accept-with-known-issues:",
            "cancel",
            "met: ",
            "skip",
            "approve",
        ];
        WORDS[usize::try_from(self.chance.below(WORDS.len() as u64)).expect("small")]
    }

    fn helpful(&mut self, decision: &Decision) -> String {
        let choices: &[&str] = match (decision.kind, &decision.subject) {
            (DecisionKind::Approve, _) => &["approved", "approved with thanks", "approved: go"],
            (DecisionKind::Strategy, _) => return self.strategy(),
            (DecisionKind::Notes, _) => {
                &["accept", "accept", "fix", "fix: also the call in src/beyond/0.rs"]
            }
            (DecisionKind::Repair, _) if decision.offers(RepairWay::Full) => {
                &["guidance: mind the edge", "full: it is more than that"]
            }
            (DecisionKind::Repair, _) => &[
                "guidance: mind the edge",
                "guidance: it is src/beyond/1.rs that calls it",
                "simplify: less",
                "different-approach: again",
            ],
            (DecisionKind::Scope, _) => &["allow", "allow", "refuse: another time"],
            (DecisionKind::Security, _) => &["fix-now", "fix-later: soon", "accept-risk: small"],
            (DecisionKind::Escalation, Subject::Dispatch { .. }) => {
                let may_skip = decision.offers(EscalationWay::Skip);
                let may_extend = decision.offers(EscalationWay::Extend);
                match (may_skip, may_extend) {
                    _ if decision.offers(EscalationWay::Full) => {
                        &["retry", "retry: take care", "full: it is more than that"]
                    }
                    (true, _) => &["retry", "skip"],
                    (_, true) => &["retry", "extend: 1h"],
                    _ => &["retry", "retry: take care", "retry-with: other", "manual-fix"],
                }
            }
            (DecisionKind::Escalation, _) => &["retry"],
            (DecisionKind::Info, _) => &["forty-two"],
            (DecisionKind::Justify, _) => &["fix", "fix", "approve: it is behind a wall"],
            (DecisionKind::Coverage, _) => &[
                "fix",
                "fix",
                "lower: 60 generated code",
                "lower: 72.5 % so be it",
                "override: a toy",
            ],
            (DecisionKind::ManualCheck, _) => &["met", "met", "waived: not now"],
            (DecisionKind::Check, Subject::Evidence) => {
                &["waive: it is a toy", "fix-check: make test"]
            }
            (DecisionKind::Check, _) => {
                &["repair", "retry", "manual-fix", "waive: not here", "fix-check: another"]
            }
        };
        (*self.chance.pick(choices)).to_owned()
    }

    fn difficult(&mut self, decision: &Decision) -> String {
        let choices: &[&str] = match decision.kind {
            DecisionKind::Approve => &[
                "changes-requested: more",
                "changes-requested: Architect: other modules",
                "changes-requested: SpecAgent: other goals",
                "changes-requested: Designer: other colours",
                "changes-requested: Reviewer: look closer",
                "changes-requested: Docs: shorter",
            ],
            DecisionKind::Strategy if decision.is_pending() => {
                &["changes-requested: split it", "per-batch", "final only"]
            }
            DecisionKind::Notes => &["fix: the second", "fix"],
            DecisionKind::Repair => &["accept-with-known-issues: enough of it"],
            DecisionKind::Security => &["fix-now"],
            DecisionKind::ManualCheck => &["not-met: it flickers"],
            DecisionKind::Scope => {
                &["refuse: it is frozen", "refuse:", "refuse", "allow: but little", "Allow"]
            }
            DecisionKind::Justify => &["approve:", "approve: no", "approved", "fix"],
            DecisionKind::Coverage => {
                &["lower: 20", "lower: soon enough", "override:", "lower: 101 x"]
            }
            _ => return self.helpful(decision),
        };
        (*self.chance.pick(choices)).to_owned()
    }
}
