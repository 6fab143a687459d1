//! The hooks of the tree's own repository: regenerate after a hand-made `git pull` or `git switch`, and hold a plain `git
//! push` to what `brv vc push` is held to.

use brv_engine::Stop;
use brv_engine::derive::{self, Extent};
use brv_engine::dream;
use brv_engine::open::context::Context;
use brv_engine::query::search::{ScanFreshness, SearchSession};
use brv_engine::vc::check::gate::{PushGate, PushVerdict, Verify};
use brv_engine::write::overriding::Allowed;
use brv_git as git;
use brv_git::push::{KnownRef, Leaving};
use brv_git::{in_progress, refs, revision};
use bstr::ByteSlice as _;

/// Regenerate the derived files, and bring the search index up to date. In the middle of a rebase or a merge nothing is
/// done: the end of it calls again.
pub(super) fn refresh(cx: &Context<'_>) -> Result<(), Stop> {
    let opened = cx.open()?;
    if in_progress::committing(&opened.scope)?.is_some() {
        return Ok(());
    }
    derive::refresh(&opened, Extent::Missing, cx.progress)?;
    dream::follow(&opened);
    SearchSession::open(&opened, ScanFreshness::Look, cx.progress)?.settle();
    Ok(())
}

/// What must not be pushed, judged by the commits that the remote lacks as far as is known here, without the network.
/// git gives the name and the address of the remote, and on standard input the refs.
pub(super) fn pre_push(cx: &Context<'_>, arguments: &[String], input: &[u8]) -> Result<PushVerdict, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let leaving = leaving(scope, input)?;
    let there = |one: &Leaving| Some(KnownRef { name: one.to.clone(), commit: one.there? });
    let mut known: Vec<KnownRef> = leaving.iter().filter_map(there).collect();
    if let Some(remote) = arguments.first() {
        let folder = format!("refs/remotes/{remote}/");
        known.extend(refs::commits(scope, &folder)?.into_iter().map(|(name, commit)| {
            let branch = name.strip_prefix(folder.as_bytes()).unwrap_or(&name);
            KnownRef { name: [b"refs/heads/", branch].concat().into(), commit }
        }));
    }
    let gate = PushGate { opened: &opened, allowed: &Allowed::default(), verify: Verify::Content };
    gate.judge(&leaving, &known)
}

/// `LOCAL-REF LOCAL-ID REMOTE-REF REMOTE-ID` on each line; a ref that is deleted leaves nothing.
fn leaving(scope: &git::Scope, input: &[u8]) -> Result<Vec<Leaving>, Stop> {
    let mut leaving = Vec::new();
    for line in input.lines() {
        let words: Vec<&[u8]> = line.split_str(" ").collect();
        let [_, local, to, remote] = words[..] else { continue };
        let commit = |id: &[u8]| revision::commit(scope, id.to_str().ok()?).ok();
        leaving.extend(commit(local).map(|tip| Leaving { tip, to: to.into(), there: commit(remote) }));
    }
    Ok(leaving)
}
