//! Ask a model about the candidates of a plan: one request for each domain, and no more text than one request may have.
//!
//! What it answers are decisions like those of any other writer, and are checked like them. It cannot decide about what it
//! was not asked.

use super::evidence::Gathered;
use super::setting::Halt;
use brv_base::path::TreePath;
use brv_base::progress::Stage;
use brv_engine::agents::model::fence::fenced;
use brv_engine::agents::model::{self, Model, Purpose, Request, Shape, Spent};
use brv_engine::open::context::Parts;
use brv_engine::review::trust::{EntryBytesSource, Trust};
use brv_engine::{Fails as _, FailureKind, Stop};
use brv_text::dream::{self, Candidate, Decision, DreamDecisions, Plan, RefusedDecision};
use brv_text::lint::{Steering, secrets};
use schemars::JsonSchema;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// The most characters of a request.
const MOST: usize = 20_000;

/// The most tokens of an answer.
const MOST_OUTPUT: u32 = 8_192;

/// After so many domains in a row without a usable answer, the model is not asked any more.
const MOST_INVALID: usize = 3;

const TASK: &str = include_str!("dream.md");

/// The answer that is wanted.
#[derive(JsonSchema)]
#[schemars(rename = "Decisions")]
struct DecisionsAnswer {
    #[allow(dead_code, reason = "the schema only")]
    decisions: Vec<Decision>,
}

/// A model that decides.
pub struct Decisive {
    model: RefCell<Model>,
    /// When the last answer must be there, so that time is left to carry the decisions out.
    until: Instant,
}

/// What a model decided.
pub(super) struct ModelDecisions {
    pub decisions: DreamDecisions,
    /// Why candidates have no decision.
    pub left: BTreeMap<String, String>,
    /// Why it was not asked about the rest.
    pub halted: Option<Halt>,
    /// How it failed.
    pub failed: Option<Stop>,
}

impl Decisive {
    pub fn new(mut model: Model, until: Instant) -> Self {
        model.end_by(until);
        Self { model: RefCell::new(model), until }
    }

    pub fn spent(&self) -> Spent {
        self.model.borrow().spent()
    }

    pub fn take_warnings(&self) -> Vec<String> {
        self.model.borrow_mut().take_warnings()
    }

    /// Ask about every domain of a plan.
    ///
    /// # Errors
    /// The tree cannot be read; the model failed before it had decided anything.
    pub(super) fn ask(
        &self,
        parts: &Parts<'_>,
        gathered: &Gathered,
        halt: &dyn Fn() -> Option<Halt>,
    ) -> Result<ModelDecisions, Stop> {
        let plan = &gathered.plan;
        let decisions = DreamDecisions { plan: plan.id.clone(), decisions: Vec::new() };
        let mut asked = ModelDecisions { decisions, left: BTreeMap::new(), halted: None, failed: None };
        let trust = Trust::of(parts.opened);
        let domains = domains(plan);
        let (total, mut invalid, mut last) = (domains.len() as u64, 0, None);
        let mut has_answered = false;
        for (done, (domain, candidates)) in domains.into_iter().enumerate() {
            parts.progress.update(Stage::Model, done as u64, Some(total));
            asked.halted = halt().or_else(|| (Instant::now() >= self.until).then_some(Halt::Time));
            if asked.halted.is_some() || asked.failed.is_some() {
                break;
            }
            let (text, shown) = text(gathered, &trust, (&domain, &candidates), &mut asked.left)?;
            if shown.is_empty() {
                continue;
            }
            match self.one(plan, text, &shown) {
                Ok(decided) => {
                    asked.decisions.decisions.extend(decided);
                    (invalid, has_answered) = (0, true);
                }
                Err(error) if Instant::now() >= self.until && error.kind() == FailureKind::Remote => {
                    asked.halted = Some(Halt::Time);
                    break;
                }
                Err(error) => {
                    invalid += 1;
                    let is_over = !matches!(error, model::Error::Invalid(_)) || invalid == MOST_INVALID;
                    asked.left.extend(shown.into_iter().map(|id| (id, error.to_string())));
                    let stop = Stop::from(error);
                    if is_over { asked.failed = Some(stop) } else { last = Some(stop) }
                }
            }
        }
        // that nothing is to be done about a domain is an answer, too
        if !has_answered && asked.halted.is_none() {
            asked.failed = asked.failed.or(last);
        }
        match asked.failed.take_if(|_| asked.decisions.decisions.is_empty()) {
            Some(stop) => Err(stop),
            None => Ok(asked),
        }
    }

    /// The decisions about the candidates that are shown.
    fn one(
        &self,
        plan: &Plan,
        text: String,
        shown: &BTreeSet<String>,
    ) -> Result<Vec<Result<Decision, RefusedDecision>>, model::Error> {
        let schema = serde_json::to_value(schemars::schema_for!(DecisionsAnswer)).unwrap_or_default();
        let shape = Shape { name: "decisions", schema };
        let request = Request { most_output: MOST_OUTPUT, ..Request::new(Purpose::Dream, TASK, text, shape) };
        let decided = self.model.borrow_mut().ask_for(request, |answer| read(plan, &answer))?;
        Ok(decided.into_iter().map(|one| within(one, shown)).collect())
    }
}

fn read(plan: &Plan, answer: &Value) -> Result<Vec<Result<Decision, RefusedDecision>>, String> {
    let decisions = answer.get("decisions").filter(|list| list.is_array());
    let decisions = decisions.ok_or("`decisions` is missing, or is not a list")?;
    let written = json!({"plan": plan.id, "decisions": decisions}).to_string();
    let read = dream::read(written.as_bytes()).map_err(|error| error.message)?;
    match read.decisions.iter().find_map(|one| one.as_ref().err()) {
        Some(refused) if read.decisions.iter().all(Result::is_err) => Err(refused.message.clone()),
        _ => Ok(read.decisions),
    }
}

/// A decision about a candidate of this request.
fn within(
    one: Result<Decision, RefusedDecision>,
    shown: &BTreeSet<String>,
) -> Result<Decision, RefusedDecision> {
    let decision = one?;
    if shown.contains(&decision.candidate) {
        return Ok(decision);
    }
    let message = format!("the model was not asked about `{}` there", decision.candidate);
    Err(RefusedDecision { candidate: Some(decision.candidate), message })
}

/// The candidates by domain, in the order of the plan. A candidate of several domains goes with the first.
fn domains(plan: &Plan) -> BTreeMap<String, Vec<Candidate<'_>>> {
    let mut domains: BTreeMap<String, Vec<Candidate<'_>>> = BTreeMap::new();
    let mut add = |domain: &str, candidate| domains.entry(domain.to_owned()).or_default().push(candidate);
    plan.consolidate.iter().for_each(|one| add(&one.domain, Candidate::Cluster(one)));
    for one in &plan.synthesize {
        add(one.domains.first().map_or("", String::as_str), Candidate::Pattern(one));
    }
    for one in &plan.prune {
        add(one.path.as_str().split_once('/').map_or("", |(domain, _)| domain), Candidate::Weak(one));
    }
    domains
}

/// The text about the candidates of a domain, and which of them it shows. `left` gets the reasons why others are not in
/// it.
fn text(
    gathered: &Gathered,
    trust: &Trust<'_>,
    (domain, candidates): (&str, &[Candidate<'_>]),
    left: &mut BTreeMap<String, String>,
) -> Result<(String, BTreeSet<String>), Stop> {
    let mut text = format!("The candidates of the domain `{}`:\n\n", domain.replace(char::is_control, " "));
    let mut length = TASK.chars().count() + text.chars().count();
    let (mut shown, mut files) = (BTreeSet::new(), BTreeSet::new());
    for candidate in candidates {
        let id = id(*candidate);
        let (more, new) = match about(gathered, trust, (*candidate, &files))? {
            Ok(about) => about,
            Err(why) => {
                left.insert(id.to_owned(), why.to_owned());
                continue;
            }
        };
        let size = more.chars().count();
        if length + size > MOST {
            left.insert(id.to_owned(), "too long for one request to a model".to_owned());
            continue;
        }
        length += size;
        text.push_str(&more);
        files.extend(new);
        shown.insert(id.to_owned());
    }
    Ok((text, shown))
}

fn id<'c>(candidate: Candidate<'c>) -> &'c str {
    match candidate {
        Candidate::Cluster(one) => &one.id,
        Candidate::Pattern(one) => &one.id,
        Candidate::Weak(one) => &one.id,
    }
}

type CandidateText = (String, Vec<TreePath>);

/// The text about a candidate, with the files that do not stand above; or why it is not sent.
fn about(
    gathered: &Gathered,
    trust: &Trust<'_>,
    (candidate, above): (Candidate<'_>, &BTreeSet<TreePath>),
) -> Result<Result<CandidateText, &'static str>, Stop> {
    let (known, paths) = match candidate {
        Candidate::Cluster(one) => {
            let paths: Vec<TreePath> = one.files.iter().map(|file| file.path.clone()).collect();
            let (evidence, hint) = (&one.evidence, &one.hint);
            (
                json!({"candidate": one.id, "files": paths_of(&paths), "evidence": evidence, "hint": hint}),
                paths,
            )
        }
        Candidate::Pattern(one) => {
            let summaries = &one.summaries;
            (json!({"candidate": one.id, "domains": one.domains, "summaries": summaries}), Vec::new())
        }
        Candidate::Weak(one) => {
            let paths = vec![one.path.clone()];
            let (importance, days) = (one.importance, one.days);
            let known = json!({
                "candidate": one.id, "files": paths_of(&paths), "importance": importance,
                "days_unchanged": days, "maturity": one.maturity,
            });
            (known, paths)
        }
    };
    let known = known.to_string();
    if !Steering::of(&brv_text::doc::Document::parse(known.as_str())).is_none() {
        return Ok(Err("its summaries may steer a model"));
    }
    let mut text = fenced("A candidate:", &known);
    let mut new = Vec::new();
    for path in paths.into_iter().filter(|path| !above.contains(path)) {
        let Some(document) = gathered.ground.document(&path)? else { continue };
        if !secrets::faults(document.as_bytes()).is_empty() {
            // it is sent masked, and what comes back would have the mask in place of the secret
            return Ok(Err("a file of it has a secret"));
        }
        if !trust.judge(path.as_str(), document.as_bytes(), EntryBytesSource::Disk).is_none() {
            return Ok(Err(
                "a file of it came from elsewhere, may steer a model, and nobody here has accepted it",
            ));
        }
        text.push_str(&fenced(&format!("The file `{path}`:"), document.text()));
        new.push(path);
    }
    text.push('\n');
    Ok(Ok((text, new)))
}

fn paths_of(paths: &[TreePath]) -> Vec<&str> {
    paths.iter().map(TreePath::as_str).collect()
}
