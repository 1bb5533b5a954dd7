//! Looks that accepted replies asked for: at which unit, by which gate, and who has looked since.

use super::unit::{LookReason, WantedLook};
use super::{Gate, GateState, Session, Unit};
use crate::id::{DispatchNumber, TaskRef};
use crate::role::{Mode, Role};

impl Session {
    /// Whether this gate was asked to look at a unit and has not looked since. In lean mode the one task is the whole work.
    pub(crate) fn is_look_wanted(&self, task: &TaskRef, gate: Gate) -> bool {
        self.units_with(task).any(|unit| unit.is_wanted(gate))
    }

    /// A unit that waits for a look that was asked for, and the gate.
    pub(crate) fn wanted_look(&self) -> Option<(Gate, TaskRef)> {
        let tasks =
            self.plan.tasks.iter().map(|task| (TaskRef::Task(task.spec.id.clone()), &task.unit));
        let mut units = tasks.chain([(TaskRef::Meta, &self.plan.meta)]);
        units.find_map(|(task, unit)| {
            let gate = Gate::ALL.into_iter().find(|gate| unit.is_wanted(*gate))?;
            Some((gate, task))
        })
    }

    /// Why a gate should look at a unit; at the session as a whole for the reasons of all.
    pub(crate) fn reasons_to_look(&self, task: &TaskRef, gate: Gate) -> Vec<&LookReason> {
        let units = self.units_with(task).filter(|unit| unit.is_wanted(gate));
        units.filter_map(|unit| unit.wanted.get(&gate)).flat_map(|look| &look.reasons).collect()
    }

    fn units_with(&self, task: &TaskRef) -> Box<dyn Iterator<Item = &Unit> + '_> {
        let meta = std::iter::once(&self.plan.meta);
        match (task, self.route.mode) {
            (TaskRef::Meta, _) => {
                Box::new(self.plan.tasks.iter().map(|task| &task.unit).chain(meta))
            }
            (task, Mode::Lean) => Box::new(self.unit(task).into_iter().chain(meta)),
            (task, _) => Box::new(self.unit(task).into_iter()),
        }
    }

    pub(super) fn want_look(
        &mut self,
        task: &TaskRef,
        role: Role,
        by: DispatchNumber,
        concerns: &[String],
    ) {
        let since = self.dispatches.keys().next_back().copied().unwrap_or(by);
        let reason = |concern: Option<&String>| LookReason { by, concern: concern.cloned() };
        let reasons: Vec<LookReason> = match concerns {
            [] => vec![reason(None)],
            concerns => concerns.iter().map(|concern| reason(Some(concern))).collect(),
        };
        if let (Some(gate), Some(unit)) = (Gate::of_role(role), self.plan.unit_mut(task)) {
            unit.want(gate, since, reasons);
        }
    }

    /// A gate has nothing left to object to. Who looked at the whole work looked at all its units.
    pub(super) fn looked(&mut self, task: &TaskRef, gate: Gate) {
        let is_whole = *task == TaskRef::Meta || self.route.mode == Mode::Lean;
        if is_whole {
            self.plan.tasks.iter_mut().for_each(|task| task.unit.looked(gate));
            self.plan.meta.looked(gate);
        } else if let Some(unit) = self.plan.unit_mut(task) {
            unit.looked(gate);
        }
    }

    /// A dispatch of an action without an implement loop is closed: it looked where it was told to.
    pub(super) fn looked_in_step(&mut self, number: DispatchNumber, role: Role) {
        let Some(gate) = Gate::of_role(role) else {
            return;
        };
        let was_told = |look: &WantedLook| number > look.since;
        if self.plan.meta.wanted.get(&gate).is_some_and(was_told) {
            self.plan.meta.looked(gate);
        }
    }
}

impl Unit {
    fn is_wanted(&self, gate: Gate) -> bool {
        self.wanted.get(&gate).is_some_and(|look| look.is_open)
    }

    /// It must look, also where it has passed before.
    fn want(&mut self, gate: Gate, since: DispatchNumber, reasons: Vec<LookReason>) {
        self.set_gate(gate, GateState::Open);
        let asked = WantedLook { reasons: Vec::new(), since, is_open: true };
        let look = self.wanted.entry(gate).or_insert_with(|| asked.clone());
        if !look.is_open {
            *look = asked;
        }
        look.since = since;
        for reason in reasons {
            if look.reasons.iter().all(|known| known.concern != reason.concern) {
                look.reasons.push(reason);
            }
        }
    }

    fn looked(&mut self, gate: Gate) {
        if let Some(look) = self.wanted.get_mut(&gate) {
            look.is_open = false;
        }
    }

    /// Somebody changed it: reviewing roles may ask for each other once more.
    pub(super) fn forget_looks(&mut self) {
        self.wanted.retain(|_, look| look.is_open);
    }

    /// Takes over what was asked of another unit that is no longer worked on.
    pub(super) fn take_looks_of(&mut self, other: &Self) {
        for (gate, look) in other.wanted.iter().filter(|(_, look)| look.is_open) {
            self.want(*gate, look.since, look.reasons.clone());
        }
    }
}
