//! `brv query`: answer a question from what is stored: an earlier answer, the fact or entry that answers it, passages for
//! the caller's own model, or "not covered".

use crate::query::consult::{Consulted, Library};
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::agents::model::Model;
use brv_engine::open::context::{Audience, Context, Opened};
use brv_engine::open::models;
use brv_engine::open::signals::{self, GivenEntry, ServedAnswer};
use brv_engine::outcome::json;
use brv_engine::query::search::encoder::Encoding;
use brv_engine::query::search::{
    self, Asked, Cached, OriginNaming, ReplyRequest, ScanFreshness, SearchAnswerCache, SearchSession,
};
use brv_engine::query::{self, By, Explained};
use brv_engine::read::history::learned::unmerged::Unmerged;
use brv_engine::read::stale;
use brv_engine::review;
use brv_engine::review::trust::Trust;
use std::time::Instant;

pub use brv_engine::agents::model::Spent;
pub use brv_engine::query::search::EntryTextExtent;
pub use brv_engine::query::{
    Contrary, NOT_COVERED, Nearest, Ordered, Outcome, Passage, QuerySource, QueryStep, Reply, UNCERTAIN,
    Unanswered,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub question: String,
    /// Only in this folder, as typed.
    pub scope: Option<String>,
    /// 3: a model may be asked about passages; 4: it may look for more.
    pub most_tier: u8,
    /// Whether to ask no model.
    pub no_model: bool,
    /// How much of an entry is the answer.
    pub extent: EntryTextExtent,
    /// Whether to answer anew.
    pub no_cache: bool,
    /// Whether to leave the signals of what answers as they are.
    pub no_hits: bool,
    /// Whether to look for edited files now.
    pub fresh: bool,
    /// Whether to show how the decision was made.
    pub explain: bool,
}

/// A reply, why the index is not kept on disk, and work that nobody waits for.
pub type QueryResponse<'a> = (Reply, Option<String>, Box<dyn FnOnce() + 'a>);

/// Answer a question. The last part of the answer notes the hits, brings the index up to date and keeps the reply.
///
/// # Errors
/// A question without a word, or a folder that is not there; the disk, git or the index.
pub fn run<'a>(cx: &'a Context<'_>, options: Options) -> Result<QueryResponse<'a>, Stop> {
    let (begun, opened) = (Instant::now(), cx.keep_open()?);
    search::checked(&options.question)?;
    let freshness = if options.fresh { ScanFreshness::Look } else { ScanFreshness::Window };
    let now = search::milliseconds(opened);
    let session = cx.actor.session.clone().unwrap_or_else(|| format!("hour {}", now / 3_600_000));
    let answers = SearchAnswerCache::read(opened, now);
    let unmerged = Unmerged::known(opened, &cx.cwd, cx.clock.seconds());
    let stamp = unmerged.stamp(cx.clock.seconds());
    let encoding =
        || (options.most_tier >= 2).then(|| Encoding::begin(cx, opened, &options.question)).flatten();
    let asked = |options: &Options, fingerprint| cached(cx, (options, &stamp), fingerprint, now);
    let find = |asked: &Cached| {
        let found = answers.find(opened, asked, options.most_tier, &session);
        found.filter(|(_, reply, _)| may_get(cx, opened, &reply.outcome))
    };
    if !options.no_cache
        && let Some(fingerprint) = search::fingerprint(opened, freshness)
        && let Some(cached) = find(&asked(&options, fingerprint))
    {
        return Ok(repeat(cx, opened, options, cached, begun));
    }
    let encoding = encoding();
    let (mut sought, worked) = search::answered(opened, freshness, cx.progress, |sought| {
        let asked = asked(&options, sought.fingerprint());
        let cached = || find(&asked);
        Ok::<_, Stop>(match (!options.no_cache).then(cached).flatten() {
            Some(cached) => QueryWork::Repeated(cached),
            None if options.most_tier < 2 => QueryWork::New(None, unasked(&options)),
            None => {
                let (asked, reply) =
                    search::reply(opened, sought, &question(cx, &options, (&unmerged, encoding.as_ref())))?;
                QueryWork::New(Some(Box::new(asked)), reply)
            }
        })
    })?;
    let (found, reply) = match worked {
        QueryWork::Repeated(cached) => return Ok(repeat(cx, opened, options, cached, begun)),
        QueryWork::New(found, reply) => (found, reply),
    };
    let Consulted { reply, may_be_kept } = match (models::of(cx).filter(|_| may_ask(cx, &options)), found) {
        (Some(model), Some(found)) => consult(
            opened,
            &mut sought,
            model,
            &question(cx, &options, (&unmerged, encoding.as_ref())),
            (&found, reply),
        )?,
        _ => Consulted { reply, may_be_kept: true },
    };
    let (given, unkept) = (given(cx, opened, reply.clone(), &options, begun), sought.unkept());
    let served = served(&given, &options, true);
    let is_ordered = is_ordered(&reply);
    let after = move || {
        note(cx, opened, &served);
        if let Some(encoding) = encoding {
            encoding.keep();
        }
        let fingerprint = sought.settle();
        // what is withheld today may be approved tomorrow
        let is_kept = may_be_kept && is_ordered && options.most_tier > 1 && reply.outcome.withheld == 0;
        if let Some(fingerprint) = fingerprint.filter(|_| is_kept) {
            // a model may have taken its time
            let now = search::milliseconds(opened);
            answers.keep(opened, &cached(cx, (&options, &stamp), fingerprint, now), &session, reply);
        }
    };
    Ok((given, unkept, Box::new(after)))
}

/// What an earlier answer must have been asked for. One with a model or an encoder is not one without, nor one of another.
fn cached(cx: &Context<'_>, (options, unmerged): (&Options, &str), fingerprint: String, now: i64) -> Cached {
    let settings = &cx.config.model;
    let is_asked = settings.is_set() && may_ask(cx, options);
    let model = is_asked.then(|| ContentId::of(format!("{settings:?}").as_bytes()).to_string());
    let model = model.unwrap_or_default();
    let encoder = settings.encoder().map(|own| ContentId::of(format!("{own:?}").as_bytes()).to_string());
    let encoder = encoder.map_or_else(String::new, |encoder| format!("{encoder} "));
    let scope = options.scope.as_deref().unwrap_or_default();
    let options_text =
        format!("{} {:?} {model} {encoder}{unmerged} {scope}", options.most_tier, options.extent);
    Cached { question: query::normal(&options.question), options: options_text, fingerprint, now }
}

/// Whether no encoder is set, or it ordered what was found: one that was late may be in time next time.
fn is_ordered(reply: &Reply) -> bool {
    let encoder = reply.outcome.explain.as_ref().and_then(|explained| explained.encoder.as_ref());
    encoder.is_none_or(|encoder| encoder.ordered)
}

enum QueryWork {
    /// An earlier reply, with its tier and whether this session knows it.
    Repeated((u8, Reply, bool)),
    /// What the search found, if there was one, and the reply from that.
    New(Option<Box<Asked>>, Reply),
}

/// Whether a model may be asked, if one is set. One that asks through a tool reads the passages itself, unless it names
/// tier 4.
fn may_ask(cx: &Context<'_>, options: &Options) -> bool {
    let least = if cx.audience == Audience::Agent { 4 } else { 3 };
    !options.no_model && options.most_tier >= least
}

/// The reply after the model was asked, if the search left anything open.
fn consult<'a>(
    opened: &'a Opened,
    sought: &mut SearchSession<'a>,
    mut model: Model,
    question: &ReplyRequest<'_>,
    (found, reply): (&Asked, Reply),
) -> Result<Consulted, Stop> {
    let scope = question.scope.and(found.scope.clone());
    let mut library = Library::of(opened, sought, scope, question.now);
    Ok(consult::consult(&mut library, &mut model, question, (found, reply))?)
}

/// The reply as this question gets it.
fn given(cx: &Context<'_>, opened: &Opened, mut reply: Reply, options: &Options, begun: Instant) -> Reply {
    judge(cx, opened, &mut reply);
    let outcome = &mut reply.outcome;
    // never kept with an answer: a decision or a push ends a mark
    let marks = review::marks(opened);
    let flags = flags(opened, outcome.sources.iter().map(|source| source.path.as_str()));
    for (source, flagged) in outcome.sources.iter_mut().zip(flags) {
        source.pending = marks.get(&source.path).cloned().unwrap_or_default();
        source.flagged = flagged;
    }
    outcome.question.clone_from(&options.question);
    outcome.elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    outcome.explain = outcome.explain.take().filter(|_| options.explain);
    reply
}

/// What is flagged in these entries.
fn flags<'a>(opened: &Opened, paths: impl Iterator<Item = &'a str>) -> Vec<Vec<String>> {
    let trust = Trust::of(opened);
    paths.map(|path| trust.judge_file(path).words()).collect()
}

/// Whether the caller gets an earlier answer that names these entries.
fn may_get(cx: &Context<'_>, opened: &Opened, earlier: &Outcome) -> bool {
    cx.audience != Audience::Agent || flags(opened, earlier.paths()).iter().all(Vec::is_empty)
}

/// Say of each source whether the code that it cites moved on, even if the answer is an earlier one: the code is looked at
/// again. A direct answer waits for that, and begins with it.
fn judge(cx: &Context<'_>, opened: &Opened, reply: &mut Reply) {
    let Outcome { answer, sources, passages, .. } = &mut reply.outcome;
    let until = stale::soon(cx.clock).filter(|_| answer.is_none());
    let found = stale::of_files(opened, &cx.cwd, sources.iter().map(|source| source.path.as_str()), until);
    for (source, freshness) in sources.iter_mut().zip(found) {
        source.score = json::to(stale::weighed(source.score, freshness.as_ref()), 4);
        source.freshness = freshness;
    }
    if let Some(answer) = answer {
        let is_one = sources.len() == 1;
        let line = |source: &QuerySource| {
            let line = source.freshness.as_ref()?.line()?;
            Some(if is_one { line } else { format!("{}: {line}", source.path) })
        };
        let mut said: Vec<String> = sources.iter().filter_map(line).collect();
        // two passages of an entry are two sources
        said.dedup();
        said.push(std::mem::take(answer));
        *answer = said.join("\n\n");
        return;
    }
    sources.sort_by(|one, other| {
        let is_left = |source: &QuerySource| source.unmerged.is_some();
        is_left(one).cmp(&is_left(other)).then(other.score.total_cmp(&one.score))
    });
    passages.sort_by_key(|passage| passage.source_at(sources));
}

fn repeat<'a>(
    cx: &'a Context<'_>,
    opened: &'a Opened,
    options: Options,
    (tier, mut reply, was_told): (u8, Reply, bool),
    begun: Instant,
) -> QueryResponse<'a> {
    (reply.outcome.tier, reply.outcome.by) = (tier, By::Cache);
    reply.outcome.explain.iter_mut().for_each(|explained| explained.cache = true);
    if let Some(model) = &mut reply.outcome.model {
        *model = Spent { name: std::mem::take(&mut model.name), ..Spent::default() };
    }
    let given = given(cx, opened, reply, &options, begun);
    let served = served(&given, &options, !was_told);
    let after = move || note(cx, opened, &served);
    (given, None, Box::new(after))
}

/// What was given; the entries that answer count as used, unless the session was told before.
fn served(given: &Reply, options: &Options, is_news: bool) -> ServedAnswer {
    let outcome = &given.outcome;
    if options.no_hits {
        return ServedAnswer::default();
    }
    let hits = outcome.served().into_iter().filter(|_| is_news);
    let shown = outcome.shown().into_iter();
    ServedAnswer {
        command: "query",
        asked: Some(options.question.clone()),
        hits: hits.filter_map(|path| TreePath::parse(path.as_bytes()).ok()).collect(),
        given: shown.map(|(path, why)| GivenEntry { path: path.to_owned(), blob: None, why }).collect(),
    }
}

/// Note that entries served. What goes wrong is reported by commands that are about signals.
fn note(cx: &Context<'_>, opened: &Opened, served: &ServedAnswer) {
    let _ = signals::note_served(opened, &cx.actor, served, cx.clock.seconds());
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

fn question<'a>(
    cx: &Context<'_>,
    options: &'a Options,
    (unmerged, encoding): (&'a Unmerged, Option<&'a Encoding>),
) -> ReplyRequest<'a> {
    ReplyRequest {
        text: &options.question,
        scope: options.scope.as_deref(),
        most_tier: options.most_tier,
        extent: options.extent,
        now: cx.clock.seconds(),
        audience: cx.audience,
        origins: OriginNaming::Named,
        unmerged,
        encoding,
    }
}

pub mod consult;
