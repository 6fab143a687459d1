//! `brv ui`: serves the pages to a browser on this machine.

use super::session::Catalog;
use super::ui::{Screen, Style};
use super::verb::{Answer, Verb};
use crate::say::Failure;
use crate::say::described::{Described, described};
use crate::say::site::form::SiteRights;
use crate::say::site::{encoded, still};
use crate::say::words::many;
use crate::web::export as writing;
use crate::web::keys::Visitor;
use crate::web::opening::Browser;
use crate::web::pages::WebSetup;
use crate::web::running::{self, GivenKey};
use crate::web::server::BoundServer;
use brv_base::process;
use brv_commands::ui::{self, Outcome, ServerNote, UiPage, UiTarget, export};
use brv_engine::{Context, FailureKind, Stop};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

/// How long a server in the background may take until it answers.
const START: Duration = Duration::from_secs(10);

/// The arguments of `brv ui`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv ui
  brv ui auth/tokens
  brv ui review
  brv ui HEAD~1..HEAD
  brv ui --no-open
  brv ui --detach --json
  brv ui --export site
  brv ui --export site --at v1",
    after_help = "The pages show the tree, its entries with their links, what a search finds, the history and what waits for review, \
and a person decides there: approve, reject, comment, settle, fix, archive, undo. An agent's page reads and comments. They are \
served on this machine alone, to who has the key in the address that is printed: it signs a browser in once, within ten minutes. The server \
ends with Ctrl-C, or when no page was asked for in 30 minutes; a second `brv ui` gives a new address of the same server.

--export serves nothing. It writes the folders and entries of a commit as files, for readers without brv. A change that waits for \
review is not shown, nor what is withheld or not committed; all of it is counted. The folder must be empty or an earlier \
export, whose files are replaced; other files stay. `brv help page` says more."
)]
pub struct Arguments {
    /// What to show first: an entry, a folder, `review`, the ID of a change, `why`, a commit or A..B; default: the overview
    #[arg(value_name = "WHAT")]
    what: Option<String>,
    /// The port; default: one that stays the same for the tree, or any other that is free
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Start no browser; print an address for one without scripts, too
    #[arg(long)]
    no_open: bool,
    /// Serve in the background, and end
    #[arg(long)]
    detach: bool,
    /// Only read: no form, and none is taken
    #[arg(long)]
    read_only: bool,
    /// Write the pages to files in this folder
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["what", "port", "no_open", "detach", "read_only", "in_background"]
    )]
    export: Option<String>,
    /// With --export: the commit that is shown; default: HEAD
    #[arg(long, value_name = "REV", requires = "export")]
    at: Option<String>,
    /// What `--detach` starts
    #[arg(long, hide = true, conflicts_with = "detach")]
    in_background: bool,
    /// The commands that forms call.
    #[arg(skip)]
    all: Option<Catalog>,
}

/// What is answered: where pages are served, or with `--export`, where they were written.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UiAnswer")]
#[serde(untagged)]
pub enum UiAnswer {
    Served(Outcome),
    Written(export::Outcome),
}

/// The name of the schema with `--export`.
const EXPORT: &str = "ui export";

impl Verb for Arguments {
    const NAME: &'static str = "ui";
    const SCHEMAS: &'static [Described] =
        &[described::<Outcome>(Self::NAME), described::<export::Outcome>(EXPORT)];
    type Outcome = UiAnswer;

    fn schema(&self) -> &'static str {
        if self.export.is_some() { EXPORT } else { Self::NAME }
    }

    fn prepare(&mut self, _cx: &Context<'_>, all: Catalog) {
        self.all = Some(all);
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, UiAnswer>, Failure> {
        if let Some(dir) = &self.export {
            return Ok(Answer::new(UiAnswer::Written(writing::export(cx, dir, self.at.as_deref())?)));
        }
        let target = ui::find(cx, self.what.as_deref())?;
        let note = ServerNote::of(&cx.environment, &target.tree)?;
        if let Some(sign_in) = self.running(cx, &note)? {
            return Ok(self.answer(cx, &target, sign_in, None));
        }
        if self.detach {
            let sign_in = self.start(cx, &note)?;
            return Ok(self.answer(cx, &target, sign_in, None));
        }
        if self.in_background {
            process::lead_session();
        }
        let starting = note.lock()?;
        // another one may have started meanwhile
        if let Some(sign_in) = self.running(cx, &note)? {
            return Ok(self.answer(cx, &target, sign_in, None));
        }
        let wanted = cx.config.ui.port.value.unwrap_or_else(|| ui::usual_port(&target.tree));
        let ports =
            self.port.map_or_else(|| vec![wanted, ui::usual_port(&target.tree), 0], |port| vec![port]);
        let all = self.all.as_ref().ok_or_else(|| Stop::failed("there is no table of commands"))?;
        let setup = WebSetup {
            environment: cx.environment.clone(),
            clock: cx.clock,
            target: target.clone(),
            commands: (all.commands)(),
            most: if self.read_only { SiteRights::Reading } else { SiteRights::Everything },
        };
        let server = BoundServer::of(setup, &ports).map_err(|error| cannot_listen(self.port, &error))?;
        note.write(&server.note()).map_err(|error| Failure::because(FailureKind::Failed, &error))?;
        drop(starting);
        let visitor = self.visitor(cx);
        let key = || server.key(&visitor).map_err(|error| cannot_listen(None, &error));
        let without = if self.no_open { Some(key()?.key) } else { None };
        let sign_in = SignInKeys { port: server.port, given: key()?, without, is_reused: false };
        let serve = move || {
            let noted = server.note();
            server.serve();
            note.remove(&noted);
        };
        let told = (self.port.is_none() && sign_in.port != wanted)
            .then(|| format!("port {wanted} is taken: another one is served"));
        Ok(self.answer(cx, &target, sign_in, Some(Box::new(serve))).warning(told))
    }

    fn text(&self, answer: &UiAnswer, screen: &mut Screen) {
        let outcome = match answer {
            UiAnswer::Served(outcome) => outcome,
            UiAnswer::Written(outcome) => return written(outcome, screen),
        };
        screen.word(Style::Name, &outcome.url).end();
        if let Some(address) = &outcome.without_script {
            screen.plain("without a script: ").word(Style::Name, address).end();
        }
        if !outcome.opened && !self.no_open {
            let port = outcome.port;
            let forward = format!(
                "no browser is started here; from another machine: ssh -L {port}:127.0.0.1:{port} HOST"
            );
            screen.text(Style::Dim, forward).end();
        }
    }
}

/// What signs a browser in.
struct SignInKeys {
    port: u16,
    given: GivenKey,
    /// The key for a browser without scripts.
    without: Option<String>,
    is_reused: bool,
}

/// What is done when the address was printed.
type Serving = Box<dyn FnOnce()>;

impl Arguments {
    /// Who asks: what a sign-in grants belongs to who asked for it.
    fn visitor(&self, cx: &Context<'_>) -> Visitor {
        let rights = match (self.read_only, cx.is_by_agent()) {
            (true, _) => SiteRights::Reading,
            (false, true) => SiteRights::Comments,
            (false, false) => SiteRights::Everything,
        };
        Visitor { rights, actor: cx.actor.clone() }
    }

    /// The keys of a server that runs already.
    fn running(&self, cx: &Context<'_>, note: &ServerNote) -> Result<Option<SignInKeys>, Failure> {
        let Some(server) = note.read() else { return Ok(None) };
        let visitor = self.visitor(cx);
        let Some(given) = running::key(&server, &visitor) else { return Ok(None) };
        if self.port.is_some_and(|port| port != server.port) {
            let said = format!("the pages of this tree are served on port {} already", server.port);
            return Err(Failure::new(FailureKind::Failed, said));
        }
        let without = if self.no_open { running::key(&server, &visitor) } else { None };
        let without = without.map(|given| given.key);
        Ok(Some(SignInKeys { port: server.port, given, without, is_reused: true }))
    }

    /// Start a server in the background; its keys when it answers.
    fn start(&self, cx: &Context<'_>, note: &ServerNote) -> Result<SignInKeys, Failure> {
        let failed =
            |why: &str| Failure::new(FailureKind::Failed, format!("cannot serve in the background: {why}"));
        if let Some(port) = self.port {
            let free = TcpListener::bind((Ipv4Addr::LOCALHOST, port));
            free.map_err(|error| cannot_listen(self.port, &error))?;
        }
        let program = process::own_program().ok_or_else(|| failed("the program is not where it was"))?;
        let mut command = process::command(program, &cx.environment);
        command.current_dir(&cx.cwd).args(["ui", "--in-background"]);
        command.args(self.read_only.then_some("--read-only"));
        command.args(self.port.iter().flat_map(|port| ["--port".to_owned(), port.to_string()]));
        process::detach(&mut command).map_err(|error| failed(&error.to_string()))?;
        let began = Instant::now();
        while began.elapsed() < START {
            if let Some(sign_in) = self.running(cx, note)? {
                return Ok(SignInKeys { is_reused: false, ..sign_in });
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(failed("it does not answer"))
    }

    /// The address; a browser is told to open it when it was printed, since that may hang.
    fn answer<'a>(
        &self,
        cx: &Context<'_>,
        target: &UiTarget,
        sign_in: SignInKeys,
        serve: Option<Serving>,
    ) -> Answer<'a, UiAnswer> {
        let SignInKeys { port, given: GivenKey { key, writes }, without, is_reused } = sign_in;
        let page = match &target.page {
            UiPage::Home => "/home".to_owned(),
            UiPage::Folder(path) => format!("/tree/{path}"),
            UiPage::Entry(path) => format!("/entry/{path}"),
            UiPage::Review => "/review".to_owned(),
            UiPage::Why => "/why".to_owned(),
            UiPage::Change(id) => format!("/review/{id}"),
            UiPage::Commit(name) => format!("/commit/{name}"),
            UiPage::Difference(range) => format!("/diff/{range}"),
        };
        let (to, site) = (encoded(&page), format!("http://127.0.0.1:{port}"));
        let url = format!("{site}/#key={key}&to={to}");
        let opens = !self.no_open && !self.in_background && !cx.is_by_agent();
        let browser = if opens { Browser::of(&cx.environment) } else { None };
        let outcome = Outcome {
            url: url.clone(),
            port,
            reused: is_reused,
            read_only: !writes,
            opened: browser.is_some(),
            without_script: without.map(|key| format!("{site}/s/{key}?to={to}")),
        };
        let environment = cx.environment.clone();
        Answer::new(UiAnswer::Served(outcome)).after(move || {
            // where it does not start, the address is there
            if let Some(browser) = browser {
                let _ = browser.open(&environment, &url);
            }
            serve.into_iter().for_each(|serve| serve());
        })
    }
}

/// Where a site was written, and what it does not have.
fn written(outcome: &export::Outcome, screen: &mut Screen) {
    let path = outcome.index.replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    screen.word(Style::Name, format!("file://{slash}{}", encoded(&path).replace("%3A", ":"))).plain(": ");
    let folders = many(outcome.folders, "folder", "folders");
    screen.line(format!("{} in {folders}", many(outcome.entries, "entry", "entries")));
    if let Some(said) = still::left_out(&outcome.left_out, outcome.earlier) {
        screen.line(said);
    }
}

fn cannot_listen(port: Option<u16>, error: &io::Error) -> Failure {
    let message = match port {
        Some(port) if error.kind() == io::ErrorKind::AddrInUse => format!("port {port} is taken"),
        Some(port) => format!("cannot listen on port {port}: {error}"),
        None => format!("cannot serve: {error}"),
    };
    Failure::new(FailureKind::Failed, message)
}
