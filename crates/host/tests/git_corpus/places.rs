//! Where an agent can write what git reads.

use crate::control::copy_folder;
use crate::drive::{Stage, change_everything};
use crate::table::Entry;
use crate::trap::{Traps, attributes};
use crate::workspace_support::put;
use std::fs;
use std::path::Path;

/// What is planted; settings of a worktree hide those of the repository, so both are tried.
#[derive(Clone, Copy)]
pub struct Plant<'e> {
    pub entries: &'e [Entry],
    pub in_worktree_config: bool,
}

/// Plants the entries, and all hooks, everywhere in the tree of a workspace.
pub fn plant_in_tree(stage: &Stage, traps: &Traps, tree: &Path, plant: Plant<'_>) {
    let nested = |name: &str| {
        let folder = tree.join(name);
        let _ = fs::remove_dir_all(&folder);
        copy_folder(&stage.nested, &folder);
        plant_in_git_dir(traps, &folder.join(".git"), name, plant);
        change_everything(&folder, "9");
    };
    plant_in_git_dir(traps, &tree.join(".git"), "clone", plant);
    nested("nested");
    nested("untracked");
    plant_bare(stage, traps, tree, plant);
    put(tree, ".gitattributes", &format!("* filter=clean diff=textconv\n{}", attributes()));
    put(tree, ".lfsconfig", "[lfs]\n\turl = https://lfs.invalid\n");
    put(
        tree,
        ".gitmodules",
        "[submodule \"nested\"]\n\tpath = nested\n\turl = ext::sh\n\tignore = none\n\tfetchRecurseSubmodules = true\n",
    );
}

/// A folder with all that a git directory has, under a name that git lets into commits.
pub fn plant_bare(stage: &Stage, traps: &Traps, tree: &Path, plant: Plant<'_>) {
    let bare = tree.join("bare");
    let _ = fs::remove_dir_all(&bare);
    copy_folder(&stage.nested.join(".git"), &bare);
    plant_in_git_dir(traps, &bare, "bare", plant);
    let text = fs::read_to_string(bare.join("config")).unwrap();
    let text = text.replace("bare = false", "bare = false\n\tworktree = .");
    fs::write(bare.join("config"), text).unwrap();
}

/// Settings, those of a worktree, attributes and hooks of one git directory.
pub fn plant_in_git_dir(traps: &Traps, git_dir: &Path, place: &str, plant: Plant<'_>) {
    let config = git_dir.join("config");
    traps.configure(&config, place, plant.entries);
    if plant.in_worktree_config {
        let place = format!("{place}-worktree");
        traps.configure(&git_dir.join("config.worktree"), &place, plant.entries);
    }
    let text = fs::read_to_string(&config).unwrap() + AMPLIFIERS;
    fs::write(&config, text).unwrap();
    put(git_dir, "info/attributes", &attributes());
    traps.hooks(&git_dir.join("hooks"), &format!("{place}-hook"));
}

/// They run nothing themselves, but make git look in more places.
const AMPLIFIERS: &str = "
[extensions]
\tworktreeConfig = true
[core]
\trepositoryFormatVersion = 1
\tfsmonitorHookVersion = 2
\tuntrackedCache = true
[submodule]
\trecurse = true
\tfetchJobs = 2
[status]
\tsubmoduleSummary = true
[diff]
\tignoreSubmodules = none
\tsubmodule = diff
[fetch]
\trecurseSubmodules = true
[gc]
\tauto = 1
\tautoDetach = false
[maintenance]
\tauto = true
[protocol]
\tallow = always
[log]
\tshowSignature = true
[index]
\trecordEndOfIndexEntries = true
";
