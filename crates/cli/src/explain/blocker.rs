//! Why a session can be BLOCKED, and what to do about it.

pub(super) const PAGES: &[(&str, &str)] = &[
    (
        "subagent_failure",
        "An agent crashed, could not be started, or replied against the contract until its budget of attempts was used up\n\
         ([retry] in tollgate.toml: transient_attempts, invalid_reruns).\n\n\
         What to do: `tollgate log` names each failed attempt; its words are in dispatches/N/attempt-M/stderr.log of the\n\
         session folder. Fix the cause (a missing program, a wrong key, a broken network), then answer the question with\n\
         `retry`, `retry: GUIDANCE` or `retry-with: AGENT`.",
    ),
    (
        "mandatory_user_decision_missing",
        "A gate that only a person can pass got no usable answer, so the session stopped rather than continue without one.\n\n\
         What to do: `tollgate status` shows the question and its answers; give one with `tollgate answer SESSION\n\
         DECISION ANSWER --resume`. Nothing is lost meanwhile.",
    ),
    (
        "agent_blocked",
        "An agent replied BLOCKED: it understood its task and says that it cannot be done as it stands.\n\n\
         What to do: its reason is in the detail. Give what it lacks with `retry: GUIDANCE`, let another agent try with\n\
         or `retry-with: AGENT`.",
    ),
    (
        "missing_context",
        "A file that the role must read is not there or does not hold what it must, so the agent was not started.\n\n\
         What to do: `tollgate check` on the session folder names what is wrong. Put the file back or fix it, then answer `retry`.",
    ),
    (
        "missing_output",
        "An agent said OK but did not leave the files behind that its step declares. This is never tried again by itself,\n\
         because the agent believes that it is done.\n\n\
         What to do: the detail names the files. Answer `retry: GUIDANCE` and say which file is missing, or choose another\n\
         agent with `retry-with: AGENT`.",
    ),
    (
        "invalid_output",
        "What an agent left behind breaks its contract: a reply that does not read, a plan with a cycle, a specification\n\
         without its sections.\n\n\
         What to do: each fault in the detail has a code for `tollgate explain`. Answer `retry`, with guidance where it helps.",
    ),
    (
        "timeout",
        "An agent, with everything it started, ran longer than its limit and was ended. A timeout is never tried again by\n\
         itself: the same work would mostly take as long again.\n\n\
         What to do: answer `extend: DURATION` (such as `extend: 45m`) for this dispatch, set the limit of the role under\n\
         [timeout] in tollgate.toml, or make the task smaller with `retry: GUIDANCE`.",
    ),
    (
        "output_limit",
        "An agent wrote more to standard output or standard error than a dispatch may, and was ended.\n\n\
         What to do: the end of its words is in dispatches/N/attempt-M of the session folder. Mostly the agent is in a\n\
         loop: answer `retry: GUIDANCE`. If it really needs more, raise output_bytes under [limits] in tollgate.toml.",
    ),
    (
        "permission",
        "Something was done or wanted that is not allowed: an agent was refused a permission by its own program, or it\n\
         changed files that its role may not write. Such changes are kept under a rescue name and not taken.\n\n\
         What to do: `tollgate roles` shows what each role may write. Answer `retry: GUIDANCE`, give the agent's program the\n\
         permission it lacks, or make the change yourself.",
    ),
    (
        "persistence",
        "The session's files could not be written and read back. Work stops at once, because what is not on disk did not happen.\n\n\
         What to do: free some space, or make the session folder and the state folder writable; `tollgate doctor` checks\n\
         both. Then `tollgate resume` continues from the last record.",
    ),
    (
        "git",
        "Git failed, or the repository is not as the session left it: the branch was moved, a lock file of another git is in the\n\
         way, objects cannot be read. Work stops, because what git did not take is not kept.\n\n\
         What to do: the detail has git's own words; `git status` and `git fsck` in the repository tell more. When git works\n\
         there again, `tollgate resume` continues from the last record.",
    ),
    (
        "process",
        "A process that the engine needs could not be started, or was ended by somebody else: the supervisor of an agent or of\n\
         a command.\n\n\
         What to do: see that the machine has processes and memory left, and that nothing ends them; `tollgate doctor` looks.\n\
         Then `tollgate resume` continues from the last record.",
    ),
    (
        "settings",
        "tollgate.toml asks for something that is refused, such as a path that stays closed to agents.\n\n\
         What to do: the detail names the setting. Correct it, then `tollgate resume` continues from the last record.",
    ),
    (
        "non_convergence",
        "A repair went round as often as it may, or the same finding came back again and again. More of the same would\n\
         spend money without an end.\n\n\
         What to do: decide by answering with `different-approach: TEXT`, `simplify: TEXT`, `guidance: TEXT`, or\n\
         `accept-with-known-issues: TEXT`. The number of repairs is set by repairs under [retry] in tollgate.toml.",
    ),
    (
        "budget",
        "The session has used up the money, tokens or time that [limits] in tollgate.toml allows.\n\n\
         What to do: `tollgate status` shows what was spent. Raise the limit and resume, or answer `retry` to allow one\n\
         more dispatch beyond it.",
    ),
    (
        "cancelled",
        "A person ended the session for good. It cannot be resumed; its journal and its accepted work stay.\n\n\
         What to do: the work is on the branch that `tollgate status` names. Merge what you want of it, delete the branch,\n\
         or start again with `tollgate run`.",
    ),
];
