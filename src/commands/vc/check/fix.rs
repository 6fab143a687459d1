//! What a check writes on request: safe fixes of what it found, and the baseline.

use super::{CheckScope, Fixed, FixedFile, Options, Outcome, inspect, sources};
use crate::vc::check::plain_clone;
use brv_base::content::ContentId;
use brv_base::fs::Listing;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::journal::OperationKind;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::survey;
use brv_engine::outcome::bytes::text;
use brv_engine::read::history::changes::{Contents, Detail};
use brv_engine::read::history::knowledge::{self, ChangeReport};
use brv_engine::read::history::states::TreeState;
use brv_engine::read::links::references::Places;
use brv_engine::read::links::repointing;
use brv_engine::vc::check::state::CheckedTree as Files;
use brv_engine::vc::check::{CheckFinding, FindingStanding, paths};
use brv_engine::write::operation::files_only::{self, Recording, Rewrite};
use brv_engine::write::operation::{self, Derived, Purpose, Writing};
use brv_engine::write::written::WrittenEffects;
use brv_git as git;
use brv_git::trees::Change;
use brv_git::{FileMode, Scope, Version};
use brv_text::doc::Document;
use brv_text::lint::{Finding, Rule, baseline, without_hidden};
use brv_text::stale::recited;
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet};

/// Fix on disk what a check finds and can fix safely: derived files that are committed, characters that nobody sees, links
/// with one likely target, cited files that were renamed. Stages only what is no longer tracked, and commits nothing.
///
/// # Errors
/// Another commit than `HEAD` is checked, or a plain clone: nothing was written.
pub fn fix(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    operation::settle(Stop::kind, |_| fix_once(cx, options))
}

fn fix_once(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = project(cx)?;
    let scope = &opened.scope;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    let cache = opened.places.cache();
    let mut inspected = inspect(cx, (scope, sources(&opened)), Some(&cache), options)?;
    if let TreeState::Commit(checked) = inspected.after
        && checked != scope.head()?.commit()
    {
        let stop = Stop::usage("`--fix` changes the files on disk, and another commit is checked");
        return Err(stop.hint("switch to the branch that has the commit, then run `brv vc check --fix`"));
    }
    let (rewrites, files) = rewrites(scope, &fixable(&inspected.found), &moves(&inspected.found))?;
    let told = tell(scope, &rewrites)?;
    let named: Vec<String> = files.keys().map(ToString::to_string).collect();
    let purpose = Purpose::new(OperationKind::Check, format!("fix {}", named.join(", ")));
    files_only::carry_out(&mut writing, &rewrites, &purpose)?;
    let is_fixed = |found: &CheckFinding| {
        let rules = files.get(&found.finding.path);
        is_fixable(found) && rules.is_some_and(|rules| rules.contains(&found.finding.rule))
    };
    inspected.found.retain(|found| !is_fixed(found));
    let fixed = fixed(files, told, writing, Derived::Changed);
    Ok(Outcome { fixed: Some(fixed), ..inspected.listed() })
}

/// The tree to change. A plain clone is only read, even inside a project, whose tree would be another.
fn project(cx: &Context<'_>) -> Result<Opened, Stop> {
    let found = plain_clone::open(cx)?;
    if found.is_plain_clone {
        let stop = Stop::usage("a plain clone is only read");
        return Err(stop.hint("clone it with `brv vc clone`, and change that clone"));
    }
    Ok(found.opened)
}

/// Write the baseline: all current findings in the whole tree.
///
/// # Errors
/// A plain clone: nothing was written.
pub fn write_baseline(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    operation::settle(Stop::kind, |_| write_baseline_once(cx, options))
}

fn write_baseline_once(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = project(cx)?;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    let scope = &opened.scope;
    let everything = Options { what: CheckScope::Everything, ..options.clone() };
    let cache = opened.places.cache();
    let inspected = inspect(cx, (scope, sources(&opened)), Some(&cache), &everything)?;
    // what is wrong with the baseline itself ends here
    let findings = inspected.found.iter().chain(&inspected.left).map(|found| &found.finding);
    let findings: Vec<&Finding> = findings.filter(|finding| finding.path != baseline::FILE).collect();
    let text = baseline::write(findings);
    let path: &BStr = baseline::FILE.into();
    let before = on_disk(scope, path)?;
    let mut files = FixRules::new();
    if before.as_deref() != Some(text.as_bytes()) {
        files.insert(path.to_owned(), BTreeSet::new());
        let rewrite = Rewrite {
            path: path.to_owned(),
            before,
            after: Some(text.into_bytes()),
            recording: Recording::Leave,
        };
        let purpose = Purpose::new(OperationKind::Check, format!("write {path}"));
        files_only::carry_out(&mut writing, &[rewrite], &purpose)?;
    }
    let fixed = fixed(files, ChangeReport::default(), writing, Derived::Leave);
    Ok(Outcome { fixed: Some(fixed), ..inspected.listed() })
}

fn fixed(files: FixRules, told: ChangeReport, writing: Writing<'_>, derived: Derived) -> Fixed {
    let file = |(path, rules): (BString, BTreeSet<Rule>)| FixedFile {
        path: text(&path),
        rules: rules.into_iter().map(Rule::id).collect(),
    };
    Fixed {
        files: files.into_iter().map(file).collect(),
        entries: told.entries.clone(),
        written: WrittenEffects::from(&writing.finish(derived)),
        told,
    }
}

fn is_fixable(found: &CheckFinding) -> bool {
    found.finding.fix.is_some() && found.standing == FindingStanding::Present
}

/// The files with a fix, and the rules to fix in each.
fn fixable(found: &[CheckFinding]) -> FixRules {
    let mut files = FixRules::new();
    for found in found.iter().filter(|found| is_fixable(found)) {
        files.entry(found.finding.path.clone()).or_default().insert(found.finding.rule);
    }
    files
}

/// The new paths of the files that entries cite, by entry and cited path.
fn moves(found: &[CheckFinding]) -> LinkFixes {
    let mut moves = LinkFixes::new();
    for found in found.iter().filter(|found| is_fixable(found)) {
        let finding = &found.finding;
        if let (Rule::StaleSource, Some(old), Some(new)) = (finding.rule, &finding.subject, &finding.fix) {
            moves.entry(finding.path.clone()).or_default().insert(old.clone(), new.clone());
        }
    }
    moves
}

type LinkFixes = BTreeMap<BString, BTreeMap<String, String>>;

type FixRules = BTreeMap<BString, BTreeSet<Rule>>;

/// The files with their new bytes, and the rules that no longer find something in each.
fn rewrites(scope: &Scope, wanted: &FixRules, moves: &LinkFixes) -> Result<(Vec<Rewrite>, FixRules), Stop> {
    let survey = survey::survey(scope, git::index::read(scope)?, Listing::Everything)?;
    let files = Files::on_disk(scope, &survey)?;
    let curated = files.curated();
    let places = Places::of(files.root(), &curated).with_absent(files.absent());
    let tracked = Files::of_index(scope, &survey.index);
    let (mut rewrites, mut fixed) = (Vec::new(), FixRules::new());
    for (path, rules) in wanted {
        let mut done = BTreeSet::new();
        let is_forgotten =
            rules.contains(&Rule::DerivedFile) && is_forgettable(scope, &tracked, path.as_ref())?;
        let Some(before) = on_disk(scope, path.as_ref())? else {
            if is_forgotten {
                fixed.insert(path.clone(), [Rule::DerivedFile].into());
                rewrites.push(Rewrite {
                    path: path.clone(),
                    before: None,
                    after: None,
                    recording: Recording::Forget,
                });
            }
            continue;
        };
        let mut after = before.clone();
        if rules.contains(&Rule::Hidden)
            && let Some(text) = after.to_str().ok().and_then(without_hidden)
        {
            after = text.into_bytes();
            done.insert(Rule::Hidden);
        }
        if rules.contains(&Rule::BrokenLink)
            && let Ok(path) = TreePath::parse(path)
        {
            let mended = repointing::mended(&places, &path, &after)?;
            if mended.bytes != after && mended.left == 0 {
                done.insert(Rule::BrokenLink);
            }
            after = mended.bytes;
        }
        for (old, new) in moves.get(path).into_iter().flatten() {
            let document = Document::parse(&after[..]);
            if document.text().as_bytes() == after {
                after = recited(&document, (old, new)).into_bytes();
                done.insert(Rule::StaleSource);
            }
        }
        let recording = if is_forgotten { Recording::Forget } else { Recording::Leave };
        if recording == Recording::Forget {
            done.insert(Rule::DerivedFile);
        }
        if after != before || recording == Recording::Forget {
            fixed.insert(path.clone(), done);
            rewrites.push(Rewrite {
                path: path.clone(),
                before: Some(before),
                after: Some(after),
                recording,
            });
        }
    }
    Ok((rewrites, fixed))
}

/// Whether what is staged at this path is brv's: since what was checked, another tool may have staged its own.
fn is_forgettable(scope: &Scope, tracked: &Files, path: &BStr) -> Result<bool, Stop> {
    let Ok(path) = TreePath::parse(path) else { return Ok(false) };
    paths::is_brvs(&path, |path| tracked.read(scope, path))
}

/// The bytes of a file on disk, as git stores them.
fn on_disk(scope: &Scope, path: &BStr) -> Result<Option<Vec<u8>>, Stop> {
    let root = scope.root();
    let bytes = brv_base::fs::read_below(&root, &brv_base::fs::below(&root, path)?)?;
    let converter = git::Converter::of(scope);
    Ok(bytes.map(|bytes| converter.to_git(path, bytes.into())).transpose()?.map(Into::into))
}

fn tell(scope: &Scope, rewrites: &[Rewrite]) -> Result<ChangeReport, git::Error> {
    let version = |bytes: &Option<Vec<u8>>| {
        bytes.as_ref().map(|bytes| Version { mode: FileMode::Regular, id: ContentId::of(bytes) })
    };
    let changes: Vec<Change> = rewrites
        .iter()
        .filter(|file| file.before != file.after)
        .map(|file| Change {
            path: file.path.clone(),
            renamed_from: None,
            before: version(&file.before),
            after: version(&file.after),
        })
        .collect();
    let files: BTreeMap<&BString, &Rewrite> = rewrites.iter().map(|file| (&file.path, file)).collect();
    let before = |change: &Change| files.get(&change.path)?.before.clone();
    let after = |change: &Change| files.get(&change.path)?.after.clone();
    let detail = Detail::Meaning { context: brv_text::diff::CONTEXT };
    knowledge::tell(scope, &changes, detail, &Contents::with_disk(&after).with_before(&before).masked())
}
