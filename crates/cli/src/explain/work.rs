//! Faults of what an agent left behind, as they go back to it and stand in `previous_errors` of its next input.

pages! {
    "file.missing":
        "A session file that was accepted earlier is gone. Later roles need to read it, so the session stops.\n\n\
         What to do: restore the file; its accepted content is kept in dispatches/N/attempt-M/outputs of the session folder.";
    "file.not_utf8":
        "A session file that is read as text contains bytes that are not UTF-8.\n\n\
         What to do: the agent gets the error and tries again. If you edited the file yourself, save it as UTF-8.";
    "input.context_missing":
        "A file that the role must read first is not in the workspace, so the agent was not started. Either a session file\n\
         was removed, or context_files of the task names a file that the repository does not have.\n\n\
         What to do: add the file, or fix context_files in tasks.yaml, then answer `retry`.";
    "report.point_missing":
        "The report of a release names every known issue, accepted risk, tracked finding, waived criterion, manual step and tag.\n\
         This one is missing. It counts as named where its id, such as F-2 or KI-1, or its text is in report.md; a waived\n\
         criterion needs the word `waived` on the line of its id.\n\n\
         What to do: nothing; Docs gets the text and writes the report again.";
    "report.readme_unchanged":
        "The work is about to be released and nothing in the session changed the README. That may be right, but somebody must\n\
         have thought of it.\n\n\
         What to do: nothing; Docs changes it, or gives the reason in artifacts.readme_unchanged.";
    "tasks.not_lean":
        "A lean session has exactly one small task, but this plan has none or several.\n\n\
         What to do: the agent gets the error and tries again. If the work really is larger, cancel the session and run it\n\
         without --lean.";
    "work.conflict":
        "Two roles that worked in parallel changed the same lines of a file, or wrote the same session file differently. The\n\
         work of the first is kept; the other gets a list of the conflicts and does its part again on top of it.\n\
         Or the branch that the session started from has moved and does not merge with the work, and the Coder who resolves\n\
         it left a conflict marker in the file.\n\n\
         What to do: nothing at first. If parallel roles keep conflicting, run the steps of the action one after another, or\n\
         give each its own `writes`.";
    "work.empty":
        "A Coder replied OK, but none of its changes are in the scope of its task, or it changed nothing.\n\n\
         What to do: the agent gets the error and tries again. If the scope is wrong, fix files_expected of the task in\n\
         tasks.yaml.";
    "work.not_allowed":
        "A role changed files that it may not write. The changes are saved in a rescue and not accepted.\n\n\
         What to do: `tollgate roles` lists what each role may write; a role file in agents/ can change it.";
    "work.syntax":
        "A file that an agent changed parsed before, or is new, and does not parse now. JSON, YAML, TOML, XML, C#, Go, Java,\n\
         JavaScript, PHP, Python, Ruby, Rust and TypeScript are looked at; templates and test fixtures are not.\n\n\
         What to do: the agent gets the error and tries again. If the file is right as it is, name it in syntax_except below\n\
         [check] in tollgate.toml and answer `retry`, or answer `manual-fix` and submit it yourself.";
    "work.repeat_findings":
        "The reply was not accepted, but its high and critical findings are on record. The agent is told to report them\n\
         again, because a finding that its next reply leaves out counts as fixed.\n\n\
         What to do: nothing. `tollgate findings` lists what is on record.";
}
