//! `brv mcp`: serves agents over the Model Context Protocol.

mod commands;

pub use commands::CommandTable;

use super::session::{Run, Session};
use crate::mcp::desk::{Desk, Reach, Setup};
use crate::mcp::{http, stdio};
use crate::say::{Exit, Failure};
use brv_base::clock::Clock;
use brv_base::environment::Environment;
use brv_engine::FailureKind;
use clap::Args;
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// The arguments of `brv mcp`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv mcp
  brv mcp --read-only
  brv mcp --http
  brv mcp --http 127.0.0.1:8700",
    after_help = "An agent's host starts this server and talks to it over standard input and output; `brv connectors install` \
registers it. With --http it serves the project of the current folder to several clients at once, at the address that it \
prints on standard error with the secret of this run. `brv help agents` lists the tools, `brv help security` says what is \
trusted."
)]
pub struct Arguments {
    /// Offer only tools that read
    #[arg(long)]
    read_only: bool,
    /// Serve over HTTP, on this machine only; a port of 0 is any that is free
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1, default_missing_value = "127.0.0.1:0", value_parser = socket)]
    http: Option<SocketAddr>,
}

impl Run for Arguments {
    const NAME: &'static str = "mcp";
    const HAS_OWN_FORMATS: bool = true;

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let setup = Setup {
            environment: session.environment.clone(),
            clock: session.clock,
            folder: session.folder.clone(),
            is_read_only: self.read_only,
            reach: if self.http.is_some() { Reach::Below } else { Reach::Anywhere },
            session: match self.http {
                None => Some(session_of(&session.environment, session.clock)),
                Some(_) => session.environment.get_filled("BRV_SESSION").map(str::to_owned),
            },
        };
        let desk = Desk::new((session.catalog.commands)(), setup);
        let served = match self.http {
            None => stdio::serve(desk),
            Some(socket) => http::serve(desk, socket, |address| {
                // nobody reads it: the address cannot be known, and the clients will say so
                writeln!(
                    io::stderr(),
                    "serving {}\nbearer {}",
                    address.url(),
                    address.bearer.as_deref().unwrap_or_default()
                )
                .ok();
            }),
        };
        served.map_err(|error| Failure::new(FailureKind::Failed, format!("cannot serve: {error}")))?;
        Ok(Exit::Done)
    }
}

/// The session of all calls of this process.
fn session_of(environment: &Environment, clock: Clock) -> String {
    let named = environment.get_filled("BRV_SESSION").map(str::to_owned);
    named.unwrap_or_else(|| format!("mcp-{}-{}", std::process::id(), clock.now().timestamp_millis()))
}

/// `ADDR:PORT`, `PORT` or `ADDR`, of this machine.
fn socket(text: &str) -> Result<SocketAddr, String> {
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let text =
        text.strip_prefix("localhost").map_or_else(|| text.to_owned(), |rest| format!("127.0.0.1{rest}"));
    let port = text.strip_prefix(':').unwrap_or(&text).parse().map(|port| SocketAddr::new(here, port));
    let address = text.parse().map(|address: IpAddr| SocketAddr::new(address, 0));
    let socket = port.or(address).or_else(|_| text.parse::<SocketAddr>());
    match socket {
        Ok(socket) if socket.ip().is_loopback() => Ok(socket),
        Ok(_) => Err("only addresses of this machine are served, such as 127.0.0.1".into()),
        Err(_) => Err("expected an address and a port, such as 127.0.0.1:8700".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_be_short_and_is_of_this_machine() {
        for (text, wanted) in [
            ("8700", "127.0.0.1:8700"),
            (":8700", "127.0.0.1:8700"),
            ("localhost:8700", "127.0.0.1:8700"),
            ("127.0.0.1", "127.0.0.1:0"),
            ("[::1]:8700", "[::1]:8700"),
        ] {
            assert_eq!(socket(text).unwrap().to_string(), wanted, "{text}");
        }
        for text in ["0.0.0.0:80", "192.168.1.1:80", "example.org:80", "", "127.0.0.1:99999"] {
            assert!(socket(text).is_err(), "{text}");
        }
    }
}
