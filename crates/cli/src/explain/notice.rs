//! Notices that ask for nothing at once and that a person should understand all the same.

pages! {
    "agent.fallback":
        "An agent reported that it has reached its usage limit, and until when. Until then the next agent in its `fallback`\n\
         list in tollgate.toml plays its roles; this uses no retry. After that the agent plays its roles again.\n\n\
         What to do: nothing. To choose yourself, answer a question about the dispatch with `retry-with: AGENT`; without a\n\
         `fallback` list the session waits until the limit resets.";
    "budget.unknown":
        "[limits] sets a limit that an attempt of this agent did not report on: its cost or its tokens are unknown. Tollgate\n\
         never counts unknown usage as zero; the totals show how many attempts they leave out. The limit covers only what is\n\
         known.\n\n\
         What to do: set a limit that the agent reports on, such as `tokens` or `wall`, or choose an agent that reports its\n\
         cost. A command agent can put `usage` into its reply.";
}
