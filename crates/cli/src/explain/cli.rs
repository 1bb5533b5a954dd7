//! Why a command could not do what it was asked, and how to continue.

pages! {
    "cli.adopt":
        "The flow of an action file cannot be written down as front matter: the file has front matter already, it was not\n\
         understood, there is no such file, or what was understood would read differently. The file was not changed.\n\n\
         What to do: follow the message. `tollgate actions NAME` shows what is understood, and `--dry-run` what would be\n\
         written.";
    "cli.agent_test":
        "`tollgate agents test` creates a small repository in the temporary folder and runs a session in it. That failed for\n\
         the reason in the message, or it was stopped.\n\n\
         What to do: check that git is installed (`tollgate doctor`) and that the temporary folder (TMPDIR) is writable and\n\
         has free space. Nothing was left behind, so you can run the command again.";
    "cli.ambiguous":
        "The goal has verbs that belong to different actions, such as \"review and test\". Nothing was started. The verbs of a\n\
         goal are its first word and each word right after \"and\", \"then\" or a comma.\n\n\
         What to do: choose with `--action NAME`, or split the goal into several runs. `tollgate actions NAME` shows the\n\
         words of an action.";
    "cli.archive":
        "The archive of a session cannot be read, or the hash to compare it with is none. Nothing was changed.\n\n\
         What to do: check that the file exists, that you may read it, and that the temporary folder (TMPDIR) has space. A hash\n\
         is the last one or that of the manifest, as `tollgate export` or `tollgate audit --verify` printed it, or the first 16\n\
         characters of it.";
    "cli.archive_changed":
        "The archive is not as `tollgate export` wrote it: something in it was changed, removed, added, moved or cut off, or its\n\
         journal does not hold. Each of these is named in the message. Nothing of it was put anywhere.\n\n\
         What to do: copy the file again from where it was exported to, or ask whoever exported it. A transfer that was cut\n\
         off shows as an end that comes too early.";
    "cli.bug":
        "Tollgate reached a state that should be impossible, or the system refused it something that every program needs. The\n\
         journal has everything up to the last record.\n\n\
         What to do: `tollgate resume` continues from there. Please report the bug with the full message.";
    "cli.code":
        "`tollgate explain` was given a code that does not exist. Codes are in brackets after `error` and `warning`, and\n\
         after BLOCKED; without a code the command lists them all.";
    "cli.demo":
        "The demo could not create its sample repository, or could not use git in it.\n\n\
         What to do: choose an empty folder with --folder, check that git is installed (`tollgate doctor`), and try again.";
    "cli.dispatch":
        "The session has no dispatch of that number, or an attempt of it was never prepared, so there is nothing to show.\n\n\
         What to do: `tollgate status` lists the dispatches with their numbers and attempts.";
    "cli.exists":
        "The file to be written already exists. Tollgate never overwrites your files.\n\n\
         What to do: keep it and edit it by hand, or move it out of the way and run the command again.";
    "cli.export":
        "The archive of the session could not be written: the folder is not there or closed, the disk is full, or the session is\n\
         larger than an archive may be. Nothing half-written was left, and the session is not touched by it.\n\n\
         What to do: follow the message, and run the command again. `-o FILE` writes it elsewhere.";
    "cli.foreign_session":
        "The folder below .agents-work is a session that another orchestrator wrote: it has status.json, tasks.yaml or other\n\
         session files, but no journal. Nothing was changed.\n\n\
         What to do: `tollgate import PATH` makes a session of it that `tollgate resume` continues. The folder stays as it is.";
    "cli.gates":
        "Not all gates of the stage could be run, so there is no result: a gate's command started all gates again, asked for\n\
         a built-in gate that does not exist, or the system refused a process or a temporary file.\n\n\
         What to do: follow the message. In lifecycle-stage.yaml a gate calls `tollgate gates --builtin NAME`, never\n\
         `tollgate gates` by itself.";
    "cli.goal":
        "The goal of a run is empty or too long.\n\n\
         What to do: say in a sentence or a paragraph what should be true when the work is done. Put a longer text into a\n\
         file of the repository and name the file in the goal.";
    "cli.import":
        "The folder cannot be imported: it is not there, is no folder, has no file of a session, is a session of Tollgate\n\
         already, or was imported before and has not changed since. Nothing was made.\n\n\
         What to do: give the folder that has status.json and tasks.yaml in it. A session of Tollgate is continued with\n\
         `tollgate resume`.";
    "cli.import_mode":
        "Nothing in the folder tells whether the session is full or lean: it has one task, no architecture.md, and no gate was\n\
         asked. Nothing was made.\n\n\
         What to do: say it with `--mode full` or `--mode lean`. A lean session has neither design nor plan to approve.";
    "cli.input":
        "An action needs an input that is missing, was given an input that it does not know, or one that is of no use: a planning\n\
         document of nothing but placeholders, a feature that planning does not know, evidence that leads nowhere. Nothing was\n\
         started.\n\n\
         What to do: `tollgate actions NAME` lists the inputs. Give a value as `--input NAME=VALUE`, once. An input that is a\n\
         path must be a committed file or folder of the repository, because work starts from HEAD.";
    "cli.journal_damaged":
        "The journal of the session is damaged: a record's hash does not match its content and the record before it, a line\n\
         is not a record, a record cannot follow the one before it, or the journal belongs to another session or was copied\n\
         from another worktree. Tollgate does not guess at repairs. An unfinished last record is not damage: the next resume\n\
         sets it aside.\n\n\
         What to do: restore a copy of the file from before the damage, or use the version of Tollgate that wrote it if the\n\
         message says so. Accepted work is on the branch tollgate/SESSION in any case; a new session can start from it.";
    "cli.journal_newer":
        "The session was written by a newer version of Tollgate, and this version cannot read its journal. Nothing was\n\
         changed. Every version reads the journals of earlier versions, but not of later ones.\n\n\
         What to do: update Tollgate and run the command again. Several versions may be installed: `tollgate --version` shows\n\
         which one you are running.";
    "cli.journal_older":
        "The journal of the session is valid, but records at its end are missing: it was truncated or restored from an older\n\
         copy. Tollgate knows, because it notes the last record in the repository's git folder and in the state directory.\n\
         Nothing was changed.\n\n\
         What to do: restore the newer journal if you have it. Otherwise continue from the older journal with `tollgate\n\
         resume SESSION --accept-older-journal`. Everything decided and done after it is then asked and done again. The\n\
         branch that is ahead, the workspaces and the outcomes of agents and checks are kept under other names. If git no\n\
         longer has the last accepted commit of the journal, fetch it first from a clone that has it.";
    "cli.journal_replaced":
        "The journal is valid, but it is not the one that was written last: a session was deleted, another one was started\n\
         under the same name, and then the journal of the deleted session was restored. Nothing was changed.\n\n\
         What to do: restore the journal of the session that was started last. To continue with this one instead, use\n\
         `tollgate resume SESSION --accept-older-journal`. The branch, the workspaces and the outcomes of the other session\n\
         are kept under other names.";
    "cli.kind":
        "`tollgate check` does not know this kind, or cannot tell the kind of a document from its name and content.\n\n\
         What to do: give the kind with --as: session, status, tasks, acceptance, spec, architecture, report, agent-input,\n\
         agent-output, planner-result, implementor-result, reviewer-result, action, skill, lifecycle or config.";
    "cli.lifecycle":
        "lifecycle-stage.yaml cannot be used, or it does not describe the stage that you named. No gate was run, so this is\n\
         not the same as a gate that fails.\n\n\
         What to do: fix the errors in the message; `tollgate check lifecycle-stage.yaml` finds them all, and `tollgate gates\n\
         --list` lists the stages. Without the file the built-in stages are used.";
    "cli.mcp":
        "`tollgate mcp` could not continue: what came on standard input is not the beginning of an MCP conversation, or standard\n\
         output cannot be written. No session was changed by it.\n\n\
         What to do: do not start it by hand. Your agent program starts it; `tollgate mcp --config PROGRAM` prints what to\n\
         write into its settings.";
    "cli.merge":
        "The work of a session cannot be merged now, and nothing was changed: the session is not done, it changed no file, the\n\
         branch that it started from is not known or is gone, or files of the checkout that are not committed would be\n\
         overwritten.\n\n\
         What to do: follow the message. `git merge tollgate/SESSION` merges accepted work into any branch by hand.";
    "cli.merge_checks":
        "The branch has moved since the session started. It goes together with the work, but the checks of the session fail on\n\
         the files of both. Nothing was changed.\n\n\
         What to do: the output of the check is above. Fix it by hand after `git merge tollgate/SESSION`, or start a session\n\
         on the branch as it is now.";
    "cli.merge_conflict":
        "The branch has moved since the session started, and both changed the same lines of some files. Nothing was changed.\n\n\
         What to do: run `git merge tollgate/SESSION` on the branch and resolve the conflicts by hand.";
    "cli.no_agent":
        "The run cannot start because an agent is missing: no agent plays one of its roles, the program of an agent or of one\n\
         in its `fallback` list is not installed, or the command line names an agent that tollgate.toml does not define.\n\
         Nothing was started.\n\n\
         What to do: install the program, or give its path as `program` of its [agent.NAME]; `tollgate agents` shows which\n\
         agents are installed. If a role has no agent, define one as [agent.NAME] in tollgate.toml and name it under [roles]\n\
         as `default` or for the role. `tollgate init` writes a file to start from, `tollgate doctor` checks it.";
    "cli.not_waiting":
        "`tollgate submit` was given the number of a dispatch that does not wait for a person's reply: it does not exist, has\n\
         ended, already has its reply, is played by a program, or belongs to a session that is over. Nothing was changed.\n\n\
         What to do: `tollgate status` shows which dispatches wait for you and how to submit a reply.";
    "cli.partial_clone":
        "The repository is a partial clone: git fetches files only when they are needed. Files of the commit that is checked out\n\
         are not here, and Tollgate makes its workspaces without a network. Nothing was started.\n\n\
         What to do: `git fetch --refetch --no-filter origin` fetches everything. In a sparse checkout `git sparse-checkout\n\
         disable` does so too, for the commit that is checked out.";
    "cli.notify":
        "tollgate.toml has no [notify] with a means in it: no command, no webhook, and neither bell nor desktop. Sessions wait\n\
         without telling anybody.\n\n\
         What to do: set at least one, such as `bell = true` or `command = [\"./notify.sh\"]`, then try it with\n\
         `tollgate notify --test`.";
    "cli.persistence":
        "The session's journal could not be written. Tollgate has not acted on anything that was not written.\n\n\
         What to do: the message has the cause. Free some space where the disk is full, else make the session folder writable;\n\
         then run `tollgate resume`.";
    "cli.refused":
        "The session cannot accept this command now: the question is not open, the answer is not one of the listed ones, or\n\
         the answer needs text and has none. The question stays open.\n\n\
         What to do: `tollgate status` shows every open question with its answers. Spell the answer exactly as shown.";
    "cli.other_head":
        "The chain of the journal holds, but neither a record of it nor the manifest of the archive has the hash that you know:\n\
         it is of another session, of an older state of it, or somebody wrote the journal or the manifest again.\n\n\
         What to do: check where the hash came from. A journal that continued since then has the hash in the middle, which\n\
         is found. The manifest has another hash in every archive that is not the same.";
    "cli.reply":
        "The reply that you submitted breaks the contract that every agent must meet: it is not one JSON object, a field is\n\
         missing or invalid, or the role may not reply with this status. Nothing was submitted and no attempt was used.\n\n\
         What to do: fix every error in the message and submit it again. `tollgate schema agent-output` describes the format,\n\
         and the prompt of the dispatch has an example.";
    "cli.provenance":
        "Provenance tells where a commit comes from, so there must be one that will not change: the session must be done, it must\n\
         have accepted work, and its commit must be in this repository.\n\n\
         What to do: finish the session with `tollgate resume`. Where its commit is gone, fetch the branch from where it was pushed\n\
         to. A branch that was moved since is no obstacle: the provenance names the commit that the session made.";
    "cli.report":
        "The report could not be written to the file that you named, or to SESSION.html in the current folder. The session is\n\
         not touched by it.\n\n\
         What to do: check that the folder exists, that you may write to it, and that the disk has space.";
    "cli.repository":
        "Tollgate needs a git repository with a commit and checked-out files. This is not one, or git itself does not work.\n\n\
         What to do: go to a repository, or create one with `git init` and a first commit. `tollgate doctor` shows what is\n\
         missing.";
    "cli.revision":
        "This repository does not have the named revision, so nothing could be compared. A shallow clone, which CI often\n\
         makes, has only the newest commits, and a branch of the remote is called `origin/NAME`.\n\n\
         What to do: name a commit, branch or tag that `git log` knows; get missing ones with `git fetch --unshallow`, or\n\
         `fetch-depth: 0` for actions/checkout.";
    "cli.role":
        "`tollgate roles` was given a name that no role and no text of a role has. Without a name it lists them all.";
    "cli.schema":
        "There is no schema with this name. `tollgate schema` without a name lists them all.";
    "cli.rm":
        "A session was not removed, or not all of it: it has not ended, its work is not merged, its branch is checked out, or\n\
         the disk refused something.\n\n\
         What to do: merge the work with `tollgate merge`, or give --force to remove it all the same. Check out another branch\n\
         if its own is checked out. What is left of a removal is removed by the next `tollgate rm` or `tollgate gc`.";
    "cli.scope":
        "`tollgate scope` was given a file that it cannot use, so it cannot judge the change: the work item lacks sections or\n\
         is a refinement item, which has no scope; the result is not an implementor's; or a line in the list of allowed paths\n\
         is not a path. This is not the same as a change out of scope.\n\n\
         What to do: fix the errors in the message. `tollgate check --as work-item FILE` and `tollgate check --as\n\
         implementor-result FILE` find everything that is wrong with a file.";
    "cli.serve":
        "The page cannot be served: the address or the port is in use or is not of this machine, or the system refused a socket.\n\n\
         What to do: `tollgate serve` without options takes an address and a port that are free; --port and --bind choose others.";
    "cli.session":
        "The named session does not exist, has no journal, or the name matches more than one session.\n\n\
         What to do: `tollgate sessions` lists the sessions. A unique prefix of a name is enough; `latest` is the newest.";
    "cli.session_owned":
        "Another process is running the session; two processes would overwrite each other's work.\n\n\
         What to do: wait for it, or stop it with Ctrl-C where it runs. You can read the session in the meantime, and\n\
         `tollgate answer` passes an answer to the process that runs it.";
    "cli.settings":
        "tollgate.toml, a role file or the name of an action on the command line is invalid.\n\n\
         What to do: fix the errors in the message; `tollgate check tollgate.toml` finds them all without starting anything.";
    "cli.snapshot":
        "The named snapshot cannot be used: it does not exist, the name matches more than one, it was changed after it was\n\
         taken, or an unfinished restore needs it. Nothing was changed.\n\n\
         What to do: `tollgate snapshot list` lists the snapshots. A unique prefix of a name is enough; `latest` is the\n\
         newest one that was not made by a restore.";
    "cli.snapshot_busy":
        "Another process is taking or restoring a snapshot of this checkout; only one can run at a time.\n\n\
         What to do: wait for it and run the command again. The lock is released when its process ends, even if it crashes.";
    "cli.snapshot_confirm":
        "A restore replaces and deletes files, so it asks for confirmation, and without a terminal it cannot ask.\n\n\
         What to do: see what it would do with `tollgate snapshot show ID`, then add --yes. What is replaced is kept:\n\
         `tollgate snapshot undo` brings it back.";
    "cli.snapshot_failed":
        "A snapshot could not be taken or restored: a file could not be read or written, the disk is full, a file changed at\n\
         that moment, or something that cannot be saved is in the way. A snapshot is always complete or absent, and\n\
         everything that a restore has replaced so far is kept.\n\n\
         What to do: fix the problem in the message and run the same command again; it continues where it stopped. If a\n\
         restore had already started, `tollgate snapshot undo` brings back the files from before it.";
    "cli.status_missing":
        "A folder that is checked as a session has no status.json. Tollgate writes one with the first record of a session and\n\
         keeps it up to date, so either it was removed, or the folder is not a session folder.\n\n\
         What to do: `tollgate resume` writes it again from the journal.";
    "cli.tracker":
        "The tracker is not set up correctly: there is no login, GitHub rejects it or it may not write issues, Tollgate does\n\
         not know which repository to use, or the login cannot see a repository with that name.\n\n\
         What to do: follow the message. Log in with `gh auth login`, or set GH_TOKEN to a token of yours; a fine-grained\n\
         token needs `Issues: read and write`. If the remote origin is not the right repository, set `repository =\n\
         \"owner/name\"` under [tracker] in tollgate.toml.";
    "cli.tracker_failed":
        "The tracker did not work: the network or GitHub is down, the rate limit is reached, a response cannot be read, or a\n\
         file cannot be written. Sessions do not depend on the tracker.\n\n\
         What to do: try again, at the time in the message if there is one. What was already done stays done.";
    "cli.unreadable":
        "A document cannot be read: it does not exist, you have no permission, it is not a regular file, or it is too large.\n\n\
         What to do: check the path and your permission to read it.";
    "cli.untrusted":
        "An agent with `inherit = true` loads settings, hooks, plugins and servers, yours and the repository's, and they can\n\
         run anything. It starts only with what you have agreed to: Tollgate knows every file by its content, and a file that\n\
         is new, changed or gone needs your permission again. In the repository the files of HEAD count, because work starts\n\
         from HEAD.\n\n\
         What to do: `tollgate agents trust NAME` shows the files and asks you; without a terminal add `--yes`. If a session\n\
         changed such a file, the failed attempt names the tree to look at: `tollgate agents trust NAME --in FOLDER`. Or\n\
         remove `inherit`: then none of these settings are loaded.";
    "cli.watch":
        "The terminal view cannot be shown: there is no terminal for its keys and its screen, the terminal knows no sequences\n\
         (TERM=dumb), or it was closed.\n\n\
         What to do: run `tollgate watch` at a terminal, over ssh with `ssh -t`. Without one, `tollgate status` and\n\
         `tollgate log --follow` show a session, and `tollgate answer` decides.";
    "cli.write":
        "A file could not be written.\n\n\
         What to do: check that the folder exists, that you may write to it, and that there is free space.";
}
