//! Notices that ask for nothing at once and that a person should understand all the same.

pages! {
    "agent.fallback":
        "An agent reported that it has reached its usage limit, and until when. Until then the next agent in its `fallback`\n\
         list in tollgate.toml plays its roles; this uses no retry. After that the agent plays its roles again.\n\n\
         What to do: nothing. To choose yourself, answer a question about the dispatch with `retry-with: AGENT`; without a\n\
         `fallback` list the session waits until the limit resets.";
    "import.again":
        "Something of an imported session begins again: a task that was in progress, because nobody can tell how far it was,\n\
         or a gate whose recorded answer is none that the gate takes.\n\n\
         What to do: nothing. The task is started when its turn comes, and the gate asks when the work comes to it.";
    "import.continues":
        "The notice says where an imported session continues, and why there: at the state that its status.json names, or\n\
         earlier, at the state that makes what is missing.\n\n\
         What to do: nothing; `tollgate resume` continues there. To continue elsewhere, add what is missing to the original\n\
         folder and import it again.";
    "import.repaired":
        "The notice names something that `tollgate import` found in the files of another orchestrator and what it made of it.\n\
         The code at its end has a page of its own.\n\n\
         What to do: nothing, if that is what was meant. The original folder is as it was; files that were rewritten are kept in\n\
         the folder imported of the session.";
    "base.unrelated":
        "The branch that the session started from now has a history that shares no commit with the session's work, so it was\n\
         not merged. The session continues with the work as it is.\n\n\
         What to do: nothing, if you replaced the history on purpose. Bring the session's branch over yourself at the end, for\n\
         example with `git cherry-pick`.";
    "journal.older_accepted":
        "The journal was not the one that this machine knew: an older copy, or one of another machine. You accepted it with\n\
         `tollgate resume --accept-older-journal`, and the session continues from what it records. Nothing that happened after\n\
         its last record counts; if the session's branch was ahead of it, that work is kept as the branch that the notice names.\n\n\
         What to do: nothing. `tollgate audit --verify` shows where the journal was accepted.";
    "notify.failed":
        "Tollgate could not tell you by one of the means of [notify] in tollgate.toml that you are needed: the command failed or\n\
         took longer than 10 seconds, or the server could not be reached or refused it. The session does not need it: the\n\
         work continues. This is told once for each means.\n\n\
         What to do: read the reason in the notice. `tollgate notify --test` tries each means and says what came of it.";
    "release.tag_refused":
        "At RELEASE the Integrator made a tag that is not kept. Your repository has a tag of that name already, which is never\n\
         moved, or the name has characters that Tollgate does not pass on.\n\n\
         What to do: make the tag yourself under another name, with `git tag NAME tollgate/SESSION`.";
    "report.incomplete":
        "Docs wrote the report several times, and each time something new came up before the session could end. The session\n\
         ended all the same; the notice lists what report.md does not name.\n\n\
         What to do: look at `tollgate status` and `tollgate findings --all`, and add what matters to report.md.";
    "projection.put_back":
        "A file that only Tollgate writes, such as status.json, was changed by hand or by another program. Tollgate wrote it\n\
         again from the journal, which is the only truth of a session.\n\n\
         What to do: use `tollgate answer` to change a decision, and edit the documents (spec.md, tasks.yaml) to change the work.";
    "tasks.unreachable":
        "Some tasks of tasks.yaml depend on tasks that can never be completed, because they wait for each other or for a task\n\
         that is gone. The tasks that are named cannot start.\n\n\
         What to do: edit `depends_on` in the session's tasks.yaml, then answer the question that comes with the notice.";
    "telemetry.failed":
        "Tollgate could not send the traces of the session to the collector of [telemetry] in tollgate.toml: it could not be\n\
         reached, or refused them. Or it took them and rejected some of their spans. The session does not need it.\n\n\
         What to do: read the reason in the notice. The next `tollgate resume` of the session sends what is missing, but not what\n\
         the collector rejected: the protocol forbids that. `tollgate report --otlp` prints all of it.";
    "tracker.failed":
        "Tollgate could not bring the tracker up to date, because it was not reachable, refused the login or limited the requests.\n\
         The session does not need the tracker: the work continues, and Tollgate tries again with the next change.\n\n\
         What to do: read the reason in the notice. `tollgate doctor` tries the login; `tollgate resume` brings the tracker up to\n\
         date.";
    "work.dropped":
        "An agent changed a file that only Tollgate writes, such as status.json. The change was dropped; the rest of its work\n\
         counts.\n\n\
         What to do: nothing. If it happens often, say in the role's text that the agent must not write this file.";
    "work.odd_document":
        "A document that an agent left has something that Tollgate does not need or knows by another name: a field more in\n\
         tasks.yaml, a task without a title, a heading in other words. The document counts; the notice says what was found.\n\n\
         What to do: nothing. If it happens often, show the expected form in the role's text; `tollgate schema` prints it.";
    "work.status_claim":
        "An agent set the status of a task in tasks.yaml to a value that only Tollgate may set. An agent may set in-progress and\n\
         implemented; a task is completed when its checks and reviews have passed. The change was dropped.\n\n\
         What to do: nothing. The status in tasks.yaml is the one of the journal again.";
    "work.too_large":
        "An agent left a file that is larger than [limits] file_bytes, or more data than dispatch_bytes. Tollgate moved it to\n\
         the `large` folder beside the workspace. The file is in no commit; the notice says where it is, and nothing deletes it.\n\n\
         What to do: if the file belongs to the work, raise the limit in tollgate.toml and let the task run again; else delete it.";
    "budget.unknown":
        "[limits] sets a limit that an attempt of this agent did not report on: its cost or its tokens are unknown. Tollgate\n\
         never counts unknown usage as zero; the totals show how many attempts they leave out. The limit covers only what is\n\
         known.\n\n\
         What to do: set a limit that the agent reports on, such as `tokens` or `wall`, or choose an agent that reports its\n\
         cost. A command agent can put `usage` into its reply.";
}
