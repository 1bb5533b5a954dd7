//! Why a command could not do what it was asked, and how to continue.

pub(super) const PAGES: &[(&str, &str)] = &[
    (
        "cli.agent_test",
        "`tollgate agents test` makes a small repository in the temporary folder and plays a session in it. It could not, for the\n\
         cause that the message names, or it was stopped.\n\n\
         What to do: see that git is installed (`tollgate doctor`), that the temporary folder (TMPDIR) can be written and that it\n\
         has room. Nothing of it is left, so it can be started again.",
    ),
    (
        "cli.ambiguous",
        "The goal begins parts of its sentence with verbs that belong to different actions, such as \"review and test\".\n\
         Nothing was started. The verbs of a goal are its first word and each word right after \"and\", \"then\" or a comma.\n\n\
         What to do: choose with `--action NAME`, or split the goal into several runs. `tollgate actions NAME` shows the words\n\
         of an action.",
    ),
    (
        "cli.bug",
        "Tollgate came to a point that it takes for impossible, or the system refused it something that no program can do\n\
         without. The journal holds everything up to the last record.\n\n\
         What to do: `tollgate resume` continues from there. Please report it with the words of the message.",
    ),
    (
        "cli.code",
        "`tollgate explain` was asked for a code that does not exist. Codes stand in brackets after `error` and `warning`,\n\
         and after BLOCKED; without a code the command lists them all.",
    ),
    (
        "cli.demo",
        "The demo could not make its sample repository, or git could not be used in it.\n\n\
         What to do: choose an empty folder with --folder, see that git is installed (`tollgate doctor`), and try again.",
    ),
    (
        "cli.exists",
        "A file that would have been written is there already. Tollgate never overwrites a file of yours.\n\n\
         What to do: keep it and edit it by hand, or move it out of the way and run the command again.",
    ),
    (
        "cli.gates",
        "The gates of the stage could not all be run, so nothing can be said of them: a gate's command asked for all gates again,\n\
         a built-in gate was asked for that does not exist, or the system refused a process or a temporary file.\n\n\
         What to do: follow the message. In lifecycle-stage.yaml a gate calls `tollgate gates --builtin NAME`, never\n\
         `tollgate gates` as a whole.",
    ),
    (
        "cli.goal",
        "The goal of a run is empty or too long to be one.\n\n\
         What to do: say in a sentence or a paragraph what should be true afterwards. Put a longer text into a file of the\n\
         repository and name the file in the goal.",
    ),
    (
        "cli.input",
        "An action needs an input that is not there, or was given one that it does not know. Nothing was started.\n\n\
         What to do: `tollgate actions NAME` lists the inputs. A plain word is a value: give it as `--input NAME=VALUE`, once. A\n\
         path is a file or folder of the repository: write it and commit it, as work starts from HEAD.",
    ),
    (
        "cli.journal_damaged",
        "The journal of the session does not hold: a record's hash does not fit its content and the record before it, a line\n\
         is not a record, a record cannot follow those before it, or the journal is another session's or a copy of one in another\n\
         worktree. Nothing is repaired by guess.\n\
         An unfinished last record is not damage: the next resume sets it aside.\n\n\
         What to do: put back a copy of the file from before the damage, or use the version of Tollgate that wrote it when the\n\
         message says so. Accepted work is on the branch tollgate/SESSION in any case; a new session can start from it.",
    ),
    (
        "cli.journal_newer",
        "The session was written by a newer version of Tollgate than this one, and this one cannot read its journal. Nothing was\n\
         changed. Every version reads the journals of all versions before it, but not of those after it.\n\n\
         What to do: update Tollgate and run the command again. Another version may be installed beside this one:\n\
         `tollgate --version` says which one runs.",
    ),
    (
        "cli.journal_older",
        "The journal of the session is intact by itself, but more of it was written once: it was truncated or restored from an\n\
         older copy. Tollgate notes the last record in the repository's git folder and in the state directory. Nothing was changed.\n\n\
         What to do: put the newer journal back if you have it. Otherwise continue from the older journal with\n\
         `tollgate resume SESSION --accept-older-journal`. What was decided and done after it is then asked and done again. The\n\
         branch that is ahead, the workspaces and the outcomes of agents and checks are kept under other names. If git no longer\n\
         has the commit that the journal's accepted work ends with, fetch it first from a clone that has it.",
    ),
    (
        "cli.journal_replaced",
        "The journal is intact by itself, but it is not the one that was written last: a session was deleted and started again\n\
         under the same name, and then the journal of the deleted one was put back. Nothing was changed.\n\n\
         What to do: put back the journal of the session that was started last. To continue with this one instead, use\n\
         `tollgate resume SESSION --accept-older-journal`. The branch, the workspaces and the outcomes of the other session are\n\
         kept under other names.",
    ),
    (
        "cli.kind",
        "`tollgate check` does not know this kind, or cannot tell the kind of a document from its name and content.\n\n\
         What to do: name it with --as: session, status, tasks, acceptance, spec, architecture, report, agent-input,\n\
         agent-output, planner-result, implementor-result, reviewer-result, action, skill, lifecycle or config.",
    ),
    (
        "cli.lifecycle",
        "lifecycle-stage.yaml cannot be used, or a stage was named that it does not describe. No gate was run: this is not the\n\
         same as a gate that fails.\n\n\
         What to do: fix the places that are named; `tollgate check lifecycle-stage.yaml` finds them all, and\n\
         `tollgate gates --list` lists the stages. Without the file the built-in stages are used.",
    ),
    (
        "cli.no_agent",
        "A role of the run has nobody to play it, or the program of an agent that would play it, or of one of its `fallback`\n\
         list, is not on this machine, or the command line names an agent that tollgate.toml does not describe. Nothing was started.\n\n\
         What to do: install the program, or name it as `program` of its [agent.NAME]; `tollgate agents` shows which are here.\n\
         Where nobody is named, describe an agent as [agent.NAME] in tollgate.toml and name it under [roles] as `default` or for the\n\
         role. `tollgate init` writes a file to start from, `tollgate doctor` checks it.",
    ),
    (
        "cli.not_waiting",
        "`tollgate submit` was given the number of a dispatch that takes no reply from a person: there is none of that number,\n\
         it has ended, its reply is handed in already, a program plays it, or its session is over. Nothing was changed.\n\n\
         What to do: `tollgate status` shows what waits for a person and how to hand it in.",
    ),
    (
        "cli.persistence",
        "The session's record could not be written. Nothing that was not written has been acted upon.\n\n\
         What to do: free some space or make the session folder writable, then `tollgate resume`.",
    ),
    (
        "cli.refused",
        "The session does not take this command as it stands: a question that is not open, an answer that is none of those\n\
         listed, or text that the answer needs and lacks. The question stays open.\n\n\
         What to do: `tollgate status` shows every open question with the answers it takes, spelled exactly so.",
    ),
    (
        "cli.reply",
        "A reply that a person handed in breaks the contract that holds for every agent: it is not one JSON object, a field is\n\
         missing or not as it must be, or the role does not have this status. Nothing was handed in and no attempt is spent.\n\n\
         What to do: fix every place that is named and submit it again. `tollgate schema agent-output` has the form, the\n\
         prompt of the dispatch an example.",
    ),
    (
        "cli.repository",
        "Tollgate works in a git repository with a commit and files checked out, and this is not one, or git itself cannot\n\
         be used.\n\n\
         What to do: go to a repository, or make one with `git init` and a first commit. `tollgate doctor` tells what is missing.",
    ),
    (
        "cli.revision",
        "A revision was named that this repository does not know, so nothing could be compared. A shallow clone, as CI makes\n\
         them, has only the newest commits, and a branch of the remote is called `origin/NAME`.\n\n\
         What to do: name a commit, branch or tag that `git log` knows; get missing ones with `git fetch --unshallow`, or\n\
         `fetch-depth: 0` for actions/checkout.",
    ),
    (
        "cli.schema",
        "There is no schema of this name. `tollgate schema` without a name lists them all.",
    ),
    (
        "cli.scope",
        "`tollgate scope` was given a file that it cannot use, so nothing can be said of the change: the work item lacks sections\n\
         or is a refinement item, which has no scope; the result is not an implementor's; or a line of the list of allowed\n\
         paths is none. This is not the same as a change out of scope.\n\n\
         What to do: fix what is named. `tollgate check --as work-item FILE` and `tollgate check --as implementor-result FILE`\n\
         find everything that is wrong with a file.",
    ),
    (
        "cli.session",
        "The session that was named cannot be found, is not the only one that begins so, or has no journal.\n\n\
         What to do: `tollgate sessions` lists what is there. A unique beginning of a name is enough; `latest` is the newest.",
    ),
    (
        "cli.session_owned",
        "Another process runs the session; two would write over each other.\n\n\
         What to do: wait for it or end it with Ctrl-C where it runs. Reading works meanwhile, and `tollgate answer` hands an\n\
         answer to the process that runs it.",
    ),
    (
        "cli.settings",
        "tollgate.toml, a role file or the name of an action on the command line is not right.\n\n\
         What to do: fix the places that are named; `tollgate check tollgate.toml` finds them all without starting anything.",
    ),
    (
        "cli.snapshot",
        "The snapshot that was named cannot be used: it does not exist, is not the only one that begins so, was changed after\n\
         it was taken, or an unfinished restore needs it. Nothing was changed.\n\n\
         What to do: `tollgate snapshot list` shows what is there. A unique beginning of a name is enough; `latest` is the\n\
         newest that no restore made.",
    ),
    (
        "cli.snapshot_busy",
        "Another process is taking or restoring a snapshot of this checkout; two would trip over each other.\n\n\
         What to do: wait for it and run the command again. The lock goes with its process, however that ends.",
    ),
    (
        "cli.snapshot_confirm",
        "A restore replaces and deletes files, so it needs a yes, and without a terminal nobody can be asked.\n\n\
         What to do: look at what it would do with `tollgate snapshot show ID`, then give --yes. What is replaced is kept:\n\
         `tollgate snapshot undo` brings it back.",
    ),
    (
        "cli.snapshot_failed",
        "A snapshot could not be taken or restored: a file could not be read or written, the disk is full, a file changed in that\n\
         very moment, or something that cannot be kept stands in the way. A snapshot is there whole or not at all, and what a\n\
         restore replaced so far is kept.\n\n\
         What to do: fix what the message names and run the same command again; it continues where it stopped. After a restore\n\
         that began, `tollgate snapshot undo` leads back to the files before it.",
    ),
    (
        "cli.status_missing",
        "A folder that is checked as a session has no status.json. Tollgate writes one with the first record of a session and\n\
         keeps it up to date, so it was removed, or the folder is none of a session.\n\n\
         What to do: `tollgate resume` writes it again from the journal.",
    ),
    (
        "cli.tracker",
        "The tracker cannot be used as it is set up: there is no login, GitHub does not take it or it lacks the right to write\n\
         issues, it is not known which repository to use, or there is none of that name that the login may see.\n\n\
         What to do: follow the message. `gh auth login` gives a login, and so does GH_TOKEN with a token of yours; a token that\n\
         is limited to some rights needs `Issues: read and write`. `repository = \"owner/name\"` under [tracker] in tollgate.toml\n\
         names the repository where the remote origin does not.",
    ),
    (
        "cli.tracker_failed",
        "The tracker could not do its part: the network or GitHub is down, no more requests are allowed for now, an answer cannot\n\
         be read, or a file cannot be written. Nothing of a session depends on it.\n\n\
         What to do: try again, at the time that the message names where it names one. What is done already stays done.",
    ),
    (
        "cli.unreadable",
        "A document cannot be read: it is not there, may not be read, is no plain file, or is too big to be one.\n\n\
         What to do: see that the path is right and that you may read it.",
    ),
    (
        "cli.untrusted",
        "An agent with `inherit = true` loads settings, hooks, plugins and servers, yours and the repository's, and they can run\n\
         anything. It starts only with what you have agreed to: every file is known by its content, and one that is new, changed\n\
         or gone needs your word again. What counts in the repository is HEAD, where work starts from.\n\n\
         What to do: `tollgate agents trust NAME` shows the files and asks you; without a terminal add `--yes`. When the work of a\n\
         session changed such a file, the failed attempt names the tree to look at: `tollgate agents trust NAME --in FOLDER`. Or\n\
         leave out `inherit`: then nothing of these settings is loaded.",
    ),
    (
        "cli.write",
        "A file could not be written.\n\n\
         What to do: see that the folder exists, that you may write there, and that there is space.",
    ),
];
