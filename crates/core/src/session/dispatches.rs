//! All dispatches of a session, and those that are not closed yet.

use super::Dispatch;
use crate::id::DispatchNumber;
use std::collections::{BTreeMap, BTreeSet};

/// Read as a map by number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dispatches {
    all: BTreeMap<DispatchNumber, Dispatch>,
    /// Asked at every step, so kept apart.
    pub(crate) open: BTreeSet<DispatchNumber>,
}

impl std::ops::Deref for Dispatches {
    type Target = BTreeMap<DispatchNumber, Dispatch>;

    fn deref(&self) -> &Self::Target {
        &self.all
    }
}

impl Dispatches {
    pub(super) fn open(&mut self, number: DispatchNumber, dispatch: Dispatch) {
        self.all.insert(number, dispatch);
        self.open.insert(number);
    }

    pub(super) fn get_mut(&mut self, number: DispatchNumber) -> &mut Dispatch {
        self.all.get_mut(&number).expect("the journal opens a dispatch before it speaks of it")
    }

    pub(super) fn close(&mut self, number: DispatchNumber) {
        self.open.remove(&number);
    }
}
