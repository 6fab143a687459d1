//! `brv vc fetch`: download objects and update the tracking refs of a remote. Writes no file of the tree.

use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::vc::remotes::remote_choice::{self, Unclear, named};
pub use brv_engine::vc::remotes::transfer::{Moved, Ref, Unreached};
use brv_git::host_remote::Naming;
use brv_git::remotes;
use brv_git::{End, fetch, network};
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_engine::Mode;
pub use brv_engine::vc::remotes::fetch_options::{Depth, FetchOptions, History, Prune, Tags};
pub use brv_git::Roots;

#[derive(Debug, Clone, Default)]
pub struct Options {
    pub from: FetchSource,
    /// Refspecs as git takes them; empty: those of the remote's settings.
    pub refspecs: Vec<String>,
    pub manner: FetchOptions,
    /// What to do if the remote's own history is shallow.
    pub roots: Roots,
    /// Whether to update refs.
    pub mode: Mode,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchSource {
    /// A remote or a URL; `None`: the remote of the branch's upstream.
    One(Option<String>),
    /// Every configured remote, except those with `remote.<name>.skipFetchAll`.
    All,
}

impl Default for FetchSource {
    fn default() -> Self {
        Self::One(None)
    }
}

/// `brv.vc.fetch/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Fetch")]
pub struct Outcome {
    /// The address, without secrets; for several remotes, that of the first.
    pub source: String,
    /// The requested refs.
    pub refs: Vec<Ref>,
    /// Number of objects received.
    pub objects: usize,
    /// How the depth of the history changed.
    pub history: History,
    /// The result for each remote.
    pub remotes: Vec<FetchedRemote>,
    /// Remotes that could not be reached; reported in the error.
    #[serde(skip)]
    pub failed: Vec<Unreached>,
}

/// The result for one remote.
#[derive(Debug, JsonSchema, Serialize)]
pub struct FetchedRemote {
    /// The address, without secrets.
    pub source: String,
    /// The requested refs.
    pub refs: Vec<Ref>,
    objects: usize,
    /// How the depth of the history changed.
    pub history: History,
}

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open_whole("fetch")?;
    let scope = &opened.scope;
    let targets = match &options.from {
        FetchSource::One(typed) => {
            vec![remote_choice::target(scope, &cx.cwd, &scope.head()?, typed.as_deref())?]
        }
        FetchSource::All => remotes::fetched_with_all(scope).map_err(named)?,
    };
    if targets.is_empty() {
        return Err(Unclear(Vec::new()).into());
    }
    let (mut remotes, mut failed) = (Vec::new(), Vec::new());
    for target in &targets {
        let naming = Naming::of(scope, target)?;
        let refspecs = options.refspecs.iter().map(|typed| naming.fetched(typed));
        let wanted = fetch::Options {
            refspecs: refspecs.collect::<Result<_, _>>()?,
            roots: options.roots,
            mode: options.mode,
            ..options.manner.of(naming)?.options(scope, target.clone())?
        };
        let source = target.to_string();
        let end = End::of(scope)?;
        match fetch::fetch(scope, &wanted, &cx.network()) {
            Ok(fetched) => remotes.push(FetchedRemote {
                source,
                refs: fetched.updates.iter().map(Ref::from).collect(),
                objects: fetched.objects,
                history: History::since(&end, scope, options.manner.depth)?,
            }),
            Err(error) if targets.len() > 1 && !is_final(&error) => failed.push((source, error)),
            Err(error) => return Err(error.into()),
        }
    }
    match failed.pop() {
        // if every remote failed, that is an error, as it is for a single one
        Some((_, error)) if remotes.is_empty() => Err(error.into()),
        last => {
            failed.extend(last);
            Ok(together(remotes, &failed))
        }
    }
}

fn together(remotes: Vec<FetchedRemote>, failed: &[(String, fetch::Error)]) -> Outcome {
    let changed = remotes.iter().map(|one| one.history).rfind(|history| *history != History::Unchanged);
    let unreached = |(address, error): &(String, fetch::Error)| Unreached {
        address: address.clone(),
        reason: error.to_string(),
    };
    Outcome {
        source: remotes.first().map_or_else(String::new, |first| first.source.clone()),
        refs: remotes.iter().flat_map(|one| one.refs.clone()).collect(),
        objects: remotes.iter().map(|one| one.objects).sum(),
        history: changed.unwrap_or_default(),
        remotes,
        failed: failed.iter().map(unreached).collect(),
    }
}

/// Whether the error means that trying the other remotes is pointless.
const fn is_final(error: &fetch::Error) -> bool {
    matches!(error, fetch::Error::Network(network::Error::Interrupted) | fetch::Error::Git(_))
}
