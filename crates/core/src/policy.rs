//! The part of the settings that decisions depend on.

use crate::allowance::Allowance;
use crate::role::Role;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Starts of one dispatch after crashes and the like.
    pub transient_attempts: u32,
    /// First wait; it doubles.
    pub transient_base_ms: u64,
    /// Re-runs after an invalid reply.
    pub invalid_reruns: u32,
    /// Repairs per task and loop.
    pub repairs: u32,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub timeout_ms: BTreeMap<Role, u64>,
    pub check_timeout_ms: u64,
    /// Which agent of the settings plays a role.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub players: BTreeMap<Role, String>,
    /// Who takes over from an agent that is out of its usage limit, in this order.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fallbacks: BTreeMap<String, Vec<String>>,
    /// Tasks that may be worked on at the same time.
    #[serde(default = "one_at_a_time")]
    pub parallel_tasks: u32,
    /// How much must be covered, in hundredths of a per cent; none where no report is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage_minimum: Option<u32>,
    /// Commands of the project that count as evidence; none: those that the roles name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_usd_max: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_max: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms_max: Option<u64>,
}

fn one_at_a_time() -> u32 {
    1
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            transient_attempts: 3,
            transient_base_ms: 1_000,
            invalid_reruns: 2,
            repairs: 3,
            timeout_ms: BTreeMap::new(),
            check_timeout_ms: 10 * 60_000,
            players: BTreeMap::new(),
            fallbacks: BTreeMap::new(),
            parallel_tasks: one_at_a_time(),
            coverage_minimum: None,
            evidence: Vec::new(),
            micro_usd_max: None,
            tokens_max: None,
            wall_ms_max: None,
        }
    }
}

impl Policy {
    /// What the session may spend in all.
    pub fn limits(&self) -> Allowance {
        Allowance {
            micro_usd: self.micro_usd_max,
            tokens: self.tokens_max,
            wall_ms: self.wall_ms_max,
        }
    }

    pub fn timeout_ms(&self, role: Role) -> u64 {
        self.timeout_ms.get(&role).copied().unwrap_or_else(|| role.timeout_ms())
    }

    /// How often one dispatch is started in all, whatever the mix of causes.
    pub fn starts_max(&self) -> u32 {
        self.transient_attempts.max(self.invalid_reruns + 1).max(1)
    }
}
