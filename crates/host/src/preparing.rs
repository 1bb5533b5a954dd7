//! What is done for a dispatch before its agent begins: its workspace is cloned, then set up.

use crate::commands;
use crate::context::{WorkspaceId, workspace_home};
use std::path::{Path, PathBuf};
use tollgate_core::id::SessionName;
use tollgate_git::workspace::Workspace;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preparing {
    Clone,
    SetUp {
        command: String,
    },
    /// Its files and its prompt are laid out.
    Input,
}

/// The workspace that a dispatch will work in.
#[derive(Debug)]
pub struct Place {
    home: PathBuf,
}

impl Place {
    /// `lane` is where it works beside others.
    pub fn of(state_home: &Path, root: &Path, session: &SessionName, lane: Option<usize>) -> Self {
        let workspace_id = lane.map_or(WorkspaceId::Session, WorkspaceId::Member);
        Self { home: workspace_home(state_home, root, session, workspace_id) }
    }

    pub fn now(&self) -> Preparing {
        match commands::setting_up(&self.home) {
            _ if !Workspace::is_made(&self.home) => Preparing::Clone,
            Some(command) => Preparing::SetUp { command },
            None => Preparing::Input,
        }
    }
}
