//! Starting attempts: within the limits, by an agent that is not out of its own, and with what is left for it.

use super::{ask, escalate};
use crate::decide::draft::Draft;
use crate::decision::{BlockerCode, CorrectionStatus};
use crate::event::{Event, Purpose, RetryWhy};
use crate::id::{Attempt, DispatchNumber};
use crate::limits::SHORT_PARKS_MAX;
use crate::mutant::Mutant;
use crate::notice::NoticeCode;
use crate::reply::Usage;
use crate::role::Role;
use crate::session::{Availability, Waiting, park_wait_ms};
use crate::time::Timestamp;
use crate::work::DispatchEnd;
use crate::worker::Worker;

/// Starts an attempt that nobody asked for: not when a limit is used up, not by an agent that is out, and not beside
/// others where they may need what is left.
pub fn start(draft: &mut Draft<'_>, number: DispatchNumber) {
    if let Some(words) = used_up(draft) {
        wait(draft, number, draft.now(), RetryWhy::Budget);
        return ask::budget(draft, &words);
    }
    match draft.availability(number, draft.now()) {
        Availability::Out(until) if !Mutant::StartsAnAgentThatIsOut.is_planted() => {
            wait(draft, number, until, RetryWhy::Parked);
        }
        _ if !draft.has_headroom(number) => wait(draft, number, draft.now(), RetryWhy::Room),
        availability => {
            let chosen = draft.dispatches[&number].who.chosen.clone();
            begin(draft, number, None, chosen, availability);
        }
    }
}

/// A limit that is used up and that no person has extended, in words.
pub fn used_up(draft: &Draft<'_>) -> Option<String> {
    draft
        .over_limit()
        .filter(|_| draft.budget.consents == 0 && !Mutant::StartsBeyondALimit.is_planted())
}

/// Starts an attempt that a person asked for, also while another question holds the session: it carries what was
/// granted. The agent that they name plays, whatever is known of its usage limit.
pub fn start_with_consent(
    draft: &mut Draft<'_>,
    number: DispatchNumber,
    timeout_ms: Option<u64>,
    chosen: Option<Worker>,
) {
    wait(draft, number, draft.now(), RetryWhy::Consented);
    let availability = match chosen {
        Some(_) => Availability::Own,
        None => draft.availability_of_role(draft.dispatches[&number].role, draft.now()),
    };
    begin(draft, number, timeout_ms, chosen, availability);
}

/// Starts those for whom the limits have headroom now.
pub fn start_with_headroom(draft: &mut Draft<'_>) {
    let waiting: Vec<DispatchNumber> = draft
        .dispatches
        .open
        .iter()
        .copied()
        .filter(|number| draft.dispatches[number].waiting() == Some(Waiting::ForHeadroom))
        .collect();
    for number in waiting {
        if draft.is_held() {
            return;
        }
        if draft.has_headroom(number) {
            start(draft, number);
        }
    }
}

/// Its agent is out of its usage limit: the next one of the list continues at once, else all wait. No retry is spent.
pub fn park(draft: &mut Draft<'_>, number: DispatchNumber, until: Timestamp) {
    let now = draft.now();
    let dispatch = &draft.dispatches[&number];
    // Who is out for no time again and again is not out of a usage limit.
    if dispatch.tries.short_parks >= SHORT_PARKS_MAX {
        return escalate::escalation(draft, number, BlockerCode::SubagentFailure);
    }
    let was_named = matches!(dispatch.who.player, Some(Worker::Agent(_)));
    let soonest =
        now.plus_ms(park_wait_ms(dispatch.tries.short_parks, draft.policy.transient_base_ms));
    match draft.availability(number, now) {
        Availability::Out(until) => wait(draft, number, until, RetryWhy::Parked),
        Availability::Fallback { .. } => {
            wait(draft, number, now, RetryWhy::Fallback);
            start(draft, number);
        }
        // Who is back, or was named in the settings meanwhile, plays.
        Availability::Own if was_named && until > now => {
            wait(draft, number, now, RetryWhy::Parked);
            start(draft, number);
        }
        // Nobody knows who plays, or the time told is over already: only this dispatch waits.
        Availability::Own => wait(draft, number, until.max(soonest), RetryWhy::Parked),
    }
}

/// The settings changed: who waits for an agent may have another one now.
pub fn unpark(draft: &mut Draft<'_>) {
    let now = draft.now();
    for number in draft.dispatches.open.clone() {
        let dispatch = &draft.dispatches[&number];
        let is_known = dispatch.who.chosen.is_none()
            && draft.policy.players.contains_key(&dispatch.role)
            && (dispatch.who.player.is_some() || dispatch.attempts.0 == 0);
        if dispatch.parked_until().is_none() || !is_known {
            continue;
        }
        match draft.availability(number, now) {
            Availability::Out(until) => wait(draft, number, until, RetryWhy::Parked),
            Availability::Fallback { .. } => wait(draft, number, now, RetryWhy::Fallback),
            Availability::Own => wait(draft, number, now, RetryWhy::Parked),
        }
    }
}

/// A price that was not reported cannot be kept within a limit. Says so once for each agent.
pub fn tell_unknown(
    draft: &mut Draft<'_>,
    number: DispatchNumber,
    end: &DispatchEnd,
    usage: &Usage,
) {
    let dispatch = &draft.dispatches[&number];
    if !end.has_begun() || dispatch.who.player == Some(Worker::Person) {
        return;
    }
    let who = match dispatch.player() {
        Some(name) => name.to_owned(),
        None => format!("the agent of {}", dispatch.role),
    };
    let has_tokens = usage.input_tokens.is_some() && usage.output_tokens.is_some();
    let price = draft.policy.micro_usd_max.is_some() && usage.micro_usd.is_none();
    let tokens = draft.policy.tokens_max.is_some() && !has_tokens;
    let missing = [(price, "what it cost", "usd"), (tokens, "all its tokens", "tokens")];
    for (_, what, limit) in missing.into_iter().filter(|(is_missing, ..)| *is_missing) {
        let message = format!(
            "{who} did not report {what}: it counts as unknown, and limits.{limit} cannot be enforced for it"
        );
        notice_once(draft, NoticeCode::BudgetUnknown, message);
    }
}

fn wait(draft: &mut Draft<'_>, number: DispatchNumber, due: Timestamp, why: RetryWhy) {
    draft.emit(Event::RetryScheduled { number, due, why });
}

fn begin(
    draft: &mut Draft<'_>,
    number: DispatchNumber,
    timeout_ms: Option<u64>,
    chosen: Option<Worker>,
    availability: Availability,
) {
    let (agent, stands_in_for) = match availability {
        Availability::Fallback { agent, of, until } => {
            let message =
                format!("{of} has reached its usage limit until {until}: {agent} takes over");
            notice_once(draft, NoticeCode::AgentFallback, message);
            (Some(Worker::Agent(agent)), Some(of))
        }
        Availability::Own | Availability::Out(_) => (chosen, None),
    };
    let dispatch = &draft.dispatches[&number];
    let allowance = draft.allowance(number);
    let event = Event::AttemptStarted {
        number,
        attempt: dispatch.attempts.next(),
        timeout_ms: timeout_ms.unwrap_or(dispatch.terms.timeout_ms),
        agent,
        stands_in_for,
        allowance,
        ruling: Some(draft.start_ruling(&allowance)),
    };
    draft.emit(event);
    correction_started(draft, number);
}

/// A correction counts as dispatched when somebody is started for it, and not before.
fn correction_started(draft: &mut Draft<'_>, number: DispatchNumber) {
    let dispatch = &draft.dispatches[&number];
    let is_first = dispatch.attempts == Attempt::FIRST;
    let is_queued = draft.decisions.correction.status == CorrectionStatus::Queued;
    if matches!(dispatch.purpose, Purpose::Correction { .. }) && (is_first || is_queued) {
        let agent = Some(dispatch.role);
        move_correction(draft, CorrectionStatus::Dispatched, agent);
    }
}

/// Nobody was started for the correction after all: it waits as before.
pub fn correction_not_begun(draft: &mut Draft<'_>, number: DispatchNumber) {
    if matches!(draft.dispatches[&number].purpose, Purpose::Correction { .. }) {
        move_correction(draft, CorrectionStatus::Queued, None);
    }
}

fn move_correction(draft: &mut Draft<'_>, status: CorrectionStatus, agent: Option<Role>) {
    let correction = &draft.decisions.correction;
    let (roles, parts) = (correction.roles.clone(), correction.parts.clone());
    draft.emit(Event::CorrectionMoved { status, roles, parts, agent });
}

fn notice_once(draft: &mut Draft<'_>, code: NoticeCode, message: String) {
    let is_known =
        draft.record.notices.iter().any(|known| known.code == code && known.message == message);
    if !is_known {
        draft.notice(code, message);
    }
}
