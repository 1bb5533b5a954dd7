//! Why a session can be BLOCKED, and what to do about it.

pages! {
    "subagent_failure":
        "An agent crashed, could not be started, or kept sending invalid replies until it had used up its attempts ([retry]\n\
         in tollgate.toml: transient_attempts, invalid_reruns).\n\n\
         What to do: `tollgate log` lists each failed attempt; its output is in dispatches/N/attempt-M/stderr.log of the\n\
         session folder. Fix the cause (a missing program, a wrong key, a broken network), then answer the question with\n\
         `retry`, `retry: GUIDANCE` or `retry-with: AGENT`.";
    "mandatory_user_decision_missing":
        "Only a person can open this gate, and no valid answer was given, so the session stopped instead of continuing\n\
         without one.\n\n\
         What to do: `tollgate status` shows the question and its answers; answer with `tollgate answer SESSION DECISION\n\
         ANSWER --resume`. No work is lost in the meantime.";
    "agent_blocked":
        "An agent replied BLOCKED: it understood its task and reports that the task cannot be done as it is.\n\n\
         What to do: the detail gives the agent's reason. Provide what is missing with `retry: GUIDANCE`, or let another\n\
         agent try with `retry-with: AGENT`.";
    "missing_context":
        "A file that the role must read is missing or invalid, so the agent was not started.\n\n\
         What to do: run `tollgate check` on the session folder to see what is wrong. Restore or fix the file, then answer\n\
         `retry`.";
    "missing_output":
        "An agent replied OK but did not write the files that its step declares. Tollgate does not retry this by itself,\n\
         because the agent believes that it is done.\n\n\
         What to do: the detail names the files. Answer `retry: GUIDANCE` and say which file is missing, or choose another\n\
         agent with `retry-with: AGENT`.";
    "invalid_output":
        "What an agent wrote breaks its contract: a reply that cannot be parsed, a plan with a cycle, a specification without\n\
         its sections.\n\n\
         What to do: each error in the detail has a code for `tollgate explain`. Answer `retry`, with guidance where it\n\
         helps.";
    "timeout":
        "An agent, together with every process it started, ran longer than its limit and was stopped. Tollgate does not retry\n\
         a timeout by itself: the same work would probably take just as long again.\n\n\
         What to do: answer `extend: DURATION` (such as `extend: 45m`) for this dispatch, raise the limit of the role under\n\
         [timeout] in tollgate.toml, or make the task smaller with `retry: GUIDANCE`.";
    "output_limit":
        "An agent wrote more to standard output or standard error than a dispatch may write, and was stopped.\n\n\
         What to do: the end of its output is in dispatches/N/attempt-M of the session folder. Usually the agent is in a\n\
         loop: answer `retry: GUIDANCE`. If it really needs more, raise output_bytes under [limits] in tollgate.toml.";
    "permission":
        "Something that is not allowed was tried: the agent's own program refused it a permission, or the agent changed files\n\
         that its role may not write. Such changes are saved in a rescue and not accepted.\n\n\
         What to do: `tollgate roles` shows what each role may write. Answer `retry: GUIDANCE`, give the agent's program the\n\
         permission it needs, or make the change yourself.";
    "persistence":
        "The session's files could not be written and read back. Work stops at once, because Tollgate only acts on what is on\n\
         disk.\n\n\
         What to do: free some space, or make the session folder and the state folder writable; `tollgate doctor` checks\n\
         both. Then `tollgate resume` continues from the last record.";
    "git":
        "Git failed, or the repository has changed since the session last used it: the branch was moved, another git process\n\
         holds a lock file, or objects cannot be read. Work stops, because work that is not in git would be lost.\n\n\
         What to do: the detail has git's own message; `git status` and `git fsck` in the repository show more. When git\n\
         works again, `tollgate resume` continues from the last record.";
    "process":
        "A process that Tollgate needs, the supervisor of an agent or of a command, could not be started or was killed from\n\
         outside.\n\n\
         What to do: check that the machine has processes and memory left and that nothing kills them; `tollgate doctor`\n\
         helps. Then `tollgate resume` continues from the last record.";
    "settings":
        "tollgate.toml asks for something that is refused, such as opening a path that must stay closed to agents.\n\n\
         What to do: the detail names the setting. Fix it, then `tollgate resume` continues from the last record.";
    "non_convergence":
        "A repair ran as often as it may, or the same finding came back every time. Trying the same thing again would only\n\
         cost money.\n\n\
         What to do: answer with `different-approach: TEXT`, `simplify: TEXT`, `guidance: TEXT`, or\n\
         `accept-with-known-issues: TEXT`. `repairs` under [retry] in tollgate.toml sets the number of repairs.";
    "budget":
        "The session has used up the money, tokens or time that [limits] in tollgate.toml allows.\n\n\
         What to do: `tollgate status` shows what was spent. Raise the limit and resume, or answer `retry` to allow one\n\
         more dispatch beyond it.";
    "cancelled":
        "A person cancelled the session. It cannot be resumed; its journal and its accepted work stay.\n\n\
         What to do: the work is on the branch that `tollgate status` names. Merge what you want from it, delete the branch,\n\
         or start again with `tollgate run`.";
}
