//! Check a decision against the plan, and resolve it to paths.
//!
//! Knows the plan only: whether a file is still there, and has the content that the plan showed, it cannot tell.

use super::entry::domain;
use super::{Action, Candidate, Cluster, Decision, Pattern, Plan, Weak};
use crate::curate::slug;
use crate::doc::{Document, Frontmatter, relation};
use brv_base::path::{PathKind, TreePath};

/// What a decision means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    Merge {
        /// The entry that stays.
        target: TreePath,
        /// The entries that go.
        sources: Vec<TreePath>,
    },
    Update {
        path: TreePath,
    },
    CrossReference {
        /// The entries that get the relations.
        path: Vec<TreePath>,
        /// The relations; each entry gets those to the others.
        related: Vec<String>,
    },
    Skip,
    Create {
        path: TreePath,
    },
    Archive {
        path: TreePath,
    },
    Keep {
        path: TreePath,
    },
    MergeInto {
        /// The weak entry.
        source: TreePath,
        /// The entry that would take it over, which may be none of the plan.
        target: TreePath,
    },
}

/// The folder of a synthesis that names no file.
const SYNTHESIS: &str = "synthesis";

/// The most folders above an entry.
const MAX_LEVELS: usize = 3;

/// What a decision means, as far as the plan can tell.
///
/// # Errors
/// What is wrong with it, in words.
pub fn fits(decision: &Decision, plan: &Plan) -> Result<Meant, String> {
    let id = &decision.candidate;
    let candidate = plan.candidate(id).ok_or_else(|| format!("the plan has no candidate `{id}`"))?;
    needs_only(decision, candidate)?;
    has_text(decision)?;
    match (candidate, decision.action) {
        (_, Action::Skip) => Ok(Meant::Skip),
        (Candidate::Cluster(cluster), Action::Merge) => merge(decision, cluster),
        (Candidate::Cluster(cluster), Action::TemporalUpdate) => update(decision, cluster),
        (Candidate::Cluster(cluster), Action::CrossReference) => cross_reference(decision, cluster),
        (Candidate::Pattern(pattern), Action::Create) => create(decision, pattern),
        (Candidate::Weak(weak), action) => prune(decision, weak, action),
        _ => Err(other_phase(decision.action, candidate)),
    }
}

fn other_phase(action: Action, candidate: Candidate<'_>) -> String {
    let (id, actions) = match candidate {
        Candidate::Cluster(cluster) => (&cluster.id, "MERGE, TEMPORAL_UPDATE, CROSS_REFERENCE or SKIP"),
        Candidate::Pattern(pattern) => (&pattern.id, "CREATE or SKIP"),
        Candidate::Weak(weak) => (&weak.id, "ARCHIVE, KEEP, MERGE_INTO or SKIP"),
    };
    format!("{} does not fit `{id}`: expected {actions}", action.word())
}

/// Refuse a field that the action does not use: what was meant by it would be lost silently.
fn needs_only(decision: &Decision, candidate: Candidate<'_>) -> Result<(), String> {
    let used: &[&str] = match decision.action {
        Action::Merge => &[
            "into", "sources", "path", "title", "summary", "tags", "keywords", "markdown", "related", "drop",
            "evidence",
        ],
        Action::TemporalUpdate => {
            &["path", "title", "summary", "tags", "keywords", "markdown", "related", "evidence"]
        }
        Action::CrossReference => &["path", "related"],
        Action::Create => {
            &["path", "sources", "title", "summary", "tags", "keywords", "markdown", "evidence"]
        }
        Action::MergeInto => &["path", "into"],
        Action::Skip | Action::Archive | Action::Keep => &["path"],
    };
    let given = [
        ("into", decision.into.is_some()),
        ("sources", decision.sources.is_some()),
        ("path", decision.path.is_some()),
        ("title", decision.title.is_some()),
        ("summary", decision.summary.is_some()),
        ("tags", decision.tags.is_some()),
        ("keywords", decision.keywords.is_some()),
        ("markdown", decision.markdown.is_some()),
        ("related", decision.related.is_some()),
        ("drop", decision.drop.is_some()),
        ("evidence", decision.evidence.is_some()),
    ];
    let is_other_phase = match (candidate, decision.action) {
        (_, Action::Skip) => false,
        (Candidate::Cluster(_), action) => {
            !matches!(action, Action::Merge | Action::TemporalUpdate | Action::CrossReference)
        }
        (Candidate::Pattern(_), action) => action != Action::Create,
        (Candidate::Weak(_), action) => !matches!(action, Action::Archive | Action::Keep | Action::MergeInto),
    };
    if is_other_phase {
        return Err(other_phase(decision.action, candidate));
    }
    match given.iter().find(|(name, is_given)| *is_given && !used.contains(name)) {
        Some((name, _)) => Err(format!("{} does not use `{name}`", decision.action.word())),
        None => Ok(()),
    }
}

/// Refuse a text that would leave the entry without a body, or whose fields cannot be read and would be lost.
fn has_text(decision: &Decision) -> Result<(), String> {
    let Some(markdown) = decision.markdown.as_deref() else { return Ok(()) };
    let whole = markdown.starts_with("---").then(|| Document::parse(markdown));
    if let Some(Frontmatter::Opaque { why, .. }) = whole.as_ref().map(Document::frontmatter) {
        return Err(format!("the frontmatter of `markdown` {why}"));
    }
    match whole.as_ref().map_or(markdown, Document::body).trim() {
        "" => Err("`markdown` has no body: give the text of the entry".to_owned()),
        _ => Ok(()),
    }
}

/// The file of a cluster that a text names, with or without `.md`.
fn listed(written: &str, cluster: &Cluster) -> Result<TreePath, String> {
    let name = relation(written).unwrap_or_default();
    let is_it =
        |path: &TreePath| path.as_str() == name || path.as_str().strip_suffix(".md") == Some(name.as_str());
    let found = cluster.files.iter().map(|file| &file.path).find(|path| is_it(path));
    found.cloned().ok_or_else(|| format!("`{written}` is not a file of `{}`", cluster.id))
}

fn merge(decision: &Decision, cluster: &Cluster) -> Result<Meant, String> {
    if decision.drop.is_some() && decision.markdown.is_none() {
        return Err("`drop` needs `markdown`: without a text of its own a merge keeps all".to_owned());
    }
    let named = |written: &Option<String>| written.as_deref().map(|one| listed(one, cluster)).transpose();
    let (into, path) = (named(&decision.into)?, named(&decision.path)?);
    if into.is_some() && path.is_some() && into != path {
        return Err("`into` and `path` name different files".to_owned());
    }
    let first = || cluster.files.first().map(|file| file.path.clone());
    let target = into.or(path).or_else(first).ok_or("the candidate has no files")?;
    let mut sources = Vec::new();
    match &decision.sources {
        None => {
            sources.extend(cluster.files.iter().map(|file| file.path.clone()).filter(|path| *path != target))
        }
        Some(written) => {
            for one in written {
                let source = listed(one, cluster)?;
                if source == target {
                    return Err(format!("`{source}` cannot be merged into itself"));
                }
                if !sources.contains(&source) {
                    sources.push(source);
                }
            }
        }
    }
    if sources.is_empty() {
        Err("`sources` is empty".to_owned())
    } else {
        Ok(Meant::Merge { target, sources })
    }
}

fn update(decision: &Decision, cluster: &Cluster) -> Result<Meant, String> {
    let path = decision.path.as_deref().ok_or("TEMPORAL_UPDATE needs `path`, the file to change")?;
    let path = listed(path, cluster)?;
    let texts = [&decision.markdown, &decision.title, &decision.summary];
    let lists = [&decision.tags, &decision.keywords, &decision.related];
    let says = texts.iter().any(|text| text.as_ref().is_some_and(|text| !text.trim().is_empty()))
        || lists.iter().any(|list| list.is_some());
    if says {
        Ok(Meant::Update { path })
    } else {
        Err("TEMPORAL_UPDATE needs `markdown`, the new text".to_owned())
    }
}

fn cross_reference(decision: &Decision, cluster: &Cluster) -> Result<Meant, String> {
    let all: Vec<TreePath> = cluster.files.iter().map(|file| file.path.clone()).collect();
    let path = match &decision.path {
        Some(path) => vec![listed(path, cluster)?],
        None => all.clone(),
    };
    let related = match &decision.related {
        None => all.iter().map(ToString::to_string).collect(),
        Some(written) => {
            let mut related: Vec<String> = Vec::new();
            for one in written {
                let found = relation(one).ok_or_else(|| format!("`{one}` is not a relation to an entry"))?;
                if path.iter().all(|own| own.as_str() == found) {
                    return Err(format!("`{one}` cannot be related to itself"));
                }
                if !related.contains(&found) {
                    related.push(found);
                }
            }
            related
        }
    };
    if related.is_empty() {
        Err("`related` is empty".to_owned())
    } else {
        Ok(Meant::CrossReference { path, related })
    }
}

fn create(decision: &Decision, pattern: &Pattern) -> Result<Meant, String> {
    let markdown = decision.markdown.as_deref().ok_or("CREATE needs `markdown`, the text")?;
    let is_summary = |source: &&String| pattern.summaries.iter().any(|summary| summary.path == **source);
    if let Some(other) = decision.sources.iter().flatten().find(|source| !is_summary(source)) {
        return Err(format!("`{other}` is not a summary of `{}`", pattern.id));
    }
    let path = match &decision.path {
        Some(path) => entry(path)?,
        None => {
            let title = decision.title.clone().filter(|title| !title.trim().is_empty());
            let title = title.or_else(|| Document::parse(markdown).title());
            let name = title.as_deref().and_then(slug).ok_or("CREATE needs `title` or `path`")?;
            entry(&format!("{SYNTHESIS}/{name}.md"))?
        }
    };
    let own = domain(&path);
    if own != SYNTHESIS && !pattern.domains.iter().any(|domain| domain == own) {
        return Err(format!("`{path}` is in none of the domains of `{}`, nor in `{SYNTHESIS}`", pattern.id));
    }
    Ok(Meant::Create { path })
}

fn prune(decision: &Decision, weak: &Weak, action: Action) -> Result<Meant, String> {
    if let Some(path) = &decision.path
        && relation(path).as_deref() != Some(weak.path.as_str())
    {
        return Err(format!("`{path}` is not the file of `{}`", weak.id));
    }
    let path = weak.path.clone();
    match action {
        Action::Archive => Ok(Meant::Archive { path }),
        Action::Keep => Ok(Meant::Keep { path }),
        _ => {
            let into =
                decision.into.as_deref().ok_or("MERGE_INTO needs `into`, the entry that takes it over")?;
            let target = entry(into)?;
            if target == path {
                return Err(format!("`{target}` cannot be merged into itself"));
            }
            if domain(&target) != domain(&path) {
                return Err(format!("`{target}` is in another domain than `{path}`"));
            }
            Ok(Meant::MergeInto { source: path, target })
        }
    }
}

/// The path of an entry that a text names.
fn entry(written: &str) -> Result<TreePath, String> {
    let text = written.trim();
    let path = TreePath::parse(text.as_bytes()).map_err(|why| format!("the path `{text}` {why}"))?;
    let is_hidden = path.as_str().split('/').any(|part| part.starts_with(['.', '_']));
    if path.kind() != PathKind::Entry || is_hidden {
        return Err(format!("`{path}` cannot be an entry: expected domain/topic/name.md"));
    }
    match path.as_str().split('/').count() - 1 {
        0 => Err(format!("`{path}` is in no domain")),
        levels if levels > MAX_LEVELS => {
            Err(format!("`{path}` is too deep: domain/topic/subtopic are all levels there are"))
        }
        _ => Ok(path),
    }
}

#[cfg(test)]
mod tests;
