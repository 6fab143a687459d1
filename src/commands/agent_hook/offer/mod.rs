//! The question to an agent after its own commit: to file the reason that the commit does not say, or that the rules
//! read wrongly. Who made the change knows it now, and in the next session nobody does.
//!
//! One line, at the first event after the job of the commit is done; never for a subagent, three times a session at most, and
//! once for a commit.

mod message;
mod own_commits;
mod session;

use super::call::{Call, Event};
use brv_base::path::TreePath;
use brv_engine::Context;
use brv_engine::jobs::{self, Store, Verdict};
use brv_engine::journal;
use brv_engine::open::context::Opened;
use brv_engine::open::hosting::Host;
use brv_engine::open::state::StoredJob;
use brv_engine::read::history::provenance::HOOK;
use brv_git::{CommitId, revision};
use brv_text::judge;
use session::OfferSession;

/// A commit, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The first digits of its id.
    pub commit: String,
    /// Its subject, if it may be shown.
    pub subject: Option<String>,
    /// What was filed of it; `None`: it gave no reason that the rules could read.
    pub filed: Option<OfferFiling>,
}

/// What was filed of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferFiling {
    /// The sentence that says most, if it may be shown.
    pub lead: Option<String>,
    /// The entry that it is in, if its name may be shown.
    pub path: Option<TreePath>,
}

/// An offer that may be made.
pub struct PendingOffer<'a> {
    session: OfferSession<'a>,
    commit: CommitId,
    pub offer: Offer,
}

impl PendingOffer<'_> {
    /// Whether this process is the one that makes the offer. Afterwards no other one does.
    pub fn claim(&self) -> bool {
        self.session.claim(self.commit).unwrap_or(false)
    }
}

/// Find what the agent may be offered at this event. That its session was seen is remembered at each event.
pub fn begin<'a>(cx: &'a Context<'_>, call: &Call) -> Option<PendingOffer<'a>> {
    if !call.agent.is_empty() || !cx.config.agents_offer.value {
        return None;
    }
    let opened = cx.keep_open().ok()?;
    let session = OfferSession::of(opened, call, cx.clock.seconds());
    let began = session.began()?;
    if !may_offer(&call.event) {
        return None;
    }
    let host = Host::of(opened, &cx.cwd).ok()??;
    let commits = own_commits::since(&host, began)?;
    if commits.is_empty() || !session.may_be_asked()? {
        return None;
    }
    let store = Store::of(opened).ok()?;
    for commit in commits {
        if session.was_offered(commit)? {
            continue;
        }
        if let Some(offer) = offer(opened, &host, &store, commit) {
            return Some(PendingOffer { session, commit, offer });
        }
    }
    None
}

const fn may_offer(event: &Event) -> bool {
    matches!(event, Event::PostToolUse | Event::UserPromptSubmit | Event::PreToolUse { .. })
}

/// `None`: its job is not done, or there is nothing to ask.
fn offer(opened: &Opened, host: &Host, store: &Store, commit: CommitId) -> Option<Offer> {
    let job = store.read(|state| state.job_of(&commit.to_string())).ok()??;
    let said = message::of(host, commit, opened.scope.prefix())?;
    let filed = match Verdict::of(&job)? {
        Verdict::Declined if !said.is_taken => None,
        Verdict::Curated if said.is_taken && is_by_hook(opened, &job) => Some(filed(&job)?),
        _ => return None,
    };
    let short = revision::shorten(&host.scope, commit).ok()?;
    Some(Offer { commit: short, subject: message::shown(&said.subject), filed })
}

/// The item that a commit was filed as.
fn filed(job: &StoredJob) -> Option<OfferFiling> {
    let all = jobs::Filed::of(job.end.filed.as_deref()).items;
    let item = all.into_iter().find(|item| item.date.is_some())?;
    let path = message::shown(&item.path).and_then(|path| TreePath::parse(path.as_bytes()).ok());
    Some(OfferFiling { lead: message::shown(judge::note(&item.text).lead), path })
}

/// Whether a hook filed the present text from a commit, and no agent or person did.
fn is_by_hook(opened: &Opened, job: &StoredJob) -> bool {
    let Ok(listed) = journal::list(&opened.scope) else { return false };
    let mut records = listed.iter().filter_map(|one| one.record.as_ref().ok());
    let record = records.find(|record| job.end.operation == Some(record.id.to_string()));
    record.is_some_and(|record| record.actor == HOOK)
}
