//! `brv agent-hook HOST`: what the hooks of a coding agent call. Adds to the agent's context what the project knows.
//!
//! A host takes an exit code for a decision, and what it cannot read for a failure of its own. So the command always ends
//! with 0, within two seconds, and prints one line of JSON or nothing. Where its time was too short, standard error says so.

use crate::cli::globals::Globals;
use crate::cli::session::{Caller, CommandStart, Report, start};
use crate::cli::ui::Form;
use crate::say::agent_hook::AgentMessage;
use crate::say::{Exit, agent_hook as words, last_changes};
use brv_base::clock::Clock;
use brv_base::config::Config;
use brv_base::environment::Environment;
use brv_base::progress::Silent;
use brv_commands::agent_hook::offer::{self, PendingOffer};
use brv_commands::agent_hook::{self, AnswerableCall, Asked, Call, LastChange, Outcome, Output};
use brv_commands::brain::for_files::{self, SessionView};
use brv_commands::brain::served::{self, ServedAnswer};
use brv_commands::brain::{self, Budgets, Options};
use brv_commands::hooks;
use brv_engine::{Actor, Audience, BrokenRefs, Context, FailureKind, Preceding, Stop};
use clap::{ArgMatches, Args, FromArgMatches as _};
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The name of the command.
pub const NAME: &str = "agent-hook";

/// How long the command may take: its registration gives it two seconds.
const PATIENCE: Duration = Duration::from_millis(1_800);

/// The most bytes of standard input that are read into memory.
const MOST_INPUT: u64 = 1 << 20;

/// The budget of the summary for an agent in a session, in tokens: with its fence and origins it has 1,000.
const SHORT_SUMMARY: u64 = 750;

/// The arguments of `brv agent-hook`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv agent-hook claude
  brv agent-hook codex",
    after_help = "Reads the host's event as JSON on standard input. SessionStart and SubagentStart get a summary of \
the tree, PreToolUse what is known about the file to read or change: each once in a session, again after a compaction, and \
after 30 minutes what is new. Prints one line of JSON, or nothing, and always ends with 0. If 1.8 seconds are too short, it \
says so on standard error, and the next call continues."
)]
pub struct Arguments {
    /// The host that calls: claude or codex
    #[arg(value_name = "HOST")]
    host: String,
}

/// Run the command.
///
/// # Errors
/// The parser's, if a host is not named.
pub fn call(matches: &ArgMatches, caller: Caller) -> Result<Exit, clap::Error> {
    let arguments = Arguments::from_arg_matches(matches)?;
    if caller.globals.json.is_some() {
        let how = CommandStart { name: NAME, form: Form::Json, mends_settings: true };
        return Ok(start(how, caller, &mut |session| {
            let mut output = None;
            answer(&arguments.host, &session.context(), &mut |said| output = Some(said));
            Ok(session.report(Report::new(&Outcome { output }), |_| {}))
        }));
    }
    leave_in_time();
    let ends_at = Instant::now() + PATIENCE;
    // a panic has words for people on standard error, and an exit code
    std::panic::set_hook(Box::new(|_| {}));
    let _ = std::panic::catch_unwind(|| {
        let cx = Context { ends_at: Some(ends_at), ..context(&caller.globals, caller.environment.clone())? };
        answer(&arguments.host, &cx, &mut |output| {
            let mut out = std::io::stdout();
            // there is nobody to report to if the host does not read
            let _ = out.write_all(words::line(&output).as_bytes()).and_then(|()| out.flush());
        })
    });
    Ok(Exit::Done)
}

/// End the process when its time is over, whatever it waits for: a lock, a slow disk, or the rest of standard input.
#[expect(clippy::disallowed_methods, reason = "the main thread may hang in a system call")]
fn leave_in_time() {
    std::thread::spawn(|| {
        std::thread::sleep(PATIENCE);
        say_nothing_was_told(&words::out_of_time(PATIENCE));
        std::process::exit(0);
    });
}

/// Say on standard error why the agent got nothing: hosts show that to no model.
fn say_nothing_was_told(why: &str) {
    let _ = std::io::stderr().write_all(words::nothing_told(why).as_bytes());
}

/// `None` where settings are invalid or the folder is gone: others report that.
fn context(globals: &Globals, environment: Environment) -> Option<Context<'static>> {
    Some(Context {
        cwd: globals.folder().ok()?,
        clock: Clock::from_environment(&environment),
        config: Config::load(globals.settings(), &environment).ok()?,
        progress: &Silent,
        actor: Actor::of(&environment),
        audience: Audience::Agent,
        input: None,
        preceding: Preceding::default(),
        broken_refs: BrokenRefs::default(),
        kept: OnceLock::new(),
        ends_with_process: true,
        ends_at: None,
        environment,
    })
}

/// Give the agent the output, if there is any, and note what it was given.
fn answer(host: &str, cx: &Context<'_>, say: &mut dyn FnMut(Output)) -> Option<()> {
    let input = input();
    if hooks::run::is_off(&cx.environment) {
        return None;
    }
    let call = agent_hook::read(&input)?;
    agent_hook::note(cx, host)?;
    let places = places(cx, &call);
    places
        .into_iter()
        .map(|cwd| at(cwd, cx))
        .find(|cx| cx.keep_open().is_ok())
        .and_then(|cx| told(&cx, (host, &call), say))
}

/// The start of standard input; the rest is read, too, as a host may wait for that.
fn input() -> Vec<u8> {
    let (mut stdin, mut bytes) = (std::io::stdin().lock(), Vec::new());
    let _ = stdin.by_ref().take(MOST_INPUT).read_to_end(&mut bytes);
    let _ = std::io::copy(&mut stdin, &mut std::io::sink());
    bytes
}

/// Where the tree is looked for: where the agent works, where its session began, and where the hook runs.
fn places(cx: &Context<'_>, call: &Call) -> Vec<PathBuf> {
    let began = cx.environment.get_filled("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let works = call.cwd.clone();
    // what another project knows is not for an agent that left it
    let is_above = |place: &PathBuf| works.as_ref().is_none_or(|works| works.starts_with(place));
    let runs = Some(cx.cwd.clone()).filter(is_above);
    works.clone().into_iter().chain(began).chain(runs).filter(|place| place.is_absolute()).collect()
}

fn at<'a>(cwd: PathBuf, cx: &Context<'a>) -> Context<'a> {
    Context {
        cwd,
        environment: cx.environment.clone(),
        config: cx.config.clone(),
        actor: cx.actor.clone(),
        audience: Audience::Agent,
        input: None,
        preceding: cx.preceding.clone(),
        broken_refs: cx.broken_refs.clone(),
        kept: OnceLock::new(),
        ends_with_process: true,
        ..*cx
    }
}

/// Say at an event what there is: a document that fits what the agent does, and what it may file about its own commit.
fn told(cx: &Context<'_>, (host, call): (&str, &Call), say: &mut dyn FnMut(Output)) -> Option<()> {
    let offered = offer::begin(cx, call).filter(PendingOffer::claim);
    let offer = offered.as_ref().map(|offered| &offered.offer);
    let begun = agent_hook::begin(cx, call);
    let document = begun.as_ref().and_then(|begun| Some((begun, claimed(cx, begun)?)));
    if offer.is_none() && document.is_none() {
        return None;
    }
    let said = document.as_ref().map(|(begun, said)| (&begun.asked, said.text.as_str(), &said.changes[..]));
    let comments = document.as_ref().and_then(|(_, said)| said.comments.as_deref());
    say(words::output(call.event.name(), &AgentMessage { offer, document: said, comments }));
    document.into_iter().for_each(|(_, said)| agent_hook::note_given(cx, (host, call), said.given));
    Some(())
}

/// The document that an agent asks for, if this process is the one that tells it.
fn claimed<'a>(cx: &'a Context<'_>, begun: &AnswerableCall<'_>) -> Option<HookDocument<'a>> {
    let mut said = match document(cx, &begun.asked) {
        Err(stop) if stop.kind == FailureKind::Busy => {
            say_nothing_was_told(&stop.message);
            return None;
        }
        found => found.ok()??,
    };
    let comments = said.comments.as_deref().unwrap_or_default();
    if said.text.is_empty() || !begun.claim(&format!("{}\n{comments}", said.text)) {
        return None;
    }
    said.shown.take().into_iter().for_each(SessionView::remember);
    Some(said)
}

/// What `brv brain` says.
struct HookDocument<'a> {
    text: String,
    /// Who wrote the entries in it.
    changes: Vec<LastChange>,
    /// What waits for an answer, between markers of its own.
    comments: Option<String>,
    /// The session that they are noted as shown in, if any.
    shown: Option<SessionView<'a>>,
    /// The entries in it.
    given: ServedAnswer,
}

/// `None`: there is nothing to say.
fn document<'a>(cx: &'a Context<'_>, asked: &Asked) -> Result<Option<HookDocument<'a>>, Stop> {
    let budgets = match asked {
        Asked::Files { files, session } => {
            let (found, shown) = for_files::find(cx, files, Some(session))?;
            let given = served::of_files(&found);
            let (text, changes) = (counting(found.document, found.withheld), found.last_changes);
            return Ok(Some(HookDocument { text, changes, comments: None, shown: Some(shown), given }));
        }
        Asked::Summary => Budgets::default(),
        Asked::ShortSummary => Budgets { total: SHORT_SUMMARY, ..Budgets::default() },
    };
    let options = Options { summary: true, budgets, ..Options::default() };
    let (brain, _) = brain::run(cx, &options)?;
    if brain.tree.is_empty() && brain.archived == 0 {
        return Ok(None);
    }
    let given = served::of_document(&brain, &options);
    let text = counting(brain.document, brain.withheld);
    let comments = agent_hook::comments(cx, asked);
    Ok(Some(HookDocument { text, changes: brain.last_changes, comments, shown: None, given }))
}

/// A document, with how many entries it leaves out because nobody here has accepted them.
fn counting(mut document: String, withheld: usize) -> String {
    if let Some(line) = last_changes::withheld(withheld) {
        document.extend([&line, "\n"]);
    }
    document
}
