//! Put brv into files of hosts, and take it out.
//!
//! Everything is checked before the first byte is written: if one file refuses, none changes.

use super::memory::HostFileMemory;
use super::{Connector, ConnectorType, Site};
use brv_base::fs;
use brv_engine::agents::connectors::{self, Form, Host, Target, Traces, Unreadable};
use brv_engine::{FailureKind, Stop};
use std::path::{Path, PathBuf};

/// Files, and what becomes of them.
pub struct ConnectorPlan {
    changes: Vec<Change>,
}

struct Change {
    target: Target,
    place: PathBuf,
    before: Option<Vec<u8>>,
    /// `None`: the file goes.
    after: Option<Vec<u8>>,
    known: Option<HostFileMemory>,
    /// Folders that are made for it.
    folders: Vec<PathBuf>,
}

impl ConnectorPlan {
    /// The files, in order.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        self.changes.iter().map(|change| &change.target)
    }

    /// Whether each file changes.
    pub fn is_changed(&self) -> Vec<bool> {
        self.changes.iter().map(|change| change.before != change.after).collect()
    }

    /// How each file would stand.
    pub fn outlook(&self, site: &Site) -> Vec<Connector> {
        let one = |change: &Change| {
            let (state, why, diff) = site.judge(&change.target, change.after.as_deref());
            Connector { state, why, diff, ..site.look(&change.target) }
        };
        self.changes.iter().map(one).collect()
    }
}

/// What it takes to put brv into these files.
///
/// # Errors
/// A file that its host could not read, or that has something else called `brv`: exit 6, with the lines to add.
pub fn plan(site: &Site, targets: Vec<Target>) -> Result<ConnectorPlan, Stop> {
    let mut plan = ConnectorPlan { changes: Vec::new() };
    for target in targets {
        // two hosts may share a file of instructions
        let shared = plan.changes.iter_mut().find(|change| change.target.file == target.file);
        if let Some(shared) = shared.filter(|shared| shared.target.kind == target.kind) {
            if let Some(known) = &mut shared.known {
                known.hosts.insert(target.host);
            }
            continue;
        }
        let change = addition(site, target, &mut plan.changes)?;
        plan.changes.push(change);
    }
    Ok(plan)
}

/// What an earlier change leaves at a place: two names may lead to one file.
fn left_at<'c>(earlier: &'c [Change], place: &Path) -> Option<&'c Change> {
    earlier.iter().rfind(|change| change.place == place)
}

fn addition(site: &Site, target: Target, earlier: &mut [Change]) -> Result<Change, Stop> {
    let with_lines = |mut stop: Stop| {
        let lines = connectors::lines_to_add(&target.form);
        let by_hand = format!("nothing was changed; to add it by hand:\n{lines}");
        stop.hint = Some(stop.hint.map_or(by_hand.clone(), |hint| format!("{hint}; {by_hand}")));
        stop
    };
    let place = site.place(&target).map_err(with_lines)?;
    let before = match left_at(earlier, &place) {
        Some(change) => change.after.clone(),
        None => site.read(&target).map_err(with_lines)?,
    };
    let unreadable = |error| with_lines(refusal(site, &target, &error));
    let seen = connectors::look(&target.form, before.as_deref()).map_err(unreadable)?;
    let (after, traces) = match &seen {
        connectors::Seen::Installed => (before.clone(), Traces::default()),
        connectors::Seen::Drifted(all) if site.runs_as_is(&target, before.as_deref(), all) => {
            (before.clone(), Traces::default())
        }
        _ => {
            let (after, traces) = connectors::put(&target.form, before.as_deref()).map_err(unreadable)?;
            if connectors::look(&target.form, Some(&after)) != Ok(connectors::Seen::Installed) {
                return Err(unreadable(Unreadable("cannot be changed without harm".into())));
            }
            (Some(after), traces)
        }
    };
    if before != after && place.metadata().is_ok_and(|found| found.permissions().readonly()) {
        return Err(with_lines(read_only(site, &target)));
    }
    let same = earlier.iter_mut().find(|other| other.place == place && other.target.kind == target.kind);
    if let Some(same) = same {
        // it is remembered once
        if let Some(known) = &mut same.known {
            known.hosts.insert(target.host);
            known.traces.renew(&traces);
            known.traces.inserted.extend(traces.inserted);
        }
        return Ok(Change { target, place, before, after, known: None, folders: Vec::new() });
    }
    let memory = site.memory.as_ref();
    let remembered = memory.and_then(|memory| memory.get(&place, target.kind));
    let hosts = [target.host].into();
    let known = match remembered {
        _ if seen == connectors::Seen::Absent => {
            Some(HostFileMemory { made: before.is_none(), traces, hosts })
        }
        Some(mut known) => {
            known.hosts.insert(target.host);
            known.traces.renew(&traces);
            if matches!(target.form, Form::Whole(_)) && !traces.inserted.is_empty() {
                known.traces.inserted = traces.inserted;
            }
            Some(known)
        }
        // somebody else's, which is put back when brv is taken out
        None => (!traces.mended.is_empty()).then_some(HostFileMemory { made: false, traces, hosts }),
    };
    let missing = place.ancestors().skip(1).take_while(|folder| !folder.exists());
    let folders = missing.map(Path::to_path_buf).collect();
    Ok(Change { target, place, before, after, known, folders })
}

/// Why a file is left alone.
fn refusal(site: &Site, target: &Target, why: &Unreadable) -> Stop {
    Stop::new(FailureKind::Refused, format!("`{}` {why}", site.name(target)))
}

fn read_only(site: &Site, target: &Target) -> Stop {
    refusal(site, target, &Unreadable("is read-only".into()))
}

/// Carry a plan out. Returns how the files stand then.
pub fn install(site: &Site, plan: &ConnectorPlan) -> Result<Vec<Connector>, Stop> {
    for change in &plan.changes {
        // first what is needed to take it back
        if let (Some(memory), Some(known)) = (&site.memory, &change.known) {
            memory.keep(&change.place, change.target.kind, known, &change.folders)?;
        }
        write(site, change)?;
    }
    Ok(plan.changes.iter().map(|change| site.look(&change.target)).collect())
}

/// What it takes to take brv out of these files; those that have nothing of it are left out. Beside it, why files are left
/// alone: they cannot be read, or have something else called `brv`.
pub fn uninstall(site: &Site, targets: Vec<Target>) -> (ConnectorPlan, Vec<Stop>) {
    let (mut plan, mut refused) = (ConnectorPlan { changes: Vec::new() }, Vec::new());
    let leaving: Vec<_> = targets.iter().map(|target| (target.file.clone(), target.host)).collect();
    for target in targets {
        if plan
            .changes
            .iter()
            .any(|change: &Change| change.target.file == target.file && change.target.kind == target.kind)
        {
            continue;
        }
        let of_file = leaving.iter().filter(|(file, _)| *file == target.file);
        let hosts: Vec<Host> = of_file.map(|(_, host)| *host).collect();
        match removal(site, target, &hosts, &plan.changes) {
            Ok(change) => plan.changes.extend(change),
            Err(stop) => refused.push(stop),
        }
    }
    (plan, refused)
}

fn removal(
    site: &Site,
    target: Target,
    leaving: &[Host],
    earlier: &[Change],
) -> Result<Option<Change>, Stop> {
    let place = site.place(&target)?;
    let before = match left_at(earlier, &place) {
        Some(change) => change.after.clone(),
        None => site.read(&target)?,
    };
    let Some(before) = before else { return Ok(None) };
    let failed = |error| refusal(site, &target, &error);
    let seen = connectors::look(&target.form, Some(&before));
    let is_named = || before.windows(3).any(|part| part.eq_ignore_ascii_case(b"brv"));
    if seen.is_err() && !is_named() && site.known(&target).is_none() {
        // whatever it is, nothing of brv's is in it
        return Ok(None);
    }
    match seen.map_err(failed)? {
        connectors::Seen::Absent => return Ok(None),
        connectors::Seen::Foreign => {
            return Err(failed(Unreadable("has an entry `brv` that brv did not write".into())));
        }
        connectors::Seen::Installed | connectors::Seen::Drifted(_) => {}
    }
    let memory = site.memory.as_ref();
    let mut known = memory.and_then(|memory| memory.get(&place, target.kind)).unwrap_or_default();
    known.hosts.retain(|host| !leaving.contains(host));
    if !known.hosts.is_empty() && matches!(target.kind, ConnectorType::Rules | ConnectorType::Skill) {
        // another host still reads it
        let after = Some(before.clone());
        let known = Some(known);
        return Ok(Some(Change { target, place, before: Some(before), after, known, folders: Vec::new() }));
    }
    if let Form::Whole(text) = target.form
        && before != text.as_bytes()
        && !known.traces.inserted.iter().any(|text| before == text.as_bytes())
    {
        return Err(failed(Unreadable("was edited; remove it by hand".into())));
    }
    let taken = connectors::take(&target.form, &before, &known.traces).map_err(failed)?;
    let goes = taken.is_bare && (known.made || matches!(target.form, Form::Whole(_) | Form::Block(_)));
    if place.metadata().is_ok_and(|found| found.permissions().readonly()) {
        return Err(read_only(site, &target));
    }
    let after = (!goes).then_some(taken.bytes);
    Ok(Some(Change { target, place, before: Some(before), after, known: None, folders: Vec::new() }))
}

impl ConnectorPlan {
    /// Carry the removal out. Returns how the files stand then.
    pub fn remove(&self, site: &Site) -> Result<Vec<Connector>, Stop> {
        for change in &self.changes {
            write(site, change)?;
            match (&site.memory, &change.known) {
                (Some(memory), Some(known)) => memory.keep(&change.place, change.target.kind, known, &[])?,
                (Some(memory), None) => memory.forget(&change.place, change.target.kind)?,
                (None, _) => {}
            }
        }
        Ok(self.changes.iter().map(|change| site.look(&change.target)).collect())
    }
}

fn write(site: &Site, change: &Change) -> Result<(), Stop> {
    if change.before == change.after {
        return Ok(());
    }
    if fs::read_if_there(&change.place)? != change.before {
        let message = format!("`{}` was changed meanwhile", site.name(&change.target));
        return Err(Stop::new(FailureKind::Changed, message));
    }
    match &change.after {
        Some(bytes) => {
            fs::replace_text(&change.place, bytes)?;
            // folders that were made are in folders, too
            change.folders.iter().filter_map(|folder| folder.parent()).try_for_each(fs::sync_folder)?;
        }
        None => {
            fs::remove_file(&change.place)?;
            change.place.parent().map_or(Ok(()), fs::sync_folder)?;
        }
    }
    Ok(())
}
