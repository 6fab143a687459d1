//! Apply every rule to the two states of a check.

use super::compared::CheckStates;
use super::reading::EntryReading;
use super::{CheckScope, Options};
use brv_base::path::TreePath;
use brv_base::sorting;
use brv_engine::Stop;
use brv_engine::merge::guards;
use brv_engine::read::archive::Lookup;
use brv_engine::read::history::archiving;
use brv_engine::read::links::references::Places;
use brv_engine::read::stale::{CitedCode, GoneCitation, gone};
use brv_engine::vc::check::changed::ChangedPaths;
use brv_engine::vc::check::entries::{self, CheckedCitation, Entry, EntryFilter, Link, Parts};
use brv_engine::vc::check::links::{Consequences, LinkSides};
use brv_engine::vc::check::standards::Standards;
use brv_engine::vc::check::state::CheckedTree as Files;
use brv_engine::vc::check::{CheckFinding, CheckedContent, FindingStanding, names, paths, range, tree_wide};
use brv_git::trees::Change;
use brv_git::{Scope, SharedScope, TreeId};
use brv_text::doc::{self, Document};
use brv_text::lint::{Claims, Fault, Finding, Rule};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Every finding, sorted, with the weight that the policy gives it; and what the change does to the links around it. What is known
/// of entries is kept in `cache`, if there is one.
pub fn apply(
    (scope, cache): (&Scope, Option<&Path>),
    options: &Options,
    compared: &CheckStates,
    standards: &Standards,
    code: Option<&CitedCode>,
) -> Result<(Vec<CheckFinding>, Consequences), Stop> {
    let mut changed = ChangedPaths::of(&compared.changes);
    if options.what == CheckScope::Everything {
        changed = changed.and_everything();
    }
    // where nothing changed, the state before is the one after
    let is_changed = !compared.changes.is_empty();
    let before = if is_changed { Files::of_commit(scope, compared.from)? } else { Files::default() };
    let (curated, curated_before) = (compared.files.curated(), before.curated());
    let shared = scope.to_shared();
    let places = places(&shared, &compared.files, &curated);
    let other_places = is_changed.then(|| self::places(&shared, &before, &curated_before));
    let places_before = other_places.as_ref().unwrap_or(&places);
    let max_bytes = standards.policy.max_bytes;
    let parts = Parts {
        faults: compared.range.is_none().then_some(max_bytes),
        links: true,
        citations: code.is_some(),
        ..Parts::default()
    };
    let created = |scope: &Scope, path: &TreePath| {
        let bytes = compared.files.read(scope, path.as_bytes().as_bstr())?;
        let written = bytes.and_then(|bytes| Document::parse(bytes).meta().created_at);
        Ok(written.as_deref().and_then(doc::instant))
    };
    let reading =
        EntryReading { scope, compared, places: &places, changed: &changed, created: &created, cache, parts };
    let (mut entries, mut between) = reading.touched_and_near((&before, places_before), &curated)?;
    between.extend(tree_wide::contradictions(&entries, &changed));
    entries.iter_mut().for_each(|entry| entry.claims = Claims::default());
    let old = old_entries(scope, compared, &before, places_before)?;
    let sides =
        LinkSides { entries: &entries, places: &places, before: &old, places_before, changed: &changed };
    let mut found = standards.findings.clone();
    found.extend(content(scope, compared, &entries, &changed, max_bytes)?);
    found.extend(paths::findings(scope, &compared.files, |path| changed.has(path))?);
    if let Some((tip, known)) = &compared.range {
        found.extend(paths::corrected(scope, (*tip, known), &compared.files)?);
    }
    found.extend(sides.findings()?);
    found.extend(between);
    if options.what == CheckScope::Staged {
        found.extend(compared.unmerged.iter().map(in_conflict));
    }
    found.extend(deletion(scope, compared)?);
    found.extend(pinned(scope, compared, &old)?);
    found.extend(code.map(|code| stale(scope, code, &entries)).unwrap_or_default());
    for one in &mut found {
        let raised = standards.policy.severity.get(&one.finding.rule);
        one.severity = raised.map_or(one.severity, |raised| one.severity.max(*raised));
    }
    // what a later commit corrected is of interest only where it must not be sent, or cannot be undone
    let counts = |found: &CheckFinding| {
        let rule = found.finding.rule;
        found.standing == FindingStanding::Present
            || rule == Rule::DerivedFile
            || standards.policy.stops_push(rule)
    };
    found.retain(counts);
    CheckFinding::sort(&mut found);
    found.dedup();
    Ok((found, sides.consequences()?))
}

fn places<'a>(shared: &'a SharedScope, files: &'a Files, curated: &'a [TreePath]) -> Places<'a> {
    let others = |path: &TreePath, kind| {
        Ok(kind == brv_base::fs::FileKind::Regular && files.has(path.as_str().as_bytes().as_bstr()))
    };
    let read = |path: &TreePath| {
        let path = path.as_str().as_bytes().as_bstr();
        files.has(path).then(|| files.read(&shared.to_local(), path).ok().flatten()).flatten()
    };
    Places::of(files.root(), curated)
        .with_absent(files.absent())
        .with_others(Box::new(others))
        .with_archives(Lookup::new(read))
}

/// What is wrong inside the entries, and secrets in what names them: of a range in every content and message that it
/// brings, else as they stand.
fn content(
    scope: &Scope,
    compared: &CheckStates,
    entries: &[Entry],
    changed: &ChangedPaths,
    max_bytes: usize,
) -> Result<Vec<CheckFinding>, Stop> {
    if let Some((tip, known)) = &compared.range {
        let judge = |content: CheckedContent, bytes| content.faults(bytes, max_bytes);
        let mut found = range::check(scope, &[*tip], known, &judge)?;
        found.extend(compared.branch.iter().flat_map(|name| names::reference(name.as_bstr())));
        return Ok(found);
    }
    let standing = entries.iter().flat_map(|entry| {
        entry.faults.iter().map(|fault| CheckFinding::present(fault.clone().at(entry.bstr())))
    });
    let mut found: Vec<CheckFinding> = standing.collect();
    for path in compared.files.paths().filter(|path| changed.has(path)) {
        found.extend(names::path(path).into_iter().map(|fault| CheckFinding::present(fault.at(path))));
        let content = CheckedContent::at(path);
        if content != CheckedContent::Curated
            && let Some(bytes) = compared.files.read(scope, path)?
        {
            let faults = content.faults(bytes, max_bytes).into_iter();
            found.extend(faults.map(|fault| CheckFinding::present(fault.at(path))));
        }
    }
    Ok(found)
}

/// The changed entries as they were, by their paths after; deleted ones by their own.
fn old_entries(
    scope: &Scope,
    compared: &CheckStates,
    before: &Files,
    places: &Places<'_>,
) -> Result<BTreeMap<BString, Entry>, Stop> {
    let pairs: Vec<(TreePath, &BString)> = compared
        .changes
        .iter()
        .filter(|change| change.before.is_some())
        .filter_map(|change| {
            let old = change.renamed_from.as_ref().unwrap_or(&change.path);
            Some((TreePath::parse(old).ok().filter(|path| path.kind().is_curated())?, &change.path))
        })
        .collect();
    let paths: Vec<TreePath> = pairs.iter().map(|(old, _)| old.clone()).collect();
    let parts = |_: &TreePath| Parts { links: true, pin: true, ..Parts::default() };
    // what was mended is told by the links that were missing
    let is_kept = |_: &TreePath, link: &Link| link.is_missing();
    let filter = EntryFilter { places, links: &is_kept, subjects: None };
    let read = entries::read(scope, before, paths.iter(), filter, parts)?;
    Ok(pairs.into_iter().map(|(_, new)| new.clone()).zip(read).collect())
}

/// Whether the change deletes or empties a large part of the entries: BRV009.
fn deletion(scope: &Scope, compared: &CheckStates) -> Result<Option<CheckFinding>, Stop> {
    let before = compared.from.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    let one_sided = compared.changes.iter().flat_map(|change| match &change.renamed_from {
        None => vec![change.clone()],
        Some(old) => vec![
            Change { path: old.clone(), renamed_from: None, before: change.before, after: None },
            Change { path: change.path.clone(), renamed_from: None, before: None, after: change.after },
        ],
    });
    let read = |path: &BStr| Ok(compared.files.read(scope, path).ok().flatten());
    let mut one_sided: Vec<Change> = one_sided.collect();
    sorting::sort_by(&mut one_sided, |one, other| one.path.cmp(&other.path));
    let found = guards::mass_deletion(scope, before, &one_sided, &read)?;
    Ok(found.map(|found| {
        let (deleted, emptied) = (found.deleted.len(), found.emptied.len());
        let what = match (deleted, emptied) {
            (_, 0) => "deleted",
            (0, _) => "emptied",
            _ => "deleted or emptied",
        };
        let message = format!("{} of {} entries are {what}", deleted + emptied, found.entries);
        CheckFinding::present(Finding::of_path(Rule::MassDeletion, ".".into(), message, ""))
    }))
}

/// A file that cannot be committed before its conflict is resolved.
fn in_conflict(path: &BString) -> CheckFinding {
    let message = "the file is in conflict";
    CheckFinding::present(Finding::of_path(Rule::ConflictMarker, path.as_ref(), message, message))
}

/// The changes of entries that were pinned: BRV010.
fn pinned(
    scope: &Scope,
    compared: &CheckStates,
    old: &BTreeMap<BString, Entry>,
) -> Result<Vec<CheckFinding>, Stop> {
    let is_pinned = |change: &&Change| old.get(&change.path).is_some_and(|entry| entry.is_pinned);
    let pinned: Vec<Change> = compared.changes.iter().filter(is_pinned).cloned().collect();
    let archived = archiving::archived(&pinned, &|path| Ok(compared.files.read(scope, path).ok().flatten()))?;
    let found = pinned.iter().map(|change| {
        let what = match (&change.renamed_from, change.after) {
            (_, None) if archived.contains(&change.path) => "archived",
            (_, None) => "deleted",
            (Some(_), _) => "moved",
            (None, _) => "changed",
        };
        let message = format!("a pinned entry was {what}");
        CheckFinding::present(Finding::of_path(Rule::Pinned, change.path.as_ref(), message, ""))
    });
    Ok(found.collect())
}

/// The source files that entries cite and that are gone: BRV012. A finding names the new path of a renamed file, and a
/// fix writes it unless the entry already cites it.
fn stale(scope: &Scope, code: &CitedCode, entries: &[Entry]) -> Vec<CheckFinding> {
    let cited = entries.iter().flat_map(|entry| &entry.citations);
    let gone = gone(scope.environment(), code, &cited.map(|cited| &*cited.path).collect());
    entries.iter().flat_map(|entry| stale_of(entry, &gone)).collect()
}

/// What only looks like a file counts if the code had it.
fn stale_of(entry: &Entry, gone: &BTreeMap<&str, GoneCitation>) -> Vec<CheckFinding> {
    let mut cited: BTreeSet<&str> = entry.citations.iter().map(|cited| &*cited.path).collect();
    let mut found = Vec::new();
    for CheckedCitation { path, place, is_listed } in &entry.citations {
        let Some(GoneCitation { now, .. }) = gone.get(&**path).filter(|gone| *is_listed || gone.was_there)
        else {
            continue;
        };
        let message = match now {
            Some(now) => format!("cites `{path}`, which moved to `{now}`"),
            None => format!("cites `{path}`, which is not in the code"),
        };
        let fix = now.as_ref().filter(|now| cited.insert(now)).cloned();
        let fault = Fault::about_subject(Rule::StaleSource, *place, message, path);
        found.push(CheckFinding::present(fault.fixed_by(fix).at(entry.bstr())));
    }
    found
}
