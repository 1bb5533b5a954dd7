//! Faults of tollgate.toml.

use super::{Diagnostic, Location, did_you_mean, pages, quote};

pages! {
    AGENT_UNDEFINED = "config.agent_undefined":
        "A role or a fallback names an agent that is not defined. Define it as [agent.NAME] with its adapter.";
    FALLBACK_SELF = "config.fallback_self":
        "An agent names itself as its own fallback. Name another one.";
    COMMAND_MISSING = "config.command_missing":
        "An agent with the adapter `command` or `acp` does not say which program to run. Set `command` to a list: the program\n\
         and its arguments. For `acp` the command must make the program speak the Agent Client Protocol on its standard input\n\
         and output, such as [\"goose\", \"acp\"].";
    COMMAND_UNUSED = "config.command_unused":
        "`command` belongs to the adapters `command` and `acp`. Other adapters know their program; `program` and `args`\n\
         change it.";
    PROGRAM_UNUSED = "config.program_unused":
        "With the adapters `command` and `acp` the program is the first entry of `command`; `program` is only for the other\n\
         adapters.";
    DURATION_INVALID = "config.duration_invalid":
        "A duration is a whole number and a unit: ms, s, m or h, such as \"90s\" or \"30m\". It must be more than zero and at\n\
         most one year.";
    NOT_POSITIVE = "config.not_positive":
        "A limit of zero or less would stop everything at once. Remove the key to have no limit.";
    PARALLEL_TASKS = "config.parallel_tasks":
        "This is more parallel tasks than one machine can handle: each has its own checkout, agent and checks. The maximum is\n\
         16.";
    PERCENT = "config.percent":
        "A percentage is a number between 0 and 100, such as 80 or 72.5.";
    ENV_NAME = "config.env_name":
        "`env` lists the names of environment variables that the agent may see, not their values; a header is given the\n\
         name of the variable that has its value. A name contains only letters, digits and underscores.";
    COPY_PATH = "config.copy_path":
        "A file to copy must be inside the repository: a relative path without `..`.";
    REPOSITORY = "config.repository":
        "The repository of the tracker is written as owner/name, as in its address on GitHub, without a host and without\n\
         .git. Remove the key to use the remote `origin`.";
    AUTHOR = "config.author":
        "The author of commits is written as git writes it: a name, then an address in angle brackets. Remove the key to use\n\
         `user.name` and `user.email` of your git configuration.";
    SANDBOX_PATH = "config.sandbox_path":
        "`write` under [sandbox] opens folders outside the repository to agents and checks: an absolute path or one that\n\
         begins with ~/. It cannot open `/`, your whole home folder, the repository or Tollgate's own state, because the\n\
         sandbox exists to protect those. Name the smallest folder that the work needs.";
    ADDRESS = "config.address":
        "Events are sent to a server by https. http is only for a server on this machine: localhost, 127.0.0.1 or [::1]. An\n\
         address contains no login, because tollgate.toml is often shared; name the environment variable of a secret header\n\
         beside it instead.";
    HEADER_NAME = "config.header_name":
        "The table names headers of a request, each with the environment variable that has its value, such as\n\
         { Authorization = \"HOOK_AUTH\" }. Content-Type, Content-Length and Host belong to the request itself.";
    ROLES_UNASSIGNED = "config.roles_unassigned":
        "Several agents are defined, but some roles have no agent. Set `default` under [roles].";
}

/// The address itself is not told: its path can be a secret.
pub(crate) fn address(at: (&str, Option<u32>), key: &str, why: &str) -> Diagnostic {
    let message = format!("nothing can be sent to the address of `{key}`: {why}");
    Diagnostic::error(ADDRESS, place(at), message)
        .help("Write an address such as \"https://example.com/hook\"")
}

pub(crate) fn header_name(at: (&str, Option<u32>), found: &str) -> Diagnostic {
    let message = format!("{} is not a header that can be set", quote(found));
    Diagnostic::error(HEADER_NAME, place(at), message)
        .help("Write the header, then its variable, such as { Authorization = \"HOOK_AUTH\" }")
}

pub(crate) fn agent_undefined(at: (&str, Option<u32>), found: &str, known: &[&str]) -> Diagnostic {
    let message = format!("there is no agent {}", quote(found));
    let help = if known.is_empty() {
        format!("Define it as [agent.{found}]")
    } else {
        did_you_mean(found, known)
    };
    Diagnostic::error(AGENT_UNDEFINED, place(at), message).help(help)
}

pub(crate) fn author(at: (&str, Option<u32>), found: &str) -> Diagnostic {
    let message = format!("{} is not an author", quote(found));
    Diagnostic::error(AUTHOR, place(at), message).help("Write it as \"Name <address>\"")
}

pub(crate) fn fallback_self(at: (&str, Option<u32>), name: &str) -> Diagnostic {
    let message = format!("agent {} names itself as its fallback", quote(name));
    Diagnostic::error(FALLBACK_SELF, place(at), message).help("Name another agent")
}

pub(crate) fn command_missing(at: (&str, Option<u32>), name: &str, adapter: &str) -> Diagnostic {
    let message =
        format!("agent {} has the adapter {} but no command", quote(name), quote(adapter));
    let help = match adapter {
        "acp" => "Add the program that speaks ACP, such as command = [\"goose\", \"acp\"]",
        _ => "Add command = [\"program\", \"argument\"]",
    };
    Diagnostic::error(COMMAND_MISSING, place(at), message).help(help)
}

pub(crate) fn program_unused(at: (&str, Option<u32>), name: &str, adapter: &str) -> Diagnostic {
    let message =
        format!("agent {} has the adapter {} and also a program", quote(name), quote(adapter));
    Diagnostic::error(PROGRAM_UNUSED, place(at), message)
        .help("Remove program; the first of command is started")
}

pub(crate) fn command_unused(at: (&str, Option<u32>), name: &str, adapter: &str) -> Diagnostic {
    let message =
        format!("agent {} has the adapter {} and also a command", quote(name), quote(adapter));
    Diagnostic::error(COMMAND_UNUSED, place(at), message)
        .help("Remove command, or set adapter = \"command\"")
}

pub(crate) fn duration_invalid(at: (&str, Option<u32>), key: &str, found: &str) -> Diagnostic {
    let message = format!("`{key}` is {}, which is not a duration", quote(found));
    Diagnostic::error(DURATION_INVALID, place(at), message)
        .help("Write a number above zero and ms, s, m or h, such as \"30m\"")
}

pub(crate) fn parallel_tasks(at: (&str, Option<u32>), found: &str, most: u32) -> Diagnostic {
    let message =
        format!("`parallel_tasks` is {found}; at most {most} tasks can run at the same time");
    Diagnostic::error(PARALLEL_TASKS, place(at), message)
        .help(format!("Give a number from 1 to {most}"))
}

pub(crate) fn not_positive(at: (&str, Option<u32>), key: &str, found: &str) -> Diagnostic {
    let message = format!("`{key}` is {found}, but must be more than 0");
    Diagnostic::error(NOT_POSITIVE, place(at), message).help("Remove the key to use the default")
}

pub(crate) fn percent(at: (&str, Option<u32>), key: &str, found: &str) -> Diagnostic {
    let message = format!("`{key}` is {found}, but must be between 0 and 100");
    Diagnostic::error(PERCENT, place(at), message)
}

pub(crate) fn env_name(at: (&str, Option<u32>), found: &str) -> Diagnostic {
    // What comes after `=` may be the secret itself.
    let shown = found.split('=').next().unwrap_or_default();
    let message = format!("{} is not the name of an environment variable", quote(shown));
    Diagnostic::error(ENV_NAME, place(at), message).help("List names only, such as \"API_KEY\"")
}

pub(crate) fn copy_path(at: (&str, Option<u32>), found: &str) -> Diagnostic {
    let message = format!("{} is not a path inside the repository", quote(found));
    Diagnostic::error(COPY_PATH, place(at), message).help("Write a relative path such as \".env\"")
}

pub(crate) fn repository(at: (&str, Option<u32>), found: &str) -> Diagnostic {
    let message = format!("{} is not a GitHub repository", quote(found));
    Diagnostic::error(REPOSITORY, place(at), message).help("Write repository = \"owner/name\"")
}

pub(crate) fn sandbox_path(at: (&str, Option<u32>), found: &str, why: &str) -> Diagnostic {
    let message = format!("{} cannot be opened to agents: {why}", quote(found));
    Diagnostic::error(SANDBOX_PATH, place(at), message)
        .help("Name a folder outside the repository, such as \"~/.gradle\" or \"/srv/cache\"")
}

pub(crate) fn roles_unassigned(at: (&str, Option<u32>), roles: &[&str]) -> Diagnostic {
    let message = format!("no agent plays {}", roles.join(", "));
    Diagnostic::warning(ROLES_UNASSIGNED, place(at), message)
        .help("Set default = \"NAME\" under [roles]")
}

fn place((file, line): (&str, Option<u32>)) -> Location {
    Location::file(file, line)
}
