//! Faults of what an agent left behind, as they go back to it and stand in `previous_errors` of its next input.

pub(super) const PAGES: &[(&str, &str)] = &[
    (
        "file.missing",
        "A session file that was accepted earlier is gone. Later roles would read it, so the session stops.\n\n\
         What to do: put the file back; its accepted content is kept in dispatches/N/attempt-M/outputs of the session folder.",
    ),
    (
        "file.not_utf8",
        "A session file that is read as text holds bytes that are no UTF-8.\n\n\
         What to do: the agent is told and tries again. If you edited the file yourself, save it as UTF-8.",
    ),
    (
        "input.context_missing",
        "A file that the role must read before anything else is not in the workspace, so the agent was not started. It is a\n\
         session file that was removed, or one that context_files of the task names and the repository does not have.\n\n\
         What to do: put the file there, or fix context_files in tasks.yaml, then answer `retry`.",
    ),
    (
        "tasks.not_lean",
        "A lean session does one small task, and its plan has more or none.\n\n\
         What to do: the agent is told and tries again. If the work is really larger, cancel and run it without --lean.",
    ),
    (
        "work.conflict",
        "Two roles that worked side by side changed the same lines of a file, or wrote the same session file differently. The\n\
         work of the first is kept; the other is told what clashes and does its part again on top of it.\n\n\
         What to do: nothing at first. If they clash again and again, let the steps of the action follow one another, or give\n\
         each a `writes` of its own.",
    ),
    (
        "work.empty",
        "A Coder said OK, but nothing of what it changed lies in the scope of its task, or it changed nothing.\n\n\
         What to do: the agent is told and tries again. If the scope is wrong, fix files_expected of the task in tasks.yaml.",
    ),
    (
        "work.not_allowed",
        "A role changed files that it may not write. The changes are kept under a rescue name and not taken.\n\n\
         What to do: `tollgate roles` lists what each role may write, and a role file in agents/ can say otherwise.",
    ),
    (
        "work.repeat_findings",
        "The reply was not accepted, but the high or critical findings in it are on record. The agent is told, because what its\n\
         next reply leaves out counts as fixed.\n\n\
         What to do: nothing. `tollgate findings` lists what is on record.",
    ),
];
