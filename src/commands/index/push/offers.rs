//! What the remotes offer: asked of several at once, since most of the time is waiting.

use brv_base::parallel;
use brv_engine::query::index::mirror;
use brv_engine::query::index::remote_list::{HOST_BRANCHES, RemoteLine, RemoteTree};
use brv_engine::{Context, FailureKind, Stop};
use brv_git::network::{Credentials, Network, Prompt};
use brv_git::{CommitId, Scope, Target, offered};

/// What a remote offers, or why it does not answer.
pub(super) struct RemoteOffer {
    pub trees: Result<Vec<OfferedTree>, String>,
    /// Whether it wants credentials that are not there.
    wants_login: bool,
}

/// A tree, and the commit that its branch has.
pub(super) struct OfferedTree {
    pub tree: RemoteTree,
    pub tip: CommitId,
}

/// Ask all remotes, in their order.
///
/// # Errors
/// The user interrupts; the cache cannot be written.
pub(super) fn ask(cx: &Context<'_>, remotes: &[RemoteLine]) -> Result<Vec<RemoteOffer>, Stop> {
    let desk = mirror::desk(&cx.environment)?.to_shared();
    let network = cx.network();
    let credentials = Credentials { prompt: Prompt::Never, ..network.credentials.clone() };
    let quiet = Network { credentials, ..network };
    let ask = |desk: &mut Scope, remote: &RemoteLine| of_remote(desk, remote, &quiet);
    let mut offers = parallel::try_map_waiting(remotes, || desk.to_local(), ask)?;
    if cx.prompt() == Prompt::Terminal {
        // a person is asked one question at a time
        let (desk, network) = (desk.to_local(), cx.network());
        for (remote, offer) in remotes.iter().zip(&mut offers) {
            if offer.wants_login {
                *offer = of_remote(&desk, remote, &network)?;
            }
        }
    }
    Ok(offers)
}

fn of_remote(desk: &Scope, remote: &RemoteLine, network: &Network<'_>) -> Result<RemoteOffer, Stop> {
    let beginnings = [remote.branch.as_deref().unwrap_or(HOST_BRANCHES)];
    let target = Target::Url(remote.url.clone());
    let offered = match offered::branches(desk, &target, &beginnings, network) {
        Ok(offered) => offered,
        Err(error) => {
            let stop = Stop::from(error);
            return match stop.kind {
                FailureKind::Interrupted => Err(stop),
                kind => Ok(RemoteOffer {
                    trees: Err(stop.message),
                    wants_login: matches!(kind, FailureKind::Authentication(_)),
                }),
            };
        }
    };
    let trees = remote.trees(&offered).map_err(|why| format!("`{}`: {why}", remote.url)).map(|trees| {
        let tip =
            |tree: RemoteTree| Some(OfferedTree { tip: offered.commit_of(tree.branch.as_bytes())?, tree });
        trees.into_iter().filter_map(tip).collect()
    });
    Ok(RemoteOffer { trees, wants_login: false })
}
