//! Notices that ask for nothing at once and that a person should understand all the same.

pub(super) const PAGES: &[(&str, &str)] = &[
    (
        "agent.fallback",
        "An agent said that it is out of its usage limit and until when. Until then the next agent of its `fallback` list in\n\
         tollgate.toml plays its roles; no retry is spent. Afterwards the agent of the role plays again.\n\n\
         What to do: nothing. To choose yourself, answer a question about the dispatch with `retry-with: AGENT`; without a\n\
         `fallback` list the session waits until the limit resets.",
    ),
    (
        "budget.unknown",
        "[limits] sets a limit that an attempt of this agent did not report on: its price, or its tokens, are unknown. What is\n\
         unknown is never counted as nothing; the ledger shows how many attempts its sums leave out. The limit holds for\n\
         what is known alone.\n\n\
         What to do: set a limit that the agent reports on, such as `tokens` or `wall`, or choose an agent that tells its\n\
         price. A command agent can put `usage` into its reply.",
    ),
];
