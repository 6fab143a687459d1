//! `brv query`: answer a question from what is stored: an earlier answer, the fact or entry that answers it, passages for
//! the caller's own model, or "not covered".

use super::context::{Audience, Context, Opened};
use super::steps::searching::{
    self, Answers, Cached, Freshness, HITS, Hits, LONGEST, Refusal, SearchSession, Unkept, Wanted,
};
use super::steps::trust::{Place, Trust};
use super::steps::{freshness, reviewing, signals};
use super::{Stop, json};
use crate::answer::{self, By, Claim, Explained, Origin};
use crate::content::ContentId;
use crate::doc::Document;
use crate::git;
use crate::path::{Kind, TreePath};
use crate::search::{Found, Hit};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

pub use crate::answer::{NOT_COVERED, Outcome, Passage, Reply, Source};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub question: String,
    /// Only in this folder, as typed.
    pub scope: Option<String>,
    pub most_tier: u8,
    /// Whether to answer anew.
    pub no_cache: bool,
    /// Whether to leave the signals of the sources as they are.
    pub no_hits: bool,
    /// Whether to look for edited files now.
    pub fresh: bool,
    /// Whether to show how the decision was made.
    pub explain: bool,
}

/// A reply, why the index is not kept on disk, and work that nobody waits for.
pub type Answered<'a> = (Reply, Option<Arc<Unkept>>, Box<dyn FnOnce() + 'a>);

/// The least share of the question that a fact must have by itself to be the answer, and its least lead over the next
/// piece of its entry: one fact is often not all that an entry says about a question.
const FACT_SHARE: f64 = 0.85;
const FACT_LEAD: f64 = 0.3;

/// Answer a question. The last part of the answer notes the hits, brings the index up to date and keeps the reply.
///
/// # Errors
/// A question without a word, or a folder that is not there; the disk, git or the index.
pub fn run<'a>(cx: &'a Context<'_>, options: Options) -> Result<Answered<'a>, Stop> {
    let (begun, opened) = (Instant::now(), cx.keep_open()?);
    searching::checked(&options.question).map_err(Refusal::from)?;
    let freshness = if options.fresh { Freshness::Look } else { Freshness::Window };
    let now = searching::milliseconds(opened);
    let session = cx.actor.session.clone().unwrap_or_else(|| format!("hour {}", now / 3_600_000));
    let answers = Answers::read(opened, now);
    let asked = move |options: &Options, fingerprint| Cached {
        question: answer::normal(&options.question),
        options: format!("{} {}", options.most_tier, options.scope.as_deref().unwrap_or_default()),
        fingerprint,
        now,
    };
    let find = |asked: &Cached| {
        let found = answers.find(opened, asked, options.most_tier, &session);
        found.filter(|(_, reply, _)| may_get(cx, opened, &reply.outcome.sources))
    };
    if !options.no_cache
        && let Some(fingerprint) = searching::fingerprint(opened, freshness)
        && let Some(cached) = find(&asked(&options, fingerprint))
    {
        return Ok(repeat(cx, opened, options, cached, begun));
    }
    let (sought, worked) = searching::answered(opened, freshness, cx.progress, |sought| {
        let asked = asked(&options, sought.fingerprint());
        let cached = || find(&asked);
        Ok::<_, Refusal>(match (!options.no_cache).then(cached).flatten() {
            Some(cached) => Worked::Repeated(cached),
            None if options.most_tier < 2 => Worked::New(unasked(&options)),
            None => Worked::New(reply(cx, opened, sought, &options)?),
        })
    })?;
    let reply = match worked {
        Worked::Repeated(cached) => return Ok(repeat(cx, opened, options, cached, begun)),
        Worked::New(reply) => reply,
    };
    let (given, unkept) = (given(cx, opened, reply.clone(), &options, begun), sought.unkept());
    let after = move || {
        note(cx, opened, &options, &reply.outcome.sources);
        let fingerprint = sought.settle();
        // what is withheld today may be approved tomorrow
        let is_kept = options.most_tier > 1 && reply.outcome.withheld == 0;
        if let Some(fingerprint) = fingerprint.filter(|_| is_kept) {
            answers.keep(opened, &asked(&options, fingerprint), &session, reply);
        }
    };
    Ok((given, unkept, Box::new(after)))
}

enum Worked {
    /// An earlier reply, with its tier and whether this session knows it.
    Repeated((u8, Reply, bool)),
    New(Reply),
}

/// The reply as this question gets it.
fn given(cx: &Context<'_>, opened: &Opened, mut reply: Reply, options: &Options, begun: Instant) -> Reply {
    judge(cx, opened, &mut reply);
    let outcome = &mut reply.outcome;
    // never kept with an answer: a decision or a push ends a mark
    let marks = reviewing::marks(opened);
    let flags = flags(opened, &outcome.sources);
    for (source, flagged) in outcome.sources.iter_mut().zip(flags) {
        source.pending = marks.get(&source.path).cloned().unwrap_or_default();
        source.flagged = flagged;
    }
    outcome.question.clone_from(&options.question);
    outcome.elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    outcome.explain = outcome.explain.take().filter(|_| options.explain);
    reply
}

/// What is flagged in the entries that an answer comes from.
fn flags(opened: &Opened, sources: &[Source]) -> Vec<Vec<String>> {
    let trust = Trust::of(opened);
    sources.iter().map(|source| trust.judge_file(&source.path).words()).collect()
}

/// Whether the caller gets an earlier answer from these entries.
fn may_get(cx: &Context<'_>, opened: &Opened, sources: &[Source]) -> bool {
    cx.audience != Audience::Agent || flags(opened, sources).iter().all(Vec::is_empty)
}

/// Leave out what an agent does not get; how many entries are left out.
fn withhold(cx: &Context<'_>, opened: &Opened, hits: &mut Hits) -> usize {
    if cx.audience != Audience::Agent {
        return 0;
    }
    let (trust, all) = (Trust::of(opened), hits.found.hits.len());
    let mut found = std::mem::take(&mut hits.found.hits);
    found.retain(|hit| trust.judge(hit.path.as_str(), hits.bytes_of(hit), Place::Disk).is_none());
    hits.found.hits = found;
    all - hits.found.hits.len()
}

/// Say of each source whether the code that it cites moved on, also if the answer is an earlier one: the code is looked at
/// again. A direct answer waits for that, and begins with it.
fn judge(cx: &Context<'_>, opened: &Opened, reply: &mut Reply) {
    let Outcome { answer, sources, passages, .. } = &mut reply.outcome;
    let until = freshness::soon(cx.clock).filter(|_| answer.is_none());
    let found =
        freshness::of_files(opened, &cx.cwd, sources.iter().map(|source| source.path.as_str()), until);
    for (source, freshness) in sources.iter_mut().zip(found) {
        source.score = json::to(freshness::weighed(source.score, freshness.as_ref()), 4);
        source.freshness = freshness;
    }
    if let Some(answer) = answer {
        let line = sources.first().and_then(|source| source.freshness.as_ref()?.line());
        *answer = line.map_or_else(|| answer.clone(), |line| format!("{line}\n\n{answer}"));
        return;
    }
    sources.sort_by(|one, other| other.score.total_cmp(&one.score));
    passages.sort_by_key(|passage| sources.iter().position(|source| source.path == passage.path));
}

fn repeat<'a>(
    cx: &'a Context<'_>,
    opened: &'a Opened,
    options: Options,
    (tier, mut reply, was_told): (u8, Reply, bool),
    begun: Instant,
) -> Answered<'a> {
    (reply.outcome.tier, reply.outcome.by) = (tier, By::Cache);
    reply.outcome.explain.iter_mut().for_each(|explained| explained.cache = true);
    let given = given(cx, opened, reply, &options, begun);
    let sources = given.outcome.sources.clone();
    let after = move || {
        if !was_told {
            note(cx, opened, &options, &sources);
        }
    };
    (given, None, Box::new(after))
}

/// Note that the sources were returned. What goes wrong is reported by commands that are about signals.
fn note(cx: &Context<'_>, opened: &Opened, options: &Options, sources: &[Source]) {
    if options.no_hits {
        return;
    }
    let paths = sources.iter().filter_map(|source| TreePath::parse(source.path.as_bytes()).ok());
    let paths: Vec<TreePath> = paths.collect();
    let _ = signals::note_hits(opened, &paths, cx.actor.session.as_deref(), cx.clock.seconds());
}

/// No earlier answer, and nothing else may be asked.
fn unasked(options: &Options) -> Reply {
    let outcome = Outcome {
        message: Some("there is no earlier answer".into()),
        tier: options.most_tier,
        scope: options.scope.clone(),
        explain: Some(Explained::default()),
        ..Outcome::default()
    };
    Reply { outcome, ..Reply::default() }
}

fn reply(
    cx: &Context<'_>,
    opened: &Opened,
    sought: &mut SearchSession<'_>,
    options: &Options,
) -> Result<Reply, Refusal> {
    let scoped = searching::scoped(sought, &options.question, options.scope.as_deref())?;
    let (text, now) = (&options.question, cx.clock.seconds());
    let wanted = Wanted { text, limit: HITS, scope: None, folders: false, now };
    let mut asked = searching::ask(sought, scoped, &wanted, Found::is_covered)?;
    let withheld = withhold(cx, opened, &mut asked.hits);
    let found = &asked.hits.found;
    let explained = Explained {
        relevance: json::to(found.relevance, 4),
        gap: json::to(found.gap, 4),
        coverage: json::to(found.features.coverage, 4),
        unmatched: found.unmatched.clone(),
        ..Explained::default()
    };
    let outcome = Outcome {
        tier: 2,
        covered: found.is_covered(),
        score: explained.relevance,
        scope: asked.scope.clone(),
        withheld,
        explain: Some(explained),
        ..Outcome::default()
    };
    let widened = asked.widened.clone();
    let mut reply = Reply { outcome, widened, without_phrases: found.without_phrases, ..Reply::default() };
    if !reply.outcome.covered {
        reply.outcome.message = Some(NOT_COVERED.into());
        return Ok(reply);
    }
    match asked.direct() {
        Some(best) if direct(opened, &asked.text, best, &asked.hits, &mut reply)? => {}
        _ => indirect(opened, &asked.hits, options, &mut reply)?,
    }
    if withheld > 0 && reply.outcome.sources.is_empty() {
        reply.outcome.message = Some("nobody here has accepted the entries that may answer this".into());
    }
    Ok(reply)
}

/// The best entry answers, or one fact of it. Returns whether it has anything to say.
fn direct(
    opened: &Opened,
    question: &str,
    best: &Hit,
    hits: &Hits,
    reply: &mut Reply,
) -> Result<bool, Refusal> {
    let bytes = hits.bytes_of(best);
    let document = Document::parse(bytes);
    let claims = claims(question, best, &document);
    let (by, answer, change) = if claims.is_empty() {
        let text = searching::text_of(&document, best, LONGEST, LONGEST);
        if text.trim().is_empty() {
            return Ok(false);
        }
        (By::Entry, text, last_change(opened, best, hits)?)
    } else {
        let lines: Vec<String> = claims.iter().map(Claim::text).collect();
        (By::Fact, lines.join("\n"), origin(opened, best, hits, &claims[0])?)
    };
    (reply.outcome.by, reply.outcome.answer) = (by, Some(answer));
    cite(reply, best, bytes, change.as_ref());
    Ok(true)
}

/// The fact that answers the question, with every claim if it is disputed; empty if the entry as a whole must answer.
fn claims(question: &str, best: &Hit, document: &Document) -> Vec<Claim> {
    let Some(passage) = best.passage.filter(|passage| passage.is_fact) else { return Vec::new() };
    let normal = answer::normal(question);
    let claims = answer::said(document, passage.line);
    // the claims of a dispute say nearly the same, so that none leads
    let leads = best.passage_lead >= FACT_LEAD || claims.len() > 1;
    if best.passage_share < FACT_SHARE || !leads || answer::asks_for_more(&normal) {
        return Vec::new();
    }
    let subject = claims.first().and_then(|claim| claim.subject.clone()).unwrap_or_default();
    match answer::has_words_of(&normal, &subject, &searching::stem) {
        true => claims,
        false => Vec::new(),
    }
}

/// The commit that made the claim; of an entry without subjects, its last change.
fn origin(opened: &Opened, best: &Hit, hits: &Hits, claim: &Claim) -> Result<Option<Origin>, Refusal> {
    let Some(subject) = &claim.subject else { return Ok(last_change(opened, best, hits)?) };
    let bytes = hits.bytes_of(best);
    let category = claim.category.as_ref().map_or_else(String::new, |category| format!(" [{category}]"));
    let statement = format!("{}{category}", claim.statement);
    let id = ContentId::of(bytes);
    Ok(searching::origin_of_fact(&opened.scope, &best.path, id, (subject, &statement))?)
}

/// Passages of the best hits, for a model.
fn indirect(opened: &Opened, hits: &Hits, options: &Options, reply: &mut Reply) -> Result<(), Refusal> {
    let near: Vec<Hit> = searching::near(hits).cloned().collect();
    let changes = last_changes(opened, &near, hits)?;
    for hit in &near {
        let (bytes, origin) = (hits.bytes_of(hit), changes.get(hit.path.as_str()));
        cite(reply, hit, bytes, origin);
        let Some(passage) = hit.passage else { continue };
        let document = Document::parse(bytes);
        // much of an overview is a form
        let whole = if hit.path.kind() == Kind::NodeOverview { 0 } else { LONGEST };
        let text = searching::text_of(&document, hit, whole, answer::MOST_CHARS);
        if !text.trim().is_empty() {
            let (path, line, origin) = (hit.path.to_string(), passage.line, origin.cloned());
            reply.outcome.passages.push(Passage { path, line, text, origin });
        }
    }
    let outcome = &mut reply.outcome;
    if options.most_tier < 3 {
        outcome.passages.clear();
        outcome.message = Some("the stored knowledge has no direct answer".into());
        return Ok(());
    }
    let fitting = answer::fit(outcome.passages.iter().map(|passage| passage.text.as_str()));
    outcome.passages.truncate(fitting);
    (outcome.tier, outcome.by) = (3, By::Passages);
    Ok(())
}

/// Add a source.
fn cite(reply: &mut Reply, hit: &Hit, bytes: &[u8], origin: Option<&Origin>) {
    let shown = searching::shown(hit, bytes);
    reply.ids.push(ContentId::of(bytes).to_string());
    reply.outcome.sources.push(Source {
        path: hit.path.to_string(),
        title: shown.title,
        score: json::to(hit.score, 4),
        relevance: json::to(hit.relevance, 4),
        line: shown.line,
        excerpt: shown.excerpt,
        disputed: shown.is_disputed,
        pending: Vec::new(),
        flagged: Vec::new(),
        freshness: None,
        actor: origin.map(|origin| origin.actor.as_ref().unwrap_or(&origin.author).clone()),
        commit: origin.map(|origin| origin.commit.clone()),
    });
}

fn last_change(opened: &Opened, hit: &Hit, all: &Hits) -> Result<Option<Origin>, git::Error> {
    Ok(last_changes(opened, std::slice::from_ref(hit), all)?.remove(hit.path.as_str()))
}

/// The last commits of hits whose files are as `HEAD` has them.
fn last_changes(opened: &Opened, hits: &[Hit], all: &Hits) -> Result<BTreeMap<String, Origin>, git::Error> {
    let id = |hit: &Hit| all.bytes.get(&hit.path).map(|bytes| ContentId::of(bytes));
    let files: Vec<(TreePath, ContentId)> =
        hits.iter().filter_map(|hit| Some((hit.path.clone(), id(hit)?))).collect();
    searching::last_changes(&opened.scope, &files, None)
}
