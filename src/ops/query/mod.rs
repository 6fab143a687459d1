//! `brv query`: answer a question from what is stored: an earlier answer, the fact or entry that answers it, passages for
//! the caller's own model, or "not covered".

mod outcome;

pub use outcome::{By, Outcome, Passage as Cited, Source as Origin};

use super::Stop;
use super::context::{Context, Opened};
use super::steps::searching::{self, Answers, Cached, Freshness, Hits, Refusal, SearchSession, Unkept};
use super::steps::signals;
use crate::answer::{self, Change, Claim, Explained, Passage, Reply, Source};
use crate::content::ContentId;
use crate::doc::Document;
use crate::git;
use crate::path::{Kind, TreePath};
use crate::search::Hit;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

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

#[derive(Debug)]
pub struct Beside {
    /// The question begins with the name of this folder, which has nothing about the rest: all was searched.
    pub widened: Option<String>,
    /// Nothing has a phrase of the question: its words were searched for.
    pub without_phrases: bool,
    /// Why the index is not kept on disk.
    pub unkept: Option<Arc<Unkept>>,
    /// Passages were given where a model could have answered.
    pub no_model: bool,
    /// The search was made, and nothing covers the question.
    pub is_missing: bool,
}

/// An outcome, what is said beside it, and work that nobody waits for.
pub type Answered<'a> = (Outcome, Beside, Box<dyn FnOnce() + 'a>);

/// The least relevance of a passage that is handed on.
const LEAST: f64 = 0.3;

/// The longest answer from one entry, in characters.
const LONGEST: usize = 2_000;

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
    if !options.no_cache
        && let Some(fingerprint) = searching::fingerprint(opened, freshness)
        && let Some(cached) = answers.find(opened, &asked(&options, fingerprint), options.most_tier, &session)
    {
        return Ok(repeat(cx, opened, options, cached, begun));
    }
    let (sought, worked) = searching::answered(opened, freshness, cx.progress, |sought| {
        let asked = asked(&options, sought.fingerprint());
        let cached = || answers.find(opened, &asked, options.most_tier, &session);
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
    let beside = beside(&reply, Some(&sought));
    let outcome = said(&options, &reply, Given::Now, begun);
    let after = move || {
        note(cx, opened, &options, &reply);
        let fingerprint = sought.settle();
        if let Some(fingerprint) = fingerprint.filter(|_| options.most_tier > 1) {
            answers.keep(opened, &asked(&options, fingerprint), &session, &reply);
        }
    };
    Ok((outcome, beside, Box::new(after)))
}

/// When a reply was made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Now,
    Earlier,
}

fn said(options: &Options, reply: &Reply, given: Given, begun: Instant) -> Outcome {
    let outcome = Outcome::of(&options.question, reply, given == Given::Earlier, begun);
    match options.explain {
        true => outcome.explained(reply, given == Given::Earlier),
        false => outcome,
    }
}

fn beside(reply: &Reply, sought: Option<&SearchSession<'_>>) -> Beside {
    let is_new = sought.is_some();
    Beside {
        widened: reply.widened.clone(),
        without_phrases: reply.without_phrases,
        unkept: sought.and_then(SearchSession::unkept),
        no_model: reply.by == answer::By::Passages,
        is_missing: reply.by == answer::By::None && !reply.covered && !(is_new && reply.tier < 2),
    }
}

enum Worked {
    /// An earlier reply, with its tier and whether this session knows it.
    Repeated((u8, Reply, bool)),
    New(Reply),
}

fn repeat<'a>(
    cx: &'a Context<'_>,
    opened: &'a Opened,
    options: Options,
    (tier, reply, was_told): (u8, Reply, bool),
    begun: Instant,
) -> Answered<'a> {
    let reply = Reply { tier, ..reply };
    let (outcome, beside) = (said(&options, &reply, Given::Earlier, begun), beside(&reply, None));
    let after = move || {
        if !was_told {
            note(cx, opened, &options, &reply);
        }
    };
    (outcome, beside, Box::new(after))
}

/// Note that the sources were returned. What goes wrong is reported by commands that are about signals.
fn note(cx: &Context<'_>, opened: &Opened, options: &Options, reply: &Reply) {
    if options.no_hits {
        return;
    }
    let paths = reply.sources.iter().filter_map(|source| TreePath::parse(source.path.as_bytes()).ok());
    let paths: Vec<TreePath> = paths.collect();
    let _ = signals::note_hits(opened, &paths, cx.actor.session.as_deref(), cx.clock.seconds());
}

/// No earlier answer, and nothing else may be asked.
fn unasked(options: &Options) -> Reply {
    Reply {
        tier: options.most_tier,
        by: answer::By::None,
        covered: false,
        answer: None,
        score: 0.0,
        sources: Vec::new(),
        passages: Vec::new(),
        scope: options.scope.clone(),
        widened: None,
        without_phrases: false,
        explained: Explained::default(),
    }
}

fn reply(
    cx: &Context<'_>,
    opened: &Opened,
    sought: &mut SearchSession<'_>,
    options: &Options,
) -> Result<Reply, Refusal> {
    let scoped = searching::scoped(sought, &options.question, options.scope.as_deref())?;
    let asked = searching::ask(sought, &options.question, scoped, cx.clock.seconds())?;
    let found = &asked.hits.found;
    let mut reply = Reply {
        tier: 2,
        by: answer::By::None,
        covered: found.is_covered(),
        answer: None,
        score: found.relevance,
        sources: Vec::new(),
        passages: Vec::new(),
        scope: asked.scope.clone(),
        widened: asked.widened.clone(),
        without_phrases: found.without_phrases,
        explained: Explained {
            relevance: found.relevance,
            gap: found.gap,
            coverage: found.features.coverage,
            unmatched: found.unmatched.clone(),
        },
    };
    if !reply.covered {
        return Ok(reply);
    }
    match asked.direct() {
        Some(best) if direct(opened, &asked.text, best, &asked.hits, &mut reply)? => {}
        _ => indirect(opened, &asked.hits, options, &mut reply)?,
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
    let mut first = source(best, bytes);
    let claims = claims(question, best, &document);
    if claims.is_empty() {
        let text = text_of(&document, best, LONGEST);
        if text.trim().is_empty() {
            return Ok(false);
        }
        reply.by = answer::By::Entry;
        reply.answer = Some(text);
        first.change = last_changes(opened, std::slice::from_ref(best), hits)?.remove(best.path.as_str());
    } else {
        reply.by = answer::By::Fact;
        first.change = origin(opened, best, hits, &claims[0])?;
        reply.answer = Some(claims.iter().map(Claim::text).collect::<Vec<_>>().join("\n"));
    }
    reply.sources = vec![first];
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
fn origin(opened: &Opened, best: &Hit, hits: &Hits, claim: &Claim) -> Result<Option<Change>, Refusal> {
    let Some(subject) = &claim.subject else {
        return Ok(last_changes(opened, std::slice::from_ref(best), hits)?.remove(best.path.as_str()));
    };
    let bytes = hits.bytes_of(best);
    let category = claim.category.as_ref().map_or_else(String::new, |category| format!(" [{category}]"));
    let statement = format!("{}{category}", claim.statement);
    let id = ContentId::of(bytes);
    Ok(searching::origin_of_fact(&opened.scope, &best.path, id, (subject, &statement))?)
}

/// The whole text of a short entry, else the passage that matches best, up to `most` characters.
fn text_of(document: &Document, hit: &Hit, most: usize) -> String {
    let body = document.body().trim();
    if body.chars().count() <= LONGEST {
        return body.to_owned();
    }
    passage_of(document, hit, most)
}

fn passage_of(document: &Document, hit: &Hit, most: usize) -> String {
    let passage = hit.passage.map(|passage| searching::passage_text(document, passage.line, passage.lines));
    answer::cut_to(&passage.unwrap_or_default(), most)
}

/// Passages of the best hits, for a model.
fn indirect(opened: &Opened, hits: &Hits, options: &Options, reply: &mut Reply) -> Result<(), Refusal> {
    let near: Vec<Hit> = hits.found.hits.iter().filter(|hit| hit.relevance >= LEAST).cloned().collect();
    let changes = last_changes(opened, &near, hits)?;
    for hit in &near {
        let bytes = hits.bytes_of(hit);
        let change = changes.get(hit.path.as_str()).cloned();
        reply.sources.push(Source { change: change.clone(), ..source(hit, bytes) });
        if let Some(passage) = hit.passage {
            let document = Document::parse(bytes);
            // much of an overview is a form
            let text = match hit.path.kind() {
                Kind::NodeOverview => passage_of(&document, hit, answer::MOST_CHARS),
                _ => text_of(&document, hit, answer::MOST_CHARS),
            };
            if !text.trim().is_empty() {
                reply.passages.push(Passage { path: hit.path.to_string(), line: passage.line, text, change });
            }
        }
    }
    if options.most_tier < 3 {
        reply.passages.clear();
        return Ok(());
    }
    let fitting = answer::fit(reply.passages.iter().map(|passage| passage.text.as_str()));
    reply.passages.truncate(fitting);
    (reply.tier, reply.by) = (3, answer::By::Passages);
    Ok(())
}

fn source(hit: &Hit, bytes: &[u8]) -> Source {
    let shown = searching::shown(hit, bytes);
    Source {
        path: hit.path.to_string(),
        id: ContentId::of(bytes).to_string(),
        title: shown.title,
        score: hit.score,
        relevance: hit.relevance,
        line: shown.line,
        excerpt: shown.excerpt,
        disputed: shown.is_disputed,
        change: None,
    }
}

/// The last commits of hits whose files are as `HEAD` has them.
fn last_changes(opened: &Opened, hits: &[Hit], all: &Hits) -> Result<BTreeMap<String, Change>, git::Error> {
    let id = |hit: &Hit| all.bytes.get(&hit.path).map(|bytes| ContentId::of(bytes));
    let files: Vec<(TreePath, ContentId)> =
        hits.iter().filter_map(|hit| Some((hit.path.clone(), id(hit)?))).collect();
    searching::last_changes(&opened.scope, &files)
}
