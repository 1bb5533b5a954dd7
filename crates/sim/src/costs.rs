//! What attempts cost, what their agents tell of it, and when an agent is out of its usage limit.

use crate::chance::Chance;
use std::collections::BTreeMap;
use tollgate_core::id::DispatchNumber;
use tollgate_core::policy::Policy;
use tollgate_core::reply::Usage;
use tollgate_core::role::Role;
use tollgate_core::session::Session;
use tollgate_core::time::Timestamp;
use tollgate_core::work::DispatchEnd;

const AGENTS: [&str; 3] = ["alpha", "beta", "gamma"];
/// Never says what it cost.
const SECRETIVE: &str = "gamma";

/// Out of its usage limit; some agents tell no time.
pub fn out(chance: &mut Chance, now: Timestamp) -> DispatchEnd {
    if chance.percent(30) {
        return DispatchEnd::Limited { detail: "no credit left".to_owned() };
    }
    DispatchEnd::Parked { until: now.plus_ms(chance.below(3_600_000)), no_time: None }
}

/// How an attempt comes to its end.
#[derive(Debug, Clone)]
pub struct Settled {
    pub end: DispatchEnd,
    pub usage: Usage,
    pub takes_ms: u64,
}

#[derive(Debug)]
pub struct Costs {
    chance: Chance,
    /// How often an agent may still be out of its usage limit.
    parkings: u32,
}

impl Costs {
    pub fn new(seed: u64, parkings: u32) -> Self {
        Self { chance: Chance::new(seed ^ 0xC01D), parkings }
    }

    /// The end that an attempt would come to, within its usage limit, its time and what it is given.
    pub fn settle(
        &mut self,
        session: &Session,
        number: DispatchNumber,
        now: Timestamp,
        end: DispatchEnd,
    ) -> Settled {
        let dispatch = &session.dispatches[&number];
        let mut settled =
            Settled { end, usage: Usage::default(), takes_ms: 1 + self.chance.below(90_000) };
        if self.parkings > 0 && self.chance.percent(15) {
            self.parkings -= 1;
            settled.end = out(&mut self.chance, now);
        }
        if !settled.end.has_begun() {
            return settled;
        }
        let timeout_ms = dispatch.timeout_ms();
        if settled.takes_ms > timeout_ms {
            settled.takes_ms = timeout_ms;
            settled.end = DispatchEnd::TimedOut { after_ms: timeout_ms };
        }
        self.charge(session, number, &mut settled);
        settled
    }

    fn charge(&mut self, session: &Session, number: DispatchNumber, settled: &mut Settled) {
        let dispatch = &session.dispatches[&number];
        let allowance = dispatch.allowance();
        let mut micro_usd = 1 + self.chance.below(1_000_000);
        let mut input_tokens = 1 + self.chance.below(9);
        let output_tokens = 1 + self.chance.below(5);
        let is_obedient = self.chance.percent(50);
        if let Some(most) = allowance.micro_usd.filter(|most| is_obedient && micro_usd > *most) {
            micro_usd = most;
            settled.end = DispatchEnd::UsedUp { detail: "no more money".to_owned() };
        }
        let tokens = input_tokens + output_tokens;
        if let Some(most) = allowance.tokens.filter(|most| is_obedient && tokens > *most) {
            input_tokens = most.saturating_sub(output_tokens);
            settled.end = DispatchEnd::UsedUp { detail: "no more tokens".to_owned() };
        }
        let tells = dispatch.player() != Some(SECRETIVE) && self.chance.percent(85);
        settled.usage = Usage {
            input_tokens: self.chance.percent(80).then_some(input_tokens),
            output_tokens: self.chance.percent(80).then_some(output_tokens),
            micro_usd: tells.then_some(micro_usd),
            wall_ms: self.chance.percent(50).then_some(settled.takes_ms),
        };
    }
}

/// Limits, who plays, and who takes over.
pub fn fill(chance: &mut Chance, policy: &mut Policy) {
    if chance.percent(12) {
        policy.tokens_max = Some(40 + chance.below(100));
    }
    if chance.percent(15) {
        policy.micro_usd_max = Some(3_000_000 + chance.below(20_000_000));
    }
    if chance.percent(10) {
        policy.wall_ms_max = Some(300_000 + chance.below(3_000_000));
    }
    if chance.percent(80) {
        policy.players =
            Role::dispatched().map(|role| (role, (*chance.pick(&AGENTS)).to_owned())).collect();
        policy.fallbacks = fallbacks(chance);
    }
}

pub fn fallbacks(chance: &mut Chance) -> BTreeMap<String, Vec<String>> {
    let mut lists = BTreeMap::new();
    for agent in AGENTS {
        let mut others: Vec<String> =
            AGENTS.iter().filter(|other| **other != agent).map(|name| (*name).to_owned()).collect();
        if chance.percent(50) {
            others.reverse();
        }
        others.truncate(usize::try_from(chance.below(3)).expect("small"));
        if !others.is_empty() {
            lists.insert(agent.to_owned(), others);
        }
    }
    lists
}
