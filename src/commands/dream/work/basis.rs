//! What a rewrite may stand on: the entries of its candidate, the code that they cite at `HEAD`, and the evidence that the
//! decision quotes, as far as that stands somewhere.

use super::composing::Text;
use super::setting::{Decided, DreamContext};
use brv_base::path::TreePath;
use brv_engine::curate::Stopped;
use brv_engine::open::hosting::Host;
use brv_engine::read::links::pointing::each;
use brv_engine::read::stale::{meanings, project_below};
use brv_git::history::{self, Range};
use brv_git::trees::{self, TreeItem};
use brv_git::{Scope, TreeId};
use brv_text::doc::{Document, single_spaced};
use brv_text::dream::{Candidate, Doubt, Doubtful, doubts};
use brv_text::stale::cited_paths;
use std::ops::ControlFlow;

/// How many cited files are read, and the largest, in bytes.
const MOST_FILES: usize = 50;
const LARGEST: usize = 256 << 10;

/// In how many commits evidence is looked for, the newest first.
const MOST_COMMITS: usize = 5_000;

/// Evidence of fewer words than this would stand anywhere.
const FEWEST_WORDS: usize = 3;

/// The longest doubtful text to report, in characters, and the most of them.
const LONGEST: usize = 120;
const MOST_TOLD: usize = 5;

/// Why a rewrite waits, beyond what it does.
#[derive(Default)]
pub struct Doubts {
    pub why: Vec<&'static str>,
    /// What is doubtful, for a person.
    pub message: Option<String>,
}

/// What is doubtful in the text of a decision; nothing in one that has none.
pub fn doubted(setting: &DreamContext<'_, '_>, decided: &Decided) -> Result<Doubts, Stopped> {
    let Some(written) = written(&Text::of(&decided.decision)) else { return Ok(Doubts::default()) };
    let entries = entries(setting, &decided.decision.candidate)?;
    let mut texts = cited(setting, &entries);
    let (quoted, unfound) = evidence(setting, decided, (&entries, &texts))?;
    texts.extend(quoted);
    let entries: Vec<&Document> = entries.iter().collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found = doubts(&written, &entries, &texts);
    let of = |kind: Doubtful| -> Vec<&str> {
        found.iter().filter(|doubt| doubt.kind == kind).map(|Doubt { text, .. }| text.as_str()).collect()
    };
    let (unsupported, changed) = (of(Doubtful::Unsupported), of(Doubtful::Changed));
    let unfound: Vec<&str> = unfound.iter().map(String::as_str).collect();
    let why =
        [("unsupported", !unsupported.is_empty() || !unfound.is_empty()), ("changed", !changed.is_empty())];
    let told = [
        ("not in its entries", unsupported),
        ("otherwise in its entries", changed),
        ("evidence that stands nowhere", unfound),
    ];
    let told: Vec<String> =
        told.iter().filter(|(_, all)| !all.is_empty()).map(|(what, all)| listed(what, all)).collect();
    Ok(Doubts {
        why: why.into_iter().filter_map(|(word, holds)| holds.then_some(word)).collect(),
        message: (!told.is_empty()).then(|| told.join("; ")),
    })
}

/// The text of a decision as one document.
fn written(text: &Text) -> Option<Document> {
    let title = text.title.as_ref().map(|title| format!("# {title}\n\n"));
    let summary = text.summary.as_ref().map(|summary| format!("{summary}\n\n"));
    let parts = [title, summary, text.body.clone()];
    let all: String = parts.into_iter().flatten().collect();
    (!all.trim().is_empty()).then(|| Document::parse(all))
}

fn listed(what: &str, all: &[&str]) -> String {
    let cut = |text: &&str| match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => (*text).to_owned(),
    };
    let more =
        if all.len() > MOST_TOLD { format!(" and {} more", all.len() - MOST_TOLD) } else { String::new() };
    let shown: Vec<String> = all.iter().take(MOST_TOLD).map(cut).collect();
    format!("{what}: {}{more}", shown.join(", "))
}

/// What the decider saw: the files of a cluster, or the summaries of a pattern.
fn entries(setting: &DreamContext<'_, '_>, candidate: &str) -> Result<Vec<Document>, Stopped> {
    let read = |path: &TreePath| -> Result<Option<Document>, Stopped> {
        Ok(setting.ground.reading().read(path)?.map(Document::parse))
    };
    match setting.plan.candidate(candidate) {
        Some(Candidate::Cluster(cluster)) => {
            let read = cluster.files.iter().map(|file| read(&file.path));
            Ok(read.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        }
        Some(Candidate::Pattern(pattern)) => {
            Ok(pattern.summaries.iter().map(|one| Document::parse(one.text.as_str())).collect())
        }
        Some(Candidate::Weak(weak)) => Ok(read(&weak.path)?.into_iter().collect()),
        None => Ok(Vec::new()),
    }
}

/// The files of the code that the entries cite, as the last commit has them, each with its path in its first line. What
/// cannot be read gives no support.
fn cited(setting: &DreamContext<'_, '_>, entries: &[Document]) -> Vec<String> {
    let opened = setting.parts.opened;
    let Ok(Some(host)) = Host::of(opened, &opened.places.project) else { return Vec::new() };
    let head = host.scope.head().ok().and_then(|head| head.commit());
    let Some(tree) = head.and_then(|head| host.scope.tree_of(head).ok()) else { return Vec::new() };
    let project = project_below(&host.scope.root(), &opened.places.project);
    let mut paths: Vec<String> = entries.iter().flat_map(cited_paths).collect();
    paths.sort();
    paths.dedup();
    let text = |path: &String| {
        meanings(&project, path)
            .iter()
            .find_map(|path| text_at(&host.scope, tree, path).map(|text| format!("{path}\n{text}")))
    };
    paths.iter().filter_map(text).take(MOST_FILES).collect()
}

fn text_at(scope: &Scope, tree: TreeId, path: &str) -> Option<String> {
    let Ok(Some(TreeItem::File(version))) = trees::find(scope, tree, path.into()) else { return None };
    let bytes = trees::find_blob(scope, version.id).ok().flatten()?;
    String::from_utf8(bytes).ok().filter(|text| text.len() <= LARGEST)
}

/// The quotes of a decision that stand somewhere, and those that do not.
fn evidence(
    setting: &DreamContext<'_, '_>,
    decided: &Decided,
    (entries, cited): (&[Document], &[String]),
) -> Result<(Vec<String>, Vec<String>), Stopped> {
    let mut open: Vec<String> = decided.decision.evidence.iter().flatten().cloned().collect();
    let mut found = Vec::new();
    let mut look = |open: &mut Vec<String>, text: &str| {
        let text = single_spaced(text);
        let is_here = |quote: &mut String| {
            quote.split_whitespace().count() >= FEWEST_WORDS && text.contains(&single_spaced(quote))
        };
        found.extend(open.extract_if(.., is_here));
    };
    for text in entries.iter().map(Document::text).chain(cited.iter().map(String::as_str)) {
        look(&mut open, text);
    }
    let opened = setting.parts.opened;
    let host = Host::of(opened, &opened.places.project).ok().flatten().map(|host| host.scope);
    for scope in [host.as_ref(), Some(&opened.scope)].into_iter().flatten() {
        if !open.is_empty() {
            messages(scope, |message| {
                look(&mut open, message);
                open.is_empty()
            });
        }
    }
    if !open.is_empty() {
        let paths: Vec<TreePath> = setting.ground.entries.keys().cloned().collect();
        let texts = each(setting.ground.reading(), &paths, |_, bytes| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            Ok(if open.iter().any(|quote| single_spaced(&text).contains(&single_spaced(quote))) {
                vec![text]
            } else {
                Vec::new()
            })
        })?;
        texts.iter().for_each(|text| look(&mut open, text));
    }
    Ok((found, open))
}

/// Look at messages of commits, the newest first, until there is enough.
fn messages(scope: &Scope, mut is_enough: impl FnMut(&str) -> bool) {
    let Some(head) = scope.head().ok().and_then(|head| head.commit()) else { return };
    let range = Range { tips: vec![head], ..Range::default() };
    let mut left = MOST_COMMITS;
    // a history that ends early has no more to say
    let _ = history::walk(scope, &range, |walked| {
        left -= 1;
        let message = String::from_utf8_lossy(&walked.commit.message).into_owned();
        match is_enough(&message) || left == 0 {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
}
