//! What is withheld from agents since it came from elsewhere, as changes to review.

use crate::brain::digests;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::open::context::Opened;
use brv_engine::query::search;
use brv_engine::review::trust::Trust;
use brv_engine::review::{self, Flag, ReviewExtent, ReviewStanding, Reviewed};
use brv_git as git;
use brv_git::CommitId;
use brv_text::curate::Why;
use brv_text::doc::Document;
use brv_text::lint::Steering;

/// Whether a text may steer an agent, whoever wrote it: it instructs, or has hidden characters (BRV007, BRV008).
pub fn may_steer(text: &str) -> bool {
    !Steering::of(&Document::parse(text.as_bytes())).is_none()
}

/// Whether only a person may accept a change: it came from elsewhere, or instructs.
pub(super) fn waits_for_person(flag: &Flag) -> bool {
    flag.is_foreign || flag.says(Why::Instructions.as_str())
}

/// The marked changes, and then the entries that are withheld or were approved.
pub(super) fn read(opened: &Opened, extent: ReviewExtent) -> Result<Reviewed, Stop> {
    let mut reviewed = review::read(opened, extent)?;
    // what an operation of this clone marked stands there already
    let is_marked = |foreign: &Flag| {
        let same = |own: &Flag| own.path == foreign.path && own.versions[1] == foreign.versions[1];
        reviewed.flags.iter().any(|(own, standing)| {
            *standing != ReviewStanding::Published && waits_for_person(own) && same(own)
        })
    };
    let foreign: Vec<_> = flags(opened)?.into_iter().filter(|(flag, _)| !is_marked(flag)).collect();
    reviewed.flags.extend(foreign);
    Ok(reviewed)
}

fn flags(opened: &Opened) -> Result<Vec<(Flag, ReviewStanding)>, Stop> {
    let (scope, trust) = (&opened.scope, Trust::of(opened));
    let mut found = Vec::new();
    for suspect in trust.suspects(&digests::current(opened)?.digests) {
        let Some((path, blob)) = TreePath::parse(suspect.path.as_bytes()).ok().zip(suspect.blob()) else {
            continue;
        };
        match (suspect.is_withheld(), trust.is_accepted(blob)) {
            (true, _) => found.push(((path, blob), suspect.withheld(), ReviewStanding::Pending)),
            (false, true) => found.push(((path, blob), suspect.found(), ReviewStanding::Approved)),
            (false, false) => {}
        }
    }
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let files: Vec<_> = found.iter().map(|(file, ..)| file.clone()).collect();
    let origins = search::last_changes(scope, &files, None)?;
    let flag = |((path, blob), why, standing): ((TreePath, _), Steering, ReviewStanding)| {
        let origin = origins.get(path.as_str()).map(|origin| {
            let commit =
                CommitId::from_hex(&origin.commit).map(|id| git::commit::read(scope, id)).transpose()?;
            let actor = origin.actor.as_ref().unwrap_or(&origin.author).clone();
            Ok::<_, git::Error>(commit.map(|commit| (actor, commit)))
        });
        let origin = origin.transpose()?.flatten();
        Ok((Flag::foreign(scope, (&path, blob), why.words(), origin)?, standing))
    };
    found.into_iter().map(flag).collect()
}
