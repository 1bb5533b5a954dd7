//! Starts what should run and does not, stops what runs and should not.

use super::{Face, Owner, OwnerMessage, ServeError};
use crate::activity::checks::fresh;
use crate::activity::checks::{self, CheckOrder};
use crate::activity::merge::{self, BaseMergeOrder, MergeOrder};
use crate::activity::order::DispatchOrder;
use crate::activity::{StopSwitch, attempt};
use crate::fault::Faulty as _;
use std::sync::Arc;
use std::thread;
use tollgate_core::id::{Attempt, CheckNumber, DispatchNumber};
use tollgate_core::input::Input;
use tollgate_core::session::Wanted;
use tollgate_process::StopReason;

impl Owner {
    pub(super) fn reconcile(&mut self, face: &mut dyn Face) -> Result<(), ServeError> {
        // A question may be open over an attempt that runs: it finishes, and nothing new starts.
        let session = self.engine.session();
        for (activity, switch) in &self.running {
            if !session.is_under_way(*activity) {
                let is_over = session.is_over();
                switch.stop(if is_over { StopReason::Cancelled } else { StopReason::NotWanted });
            }
        }
        let missing: Vec<Wanted> = self
            .wanted
            .iter()
            .copied()
            .filter(|wanted| !self.running.contains_key(wanted))
            .collect();
        // Only what is still right is built upon; a person's edit may change what is wanted.
        if missing.is_empty() || self.inspect(face)? {
            return Ok(());
        }
        for wanted in missing {
            let switch = Arc::new(StopSwitch::default());
            let is_flying = match wanted {
                Wanted::Dispatch(number, attempt) => self.fly_dispatch(number, attempt, &switch),
                Wanted::Checks(number) => self.fly_checks(number, &switch),
                Wanted::Merge(number) => self.fly_merge(number),
                Wanted::BaseMerge => self.fly_base_merge(),
            };
            if is_flying {
                self.running.insert(wanted, switch);
            }
        }
        Ok(())
    }

    /// Looks at the files before work continues. True when somebody changed one of them.
    pub(super) fn inspect(&mut self, face: &mut dyn Face) -> Result<bool, ServeError> {
        if self.session().is_over() {
            return Ok(false);
        }
        let inputs = self.look()?;
        if inputs.is_empty() {
            return Ok(false);
        }
        self.handle(face, inputs)?;
        self.projector.distrust_tasks();
        Ok(true)
    }

    /// What others did to the files of the session since the engine last looked.
    pub(super) fn look(&mut self) -> Result<Vec<Input>, ServeError> {
        let mut inputs = Vec::new();
        match self.projector.put_back_status(self.engine.session()) {
            Ok(true) => inputs.push(Input::PutBack { path: "status.json".to_owned() }),
            Ok(false) => {}
            Err(error) => inputs.push(Input::HostFailed(error.fault())),
        }
        inputs.extend(self.edits()?);
        inputs.extend(self.moved_base());
        let known = &self.engine.session().checks.stage;
        let stage = self.stage.look(self.context.repository.root(), known);
        if stage != *known {
            inputs.push(Input::StageSeen { stage });
        }
        Ok(inputs)
    }

    /// The person's branch, while it matters that it moves. Where it cannot be read, or is gone, it counts as not moved.
    fn moved_base(&self) -> Option<Input> {
        let session = self.session();
        let branch = session.base_to_watch()?;
        let commit = self.context.repository.tip_of_branch(branch).ok()??;
        (commit != *session.base_seen()).then_some(Input::BaseMoved { commit })
    }

    pub(super) fn edits(&mut self) -> Result<Option<Input>, ServeError> {
        let edits = self.inspector.edits(&self.layout, self.engine.session())?;
        Ok((!edits.is_empty()).then_some(Input::Edited(edits)))
    }

    fn fly_dispatch(
        &self,
        number: DispatchNumber,
        attempt: Attempt,
        switch: &Arc<StopSwitch>,
    ) -> bool {
        let lineage = self.journal.lineage();
        let Some(order) = DispatchOrder::of(self.session(), lineage, number, attempt) else {
            return false;
        };
        let (context, switch, sender) = (self.context.clone(), switch.clone(), self.sender());
        thread::spawn(move || {
            let result = attempt::run(&context, &order, &switch).map_err(|error| error.fault());
            if let Some(result) = result.transpose() {
                // The loop may be gone already; then the outcome waits on disk.
                let _ = sender.send(OwnerMessage::Ended(number, attempt, result));
            }
        });
        true
    }

    fn fly_merge(&self, number: DispatchNumber) -> bool {
        let session = self.session();
        let changes = session.merging();
        let order = MergeOrder {
            outputs: changes.iter().map(|(number, _)| session.outputs_of(*number)).collect(),
            changes,
            session: session.opening.session.clone(),
            base: session.opening.base.clone(),
            tip: session.branch.tip.clone(),
        };
        let (context, sender) = (self.context.clone(), self.sender());
        thread::spawn(move || {
            let result = merge::run(&context, &order).map_err(|error| error.fault());
            let _ = sender.send(OwnerMessage::Merged(number, result));
        });
        true
    }

    fn fly_base_merge(&self) -> bool {
        let session = self.session();
        let (Some(branch), Some(moved_to)) =
            (session.opening.base_branch.clone(), session.base_merging().cloned())
        else {
            return false;
        };
        let order = BaseMergeOrder {
            branch,
            moved_to,
            session: session.opening.session.clone(),
            base: session.opening.base.clone(),
            tip: session.branch.tip.clone(),
        };
        let (context, sender) = (self.context.clone(), self.sender());
        thread::spawn(move || {
            let result = merge::run_base(&context, &order).map_err(|error| error.fault());
            let _ = sender.send(OwnerMessage::BaseMerged(order.moved_to, result));
        });
        true
    }

    fn fly_checks(&self, number: CheckNumber, switch: &Arc<StopSwitch>) -> bool {
        let session = self.session();
        let Some(run) = session.checks.runs.get(&number) else {
            return false;
        };
        let opened_by = self.journal.lineage().opened_by(Wanted::Checks(number)).to_owned();
        let order = CheckOrder {
            number,
            opened_by,
            purpose: run.purpose.clone(),
            commands: run.commands.clone(),
            workspace_id: fresh::workspace_id(session, run),
            timeout_ms: session.policy.check_timeout_ms,
            session: session.opening.session.clone(),
            base: session.merged_base().clone(),
            tip: run.tip.clone(),
        };
        let (context, switch, sender) = (self.context.clone(), switch.clone(), self.sender());
        thread::spawn(move || {
            let result = checks::run(&context, &order, &switch).map_err(|error| error.fault());
            let _ = sender.send(OwnerMessage::Checked(number, result));
        });
        true
    }
}
