//! `tollgate serve`: the page.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tollgate_desk::{Desk, Orders};
use tollgate_files::layout::state_home;
use tollgate_page::{ServeError, Settings, serve};

/// Serve the page: follow sessions, decide, and start new ones in a browser
///
/// It shows the sessions of every repository on this machine. Open the address that it prints: it holds a token that is new at
/// each start, and whoever has it can decide in your name. Sessions continue when you stop it.
///
/// Without --bind it listens on an address of this machine's loopback that nobody else uses, so that no other server of this
/// machine ever gets its cookie.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate serve\n  tollgate serve --port 8080\n  \
tollgate serve --tunnel --bind 127.0.0.1 --port 8080   # then, elsewhere: ssh -L 8080:127.0.0.1:8080 THIS-MACHINE")]
pub struct Serve {
    /// The port; by default one that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// The address to listen on; one that others can reach shows the page to your network, without encryption
    #[arg(long, value_name = "ADDR")]
    pub bind: Option<IpAddr>,
    /// Another name under which you open the page, such as that of a proxy
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// Let in what comes through a tunnel, such as `ssh -L`, also while agents work on this machine
    ///
    /// While agents work, a connection of this machine counts as a person's where another program than theirs is seen with it. Nobody
    /// may look into sshd. With this option, what nobody is seen with is let in. An agent that learned your cookie and goes to
    /// lengths to hide its connection would be, too.
    #[arg(long)]
    pub tunnel: bool,
}

impl Serve {
    pub fn run(self) -> Result<Exit, Failure> {
        let program = std::env::current_exe().map_err(|cause| {
            let message = format!("cannot find the tollgate program itself: {cause}");
            Failure::usage("cli.serve", message)
        })?;
        let state = state_home(|name| std::env::var_os(name)).ok();
        let bind = self.bind.unwrap_or_else(own_loopback);
        let settings = Settings {
            bind: SocketAddr::new(bind, self.port),
            names: self.host,
            tunnel: self.tunnel,
            desk: Desk::new(state.clone(), place::checkout_root()),
            orders: Orders::new(program),
            state,
        };
        serve(settings, |address| tell(address, bind)).map_err(failed)?;
        Ok(Exit::Ok)
    }
}

/// One of the 16 million loopback addresses, so that cookies of the page go to no other server.
fn own_loopback() -> IpAddr {
    let number = std::process::id().wrapping_mul(0x9e37_79b9) >> 8;
    let [_, second, third, fourth] = number.to_be_bytes();
    // 127.0.0.x is where other servers are.
    IpAddr::V4(Ipv4Addr::new(127, second.max(1), third, fourth.clamp(1, 254)))
}

fn tell(address: &str, bind: IpAddr) {
    output::data(address);
    output::talk("Open this address in a browser. Ctrl-C closes the page; sessions continue.");
    if bind.is_unspecified() {
        output::talk(
            "From elsewhere, put the address of this machine in place of the one above; a name of it needs --host NAME.",
        );
    }
    if !bind.is_loopback() {
        output::aside(
            output::WARN,
            "note:",
            "others can reach this address, and what they send and see is not encrypted; a tunnel such as `ssh -L` is safer",
        );
    }
}

fn failed(error: ServeError) -> Failure {
    let failure = Failure::usage("cli.serve", error.to_string());
    match error {
        ServeError::Listen { .. } => {
            failure.hint("another port: `tollgate serve --port N`; 0 takes one that is free")
        }
        ServeError::Start(_) => failure,
    }
}
