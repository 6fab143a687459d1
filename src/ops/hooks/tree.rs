//! The hooks of the tree's own repository: regenerate after a hand-made `git pull` or `git switch`, and hold a plain `git
//! push` to what `brv vc push` is held to.

use crate::git::push::Leaving;
use crate::git::{self, CommitId, in_progress, refs, revision};
use crate::ops::Stop;
use crate::ops::context::Context;
use crate::ops::steps::checking::Found;
use crate::ops::steps::checking::gate::{Gate, Verify};
use crate::ops::steps::overriding::Allowed;
use crate::ops::steps::refresh::{self, Extent};
use crate::ops::steps::searching::{Freshness, SearchSession};
use bstr::ByteSlice as _;

/// Regenerate the derived files, and bring the search index up to date. In the middle of a rebase or a merge nothing is
/// done: the end of it calls again.
pub(super) fn refresh(cx: &Context<'_>) -> Result<(), Stop> {
    let opened = cx.open()?;
    if in_progress::committing(&opened.scope)?.is_some() {
        return Ok(());
    }
    refresh::refresh(&opened, Extent::Missing, cx.progress)?;
    SearchSession::open(&opened, Freshness::Look, cx.progress)?.settle();
    Ok(())
}

/// What must not be pushed, judged by the commits that the remote lacks as far as is known here: no network is asked.
/// git gives the name and the address of the remote, and on standard input the refs.
pub(super) fn pre_push(cx: &Context<'_>, arguments: &[String], input: &[u8]) -> Result<Vec<Found>, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let leaving = leaving(scope, input)?;
    let mut known: Vec<CommitId> = leaving.iter().filter_map(|one| one.there).collect();
    if let Some(remote) = arguments.first() {
        let tracking = refs::commits(scope, &format!("refs/remotes/{remote}/"))?;
        known.extend(tracking.into_iter().map(|(_, commit)| commit));
    }
    let gate = Gate { allowed: &Allowed::default(), verify: Verify::Content };
    Ok(gate.judge(scope, &leaving, &known)?.stopped)
}

/// `LOCAL-REF LOCAL-ID REMOTE-REF REMOTE-ID` on each line; a ref that is deleted leaves nothing.
fn leaving(scope: &git::Scope, input: &[u8]) -> Result<Vec<Leaving>, Stop> {
    let mut leaving = Vec::new();
    for line in input.lines() {
        let words: Vec<&[u8]> = line.split_str(" ").collect();
        let [_, local, _, remote] = words[..] else { continue };
        let commit = |id: &[u8]| revision::commit(scope, id.to_str().ok()?).ok();
        leaving.extend(commit(local).map(|tip| Leaving { tip, there: commit(remote) }));
    }
    Ok(leaving)
}
