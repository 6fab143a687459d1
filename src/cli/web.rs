//! `brv ui`: serves the pages to a browser on this machine.

use super::session::{Report, Run, Session};
use super::ui::{Form, Screen, Style};
use crate::say::site::encoded;
use crate::say::{Exit, Failure};
use crate::web::opening::Browser;
use crate::web::running;
use crate::web::server::{BoundServer, WebSetup};
use brv_base::process;
use brv_commands::ui::{self, Outcome, ServerNote, UiPage, UiTarget};
use brv_engine::FailureKind;
use clap::Args;
use std::io;
use std::time::{Duration, Instant};

/// How long a server in the background may take until it answers.
const START: Duration = Duration::from_secs(10);

/// The arguments of `brv ui`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv ui
  brv ui auth/tokens
  brv ui --no-open
  brv ui --detach --json",
    after_help = "The pages show the tree, its entries with their links, and what a search finds. They are served on this \
machine alone, to who has the key in the address that is printed: it signs a browser in once, within ten minutes. The server \
ends with Ctrl-C, or when no page was asked for in 30 minutes; a second `brv ui` gives a new address of the same server."
)]
pub struct Arguments {
    /// The entry or folder to show first; default: the whole tree
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// The port; default: one that stays the same for the tree, or any other that is free
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Start no browser; print an address for one without scripts, too
    #[arg(long)]
    no_open: bool,
    /// Serve in the background, and end
    #[arg(long)]
    detach: bool,
    /// What `--detach` starts
    #[arg(long, hide = true, conflicts_with = "detach")]
    in_background: bool,
}

impl Run for Arguments {
    const NAME: &'static str = "ui";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let cx = session.context();
        let target = ui::find(&cx, self.path.as_deref())?;
        let note = ServerNote::of(&session.environment, &target.tree);
        if let Some(found) = self.running(&note, &target, session)? {
            return Ok(found);
        }
        if self.detach {
            return self.start(&note, &target, session);
        }
        if self.in_background {
            process::lead_session();
        }
        let usual = [ui::usual_port(&target.tree), 0];
        let own = self.port.map(|port| [port]);
        let ports = own.as_ref().map_or(&usual[..], |own| &own[..]);
        let setup = WebSetup {
            environment: session.environment.clone(),
            clock: session.clock,
            target: target.clone(),
        };
        let server = BoundServer::of(setup, ports).map_err(|error| cannot_listen(self.port, &error))?;
        let noted = server.note();
        note.write(&noted).map_err(|error| Failure::because(FailureKind::Failed, &error))?;
        if !self.in_background {
            let without =
                if self.no_open { Some(server.key().map_err(|error| no_key(&error))?) } else { None };
            let key = server.key().map_err(|error| no_key(&error))?;
            self.tell(session, &target, Signin { port: server.port, key, without, is_reused: false });
        }
        server.serve();
        note.remove(&noted);
        Ok(Exit::Done)
    }
}

/// What signs a browser in.
struct Signin {
    port: u16,
    key: String,
    /// The key for a browser without scripts.
    without: Option<String>,
    is_reused: bool,
}

impl Arguments {
    /// Print the address of a server that runs already.
    fn running(
        &self,
        note: &ServerNote,
        target: &UiTarget,
        session: &Session,
    ) -> Result<Option<Exit>, Failure> {
        let Some(server) = note.read() else { return Ok(None) };
        let Some(key) = running::key(&server) else { return Ok(None) };
        if self.port.is_some_and(|port| port != server.port) {
            let said = format!("the pages of this tree are served on port {} already", server.port);
            return Err(Failure::new(FailureKind::Failed, said));
        }
        let without = if self.no_open { running::key(&server) } else { None };
        Ok(Some(self.tell(session, target, Signin { port: server.port, key, without, is_reused: true })))
    }

    /// Start a server in the background, and print its address when it answers.
    fn start(&self, note: &ServerNote, target: &UiTarget, session: &Session) -> Result<Exit, Failure> {
        let failed =
            |why: &str| Failure::new(FailureKind::Failed, format!("cannot serve in the background: {why}"));
        let program = process::own_program().ok_or_else(|| failed("the program is not where it was"))?;
        let mut command = process::command(program, &session.environment);
        command.current_dir(&session.folder).args(["ui", "--in-background"]);
        command.args(self.port.iter().flat_map(|port| ["--port".to_owned(), port.to_string()]));
        process::detach(&mut command).map_err(|error| failed(&error.to_string()))?;
        let began = Instant::now();
        while began.elapsed() < START {
            if let Some(server) = note.read()
                && let Some(key) = running::key(&server)
            {
                let without = if self.no_open { running::key(&server) } else { None };
                return Ok(self.tell(
                    session,
                    target,
                    Signin { port: server.port, key, without, is_reused: false },
                ));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(failed(&self.port.map_or_else(
            || "it does not answer".to_owned(),
            |port| format!("it does not answer; perhaps port {port} is taken"),
        )))
    }

    /// Print the address, then have a browser open it.
    fn tell(&self, session: &Session, target: &UiTarget, signin: Signin) -> Exit {
        let Signin { port, key, without, is_reused } = signin;
        let page = match &target.page {
            UiPage::Folder(path) => format!("/tree/{path}"),
            UiPage::Entry(path) => format!("/entry/{path}"),
        };
        let to = encoded(&page);
        let site = format!("http://127.0.0.1:{port}");
        let browser = if self.no_open { None } else { Browser::of(&session.environment) };
        let outcome = Outcome {
            url: format!("{site}/#key={key}&to={to}"),
            port,
            reused: is_reused,
            opened: browser.is_some(),
            without_script: without.map(|key| format!("{site}/s/{key}?to={to}")),
        };
        // the address first: a browser may hang
        let exit = session.report(Report::new(&outcome), |screen| draw(screen, &outcome));
        match browser {
            Some(browser) if !browser.open(&session.environment, &outcome.url) => {
                session.ui.note("warning", Style::Notable, "the browser could not be started");
            }
            None if !self.no_open && session.ui.form() == Form::Text => {
                let there = format!(
                    "no browser is started here; from another machine: ssh -L {port}:127.0.0.1:{port} HOST"
                );
                session.ui.note("hint", Style::Dim, &there);
            }
            _ => {}
        }
        exit
    }
}

fn draw(screen: &mut Screen, outcome: &Outcome) {
    screen.word(Style::Name, &outcome.url).end();
    if let Some(address) = &outcome.without_script {
        screen.plain("without a script: ").word(Style::Name, address).end();
    }
}

fn cannot_listen(port: Option<u16>, error: &io::Error) -> Failure {
    let message = match port {
        Some(port) if error.kind() == io::ErrorKind::AddrInUse => format!("port {port} is taken"),
        Some(port) => format!("cannot listen on port {port}: {error}"),
        None => format!("cannot listen: {error}"),
    };
    Failure::new(FailureKind::Failed, message)
}

fn no_key(error: &io::Error) -> Failure {
    Failure::new(FailureKind::Failed, format!("cannot make a key: {error}"))
}
