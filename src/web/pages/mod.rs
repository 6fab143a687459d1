//! Makes each page: runs the commands behind it, and has their outcomes written.

mod asking;
mod changing;
mod home;
mod knowledge;
mod reviewing;

use self::home::KeptFinding;
use super::acts::{self, ActFields};
use super::api;
use super::keys::Visitor;
use super::request::SiteRequest;
use crate::say::site::SiteAddresses;
use crate::say::site::form::{ActDone, SiteAct, SiteForms, SiteRights};
use crate::say::site::frame::{PageFrame, SiteSection};
use crate::say::site::problem::{self, PageProblem};
use crate::say::site::refused::{self, RefusedAct};
use crate::say::{Commands, Failure};
use brv_base::clock::Clock;
use brv_base::config::{Config, Flags};
use brv_base::environment::Environment;
use brv_base::escape::shell_word;
use brv_base::path::TreePath;
use brv_base::progress::Silent;
use brv_commands::review::ReviewRow;
use brv_commands::review::pending::{self, ReviewExtent};
use brv_commands::ui::UiTarget;
use brv_commands::vc::log;
use brv_commands::watch::Watch;
use brv_commands::{links, stale, tree, ui};
use brv_engine::{Actor, Audience, BrokenRefs, CallDoor, Context, FailureKind, Preceding};
use hyper::StatusCode;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// A page, or where it is.
pub enum WebAnswer {
    Page(StatusCode, String),
    /// Another address shows it.
    Elsewhere(String),
    /// There is something newer: the word for what is there now.
    Changed(String),
    Unchanged,
    Json(StatusCode, String),
}

/// How long what waits for review is taken as it was, where nothing shows that it changed.
const WAITING: Duration = Duration::from_secs(30);

/// How many things that were done are told at most: of more the oldest is forgotten.
const TOLD: usize = 64;

/// What the pages are of.
pub struct WebSetup {
    pub environment: Environment,
    pub clock: Clock,
    pub target: UiTarget,
    pub commands: Box<dyn Commands>,
    /// The most that any visitor may do.
    pub most: SiteRights,
}

/// What waits for review, and when and at which state of the tree that was so.
type QueueMemo = (String, Instant, Arc<Vec<ReviewRow>>);

/// The pages of one tree.
pub struct WebPages {
    setup: WebSetup,
    addresses: SiteAddresses,
    /// What each form of this run carries.
    secret: String,
    /// `None` where the tree is gone.
    watch: Option<Watch>,
    /// What was done by forms: how many, and the last of them.
    done: Mutex<(usize, Vec<ActDone>)>,
    waiting: Mutex<Option<QueueMemo>>,
    domains: KeptFinding<tree::Outcome>,
    stale: KeptFinding<stale::list::Outcome>,
    broken: KeptFinding<links::Outcome>,
}

/// A visitor at a page.
struct SiteVisit<'m> {
    pages: &'m WebPages,
    visitor: &'m Visitor,
    /// The address of the page below the run.
    from: String,
    /// The address that tells whether the page is out of date.
    changed: String,
    done: Option<ActDone>,
    waiting: Arc<Vec<ReviewRow>>,
    has_keys: bool,
    is_merging: bool,
}

/// A page as it is being made.
struct PageMaker<'m> {
    visit: &'m SiteVisit<'m>,
    cx: Context<'static>,
    request: &'m SiteRequest,
    /// What stands behind the kind of the page.
    below: String,
}

impl WebPages {
    /// The pages below the addresses of a run, whose forms carry this secret.
    pub fn of(setup: WebSetup, addresses: SiteAddresses, secret: String) -> Self {
        let watch = Watch::of(&setup.target.tree, &setup.environment);
        Self {
            setup,
            addresses,
            secret,
            watch,
            done: Mutex::default(),
            waiting: Mutex::default(),
            domains: KeptFinding::default(),
            stale: KeptFinding::default(),
            broken: KeptFinding::default(),
        }
    }

    /// What the addresses of all pages begin with.
    pub fn base(&self) -> &str {
        self.addresses.base()
    }

    /// The most that any visitor may do.
    pub const fn most(&self) -> SiteRights {
        self.setup.most
    }

    /// The page at an address below the run.
    pub fn page(&self, request: &SiteRequest, visitor: &Visitor) -> WebAnswer {
        let below = request.path.get(2..).unwrap_or_default().join("/");
        let kind = request.path.get(1).map_or("", String::as_str);
        let is_entry = kind == "entry" && TreePath::parse(below.as_bytes()).is_ok();
        let is_folder = kind == "tree" && TreePath::parse(below.as_bytes()).is_ok();
        let watched = if is_entry || is_folder { &*below } else { "" };
        match kind {
            "" => return WebAnswer::Elsewhere(self.addresses.home()),
            "changed" => return self.is_changed(&below, request.get("seen")),
            _ => {}
        }
        // before the page: what changes meanwhile is told
        let seen = self.watch.as_ref().map(|watch| watch.word(watched));
        let changed = seen.map(|seen| self.addresses.changed(watched, &seen)).unwrap_or_default();
        let done = request.get("done").and_then(|number| self.told(number.parse().ok()?));
        let mut visit = SiteVisit { changed, done, ..self.at(visitor, request.below()) };
        let made = self.context(visitor).map(|cx| {
            visit.has_keys = cx.config.ui.keys.value;
            visit.is_merging = ui::is_merging(&cx).unwrap_or_default();
            if request.get("part").is_none() && kind != "api" {
                visit.waiting = self.waiting(&cx);
            }
            PageMaker { visit: &visit, cx, request, below }.page(kind)
        });
        made.unwrap_or_else(|failure| Err(failure.into())).unwrap_or_else(|problem| visit.problem(&problem))
    }

    /// Do what a form asks for.
    pub fn act(&self, visitor: &Visitor, act: SiteAct, fields: ActFields) -> WebAnswer {
        let from = fields.get("from").filter(|from| from.starts_with('/') && !from.starts_with("//"));
        let from = from.unwrap_or("/home").to_owned();
        let fields = fields.own();
        let visit = self.at(visitor, from.clone());
        let mut cx = match self.context(visitor) {
            Ok(cx) => cx,
            Err(failure) => return visit.problem(&failure.into()),
        };
        match acts::act(&*self.setup.commands, &mut cx, (visitor, act), fields) {
            Ok(done) => {
                // a change that was taken back, or a branch that is gone, may have no page
                let is_gone = matches!(act, SiteAct::Reject | SiteAct::Merge | SiteAct::Delete);
                let from = if is_gone { "/review" } else { &*from };
                let mark = if from.contains('?') { '&' } else { '?' };
                WebAnswer::Elsewhere(format!("{}{from}{mark}done={}", self.base(), self.tell(done)))
            }
            Err(refused) => {
                let (status, refused) = *refused;
                let heading =
                    if status == StatusCode::CONFLICT { "It has changed" } else { "That did not work" };
                let frame = visit.frame(SiteSection::Other, heading, &[]);
                WebAnswer::Page(status, refused::page(&frame, &refused))
            }
        }
    }

    /// The page for a form that is not of this run: what was typed stays, and can be sent again.
    pub fn refuse(&self, visitor: &Visitor, act: SiteAct, fields: ActFields) -> WebAnswer {
        let visit = self.at(visitor, fields.get("from").unwrap_or("/home").to_owned());
        let fields = fields.own().0;
        let failure = Failure::new(FailureKind::Refused, "The form is not of this run: nothing was done.");
        let refused = RefusedAct { act, fields, failure, moved: Vec::new() };
        let frame = visit.frame(SiteSection::Other, "That did not work", &[]);
        WebAnswer::Page(StatusCode::FORBIDDEN, refused::page(&frame, &refused))
    }

    /// A visitor at a page of which nothing is known yet.
    fn at<'m>(&'m self, visitor: &'m Visitor, from: String) -> SiteVisit<'m> {
        SiteVisit {
            pages: self,
            visitor,
            from,
            changed: String::new(),
            done: None,
            waiting: Arc::default(),
            has_keys: true,
            is_merging: false,
        }
    }

    /// Remember what was done, under the number that is given back.
    fn tell(&self, one: ActDone) -> usize {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        if done.1.len() == TOLD {
            done.1.remove(0);
        }
        done.0 += 1;
        done.1.push(one);
        done.0
    }

    fn told(&self, number: usize) -> Option<ActDone> {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let before_last = done.0.checked_sub(number)?;
        done.1.len().checked_sub(before_last + 1).map(|at| done.1[at].clone())
    }

    /// What waits for review.
    fn waiting(&self, cx: &Context<'_>) -> Arc<Vec<ReviewRow>> {
        let word = self.watch.as_ref().map(|watch| watch.word("")).unwrap_or_default();
        let mut known = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((then, when, rows)) if *then == word && when.elapsed() < WAITING => rows.clone(),
            _ => {
                let found = pending::run(cx, ReviewExtent::Outgoing).map(|outcome| outcome.pending);
                let rows = Arc::new(found.unwrap_or_default());
                *known = Some((word, Instant::now(), rows.clone()));
                rows
            }
        }
    }

    /// Whether the tree, or this entry, is another one than was seen.
    fn is_changed(&self, path: &str, seen: Option<&str>) -> WebAnswer {
        let is_path = path.is_empty() || TreePath::parse(path.as_bytes()).is_ok();
        let now = self.watch.as_ref().filter(|_| is_path).map(|watch| watch.word(path));
        match now {
            Some(now) if Some(&*now) != seen => WebAnswer::Changed(now),
            _ => WebAnswer::Unchanged,
        }
    }

    /// What commands run in: the folder of the tree, so that a name is a path of the tree; called by who signed in, whoever
    /// started the server.
    fn context(&self, visitor: &Visitor) -> Result<Context<'static>, Failure> {
        let WebSetup { environment, clock, target, .. } = &self.setup;
        let environment = called_by(environment, &visitor.actor);
        let config = Config::load(Flags::default(), &environment);
        let config = config.map_err(|error| Failure::because(FailureKind::Usage, &error))?;
        Ok(Context {
            cwd: target.tree.clone(),
            environment,
            clock: *clock,
            config,
            progress: &Silent,
            actor: visitor.actor.clone().through(CallDoor::Cli, &self.setup.environment),
            audience: Audience::Headless,
            input: Some(Vec::new()),
            preceding: Preceding::default(),
            broken_refs: BrokenRefs::default(),
            kept: OnceLock::new(),
            ends_with_process: false,
            ends_at: None,
        })
    }
}

/// The environment as this caller has it.
fn called_by(environment: &Environment, actor: &Actor) -> Environment {
    let own = [("BRV_ACTOR", &actor.name), ("BRV_SESSION", &actor.session)];
    let others = environment.iter().filter(|(name, _)| own.iter().all(|(known, _)| name != known));
    let given = own.iter().filter_map(|(name, value)| Some(((*name).into(), value.as_ref()?.into())));
    others.map(|(name, value)| (name.to_owned(), value.to_owned())).chain(given).collect()
}

impl SiteVisit<'_> {
    fn frame<'f>(&'f self, section: SiteSection, title: &'f str, commands: &'f [String]) -> PageFrame<'f> {
        let pages = self.pages;
        PageFrame {
            addresses: &pages.addresses,
            project: &pages.setup.target.project,
            section,
            title,
            query: "",
            commands,
            changed: &self.changed,
            waits: self.waiting.len(),
            forms: SiteForms {
                rights: if self.is_merging {
                    self.visitor.rights.min(SiteRights::Comments)
                } else {
                    self.visitor.rights
                },
                base: pages.base(),
                secret: &pages.secret,
                from: &self.from,
            },
            done: self.done.as_ref(),
            has_keys: self.has_keys,
            is_merging: self.is_merging,
        }
    }

    fn problem(&self, problem: &PageProblem) -> WebAnswer {
        let (status, heading) = match problem.failure.stop.kind {
            FailureKind::Usage => (StatusCode::NOT_FOUND, "Not found"),
            FailureKind::Busy => (StatusCode::SERVICE_UNAVAILABLE, "Busy"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "That did not work"),
        };
        let frame = self.frame(SiteSection::Other, heading, &[]);
        WebAnswer::Page(status, problem::page(&frame, problem))
    }
}

impl PageMaker<'_> {
    fn page(&self, kind: &str) -> Result<WebAnswer, PageProblem> {
        match kind {
            "api" => {
                let asked = (&*self.below, self.request.get("input"));
                let answer = api::answer(&*self.visit.pages.setup.commands, &self.cx, asked);
                let (status, json) = answer.ok_or_else(nowhere)?;
                Ok(WebAnswer::Json(status, json))
            }
            "home" => self.home(),
            "tree" => self.tree(),
            "entry" => match self.below.rsplit_once(".md/") {
                Some((path, "links")) => self.links(&format!("{path}.md")),
                Some((path, "history")) => self.history(&format!("{path}.md")),
                Some((path, "blame")) => self.blame(&format!("{path}.md")),
                _ => self.entry(),
            },
            "changes" => self.changes(),
            "commit" => self.commit(),
            "diff" => self.difference(),
            "findings" => self.findings(),
            "review" if self.below.is_empty() => self.queue(),
            "review" => match self.below.strip_prefix("branch/").filter(|name| acts::is_dream(name)) {
                Some(name) => self.branch(name),
                None => self.reviewed(),
            },
            "why" => self.why(),
            "search" => self.search(),
            _ => Err(nowhere().into()),
        }
    }

    fn frame<'f>(&'f self, section: SiteSection, title: &'f str, commands: &'f [String]) -> PageFrame<'f> {
        self.visit.frame(section, title, commands)
    }

    /// The history; none where there is no commit yet.
    fn log(&self, options: &log::Options) -> Result<log::Outcome, PageProblem> {
        match ui::has_commits(&self.cx)? {
            true => Ok(log::run(&self.cx, options)?),
            false => Ok(log::Outcome { commits: Vec::new() }),
        }
    }

    /// Whether a page asks for a part of it.
    fn is_part(&self) -> bool {
        self.request.get("part").is_some()
    }
}

fn nowhere() -> Failure {
    Failure::usage("there is no page at this address")
}

/// The command line of these words, for a person to paste.
fn command(words: &[&str]) -> String {
    let words = ["brv"].into_iter().chain(words.iter().copied().filter(|word| !word.is_empty()));
    words.map(shell_word).collect::<Vec<_>>().join(" ")
}

/// What names a commit or a range, and is no flag.
fn revision(name: &str) -> Result<String, Failure> {
    match name.is_empty() || name.starts_with('-') {
        true => Err(nowhere()),
        false => Ok(name.to_owned()),
    }
}
