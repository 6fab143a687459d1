//! Choose what to push and where if little is typed: git's push settings and the push flags.
//!
//! Connects to nothing.

use super::remote_choice;
use crate::Stop;
use brv_base::escape::shell_word;
use brv_git::host_remote::{self, Naming};
use brv_git::push::refspec::{self, MalformedRefspec, Refspec, Wish};
use brv_git::push::settings::{self, PushSettings, WithoutRefspecs};
use brv_git::{Head, Scope, Target, remotes, revision};
use bstr::{BStr, BString, ByteSlice};
use std::path::Path;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Selection {
    /// The refs of the refspecs, or of the settings.
    #[default]
    Refs,
    /// All branches (`--all`).
    Branches,
    /// All tags, and the refs of the refspecs (`--tags`).
    Tags,
    /// The refs of the refspecs, to be deleted (`--delete`).
    Deletion,
}

/// Whether the push sets the upstream of the pushed branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PushUpstream {
    #[default]
    Keep,
    /// The upstream is set (`-u`), once the server has accepted the push.
    Set,
}

#[derive(Debug, Clone, Copy)]
pub struct PushArguments<'a> {
    pub remote: Option<&'a str>,
    pub refspecs: &'a [String],
    /// Flags that select refs.
    pub selection: Selection,
    /// `-u`
    pub upstream: PushUpstream,
}

#[derive(Debug)]
pub struct PushChoice {
    /// In order; never empty.
    pub refspecs: Vec<Refspec>,
    /// Whether to set the upstream of pushed branches, including `push.autoSetupRemote`.
    pub upstream: PushUpstream,
}

/// The typed remote, or the default: `branch.<name>.pushRemote`, `remote.pushDefault`, or the remote that a fetch would
/// use.
pub fn target(scope: &Scope, cwd: &Path, head: &Head, typed: Option<&str>) -> Result<Target, Stop> {
    if typed.is_none()
        && let Some(set) = settings::remote_of(scope, head.short_branch().as_deref())?
    {
        // a URL in the settings is relative to the tree, wherever the command runs
        return remote_choice::target(scope, scope.work_tree(), head, Some(&set));
    }
    remote_choice::target(scope, cwd, head, typed)
}

/// The refs to push.
///
/// # Errors
/// It is unclear which.
pub fn choose(
    scope: &Scope,
    head: &Head,
    target: &Target,
    settings: &PushSettings,
    typed: PushArguments<'_>,
) -> Result<PushChoice, Stop> {
    let keep = |refspecs| Ok(PushChoice { refspecs, upstream: typed.upstream });
    match typed.selection {
        Selection::Branches if !typed.refspecs.is_empty() => {
            Err(Stop::usage("`--all` cannot be combined with refspecs"))
        }
        Selection::Branches if settings.naming == Naming::Host => keep(vec![every_branch()?]),
        Selection::Branches => keep(vec![Refspec { forced: false, wish: Wish::Matching }]),
        Selection::Deletion => keep(deletions(settings.naming, typed.refspecs)?),
        Selection::Refs | Selection::Tags => {
            let mut refspecs = written(scope, head, target, settings, typed.refspecs)?;
            if typed.selection == Selection::Tags {
                refspecs.push(refspec::parse("refs/tags/*".into())?);
            }
            // the mapping of the host's remote says where to push, not what: it would push every branch
            let says_nothing = settings.refspecs.is_empty() || settings.naming == Naming::Host;
            match (refspecs.is_empty(), says_nothing) {
                (false, _) => keep(refspecs),
                (true, false) => keep(settings.refspecs.clone()),
                (true, true) => without_refspecs(scope, head, target, settings, typed),
            }
        }
    }
}

/// Every branch of the tree, as named on the host's remote.
fn every_branch() -> Result<Refspec, MalformedRefspec> {
    refspec::parse(format!("refs/heads/*:{}*", host_remote::BRANCHES).as_bytes().as_bstr())
}

fn deletions(naming: Naming, names: &[String]) -> Result<Vec<Refspec>, Stop> {
    if names.is_empty() {
        return Err(Stop::usage("`--delete` needs a remote and the refs to delete there"));
    }
    if names.iter().any(|name| name.contains(':')) {
        return Err(Stop::usage("`--delete` takes the names of refs on the remote, without a colon"));
    }
    let there = |name: &String| match naming {
        Naming::Same => name.clone(),
        Naming::Host => naming.branch(name).to_str_lossy().into_owned(),
    };
    let names = with_tags(names).iter().map(there).collect::<Vec<_>>();
    names.iter().map(|name| Ok(refspec::parse(format!(":{name}").as_bytes().as_bstr())?)).collect()
}

/// `tag v1` means `refs/tags/v1`.
fn with_tags(words: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        names.push(match (word.as_str(), words.len()) {
            ("tag", 1..) => format!("refs/tags/{}", words.next().expect("the arm requires another word")),
            _ => word.clone(),
        });
    }
    names
}

fn written(
    scope: &Scope,
    head: &Head,
    target: &Target,
    settings: &PushSettings,
    words: &[String],
) -> Result<Vec<Refspec>, Stop> {
    let mut refspecs = Vec::new();
    for word in with_tags(words) {
        let mut refspec = refspec::parse(word.as_bytes().as_bstr())?;
        if settings.naming == Naming::Host {
            named_there(head, &mut refspec);
        }
        if let Wish::One { source, destination: destination @ None } = &mut refspec.wish
            && let Some(full) = revision::full_reference(scope, &source.to_str_lossy())
            && let Some((forced, name)) = usual_destination(scope, target, settings, full.as_bstr())?
        {
            *destination = Some(name);
            refspec.forced |= forced;
        }
        refspecs.push(refspec);
    }
    Ok(refspecs)
}

/// On the host's remote a short name means a branch of the tree, and `HEAD` is pushed to the current branch.
fn named_there(head: &Head, refspec: &mut Refspec) {
    let full = |name: &mut BString| *name = Naming::Host.branch(&name.to_str_lossy());
    match &mut refspec.wish {
        Wish::Delete(name) => full(name),
        Wish::One { destination: Some(name), .. } => full(name),
        Wish::One { source, destination: destination @ None } if source == "HEAD" => {
            *destination = head.short_branch().map(|branch| Naming::Host.branch(&branch));
        }
        _ => {}
    }
}

/// The remote name for a ref (full name) from the settings, if any: `remote.<name>.push`, `push.default=upstream`.
fn usual_destination(
    scope: &Scope,
    target: &Target,
    settings: &PushSettings,
    name: &BStr,
) -> Result<Option<(bool, BString)>, Stop> {
    for refspec in &settings.refspecs {
        let found = match &refspec.wish {
            Wish::Every { source, destination } => source.matched(name).map(|star| destination.filled(star)),
            Wish::One { source, destination: Some(destination) } if source == name => {
                Some(destination.clone())
            }
            _ => None,
        };
        if let Some(found) = found {
            return Ok(Some((refspec.forced, found)));
        }
    }
    let branch = name.strip_prefix(b"refs/heads/").map(|branch| branch.to_str_lossy());
    let (WithoutRefspecs::Upstream, Some(branch)) = (settings.default, branch) else { return Ok(None) };
    let upstream = remotes::upstream(scope, &branch)?.filter(|upstream| is_of(target, &upstream.remote));
    Ok(upstream.map(|upstream| (false, upstream.merge)))
}

fn is_of(target: &Target, remote: &str) -> bool {
    matches!(target, Target::Named(name) if name.as_str() == remote)
}

fn without_refspecs(
    scope: &Scope,
    head: &Head,
    target: &Target,
    settings: &PushSettings,
    typed: PushArguments<'_>,
) -> Result<PushChoice, Stop> {
    match settings.default {
        WithoutRefspecs::Nothing => {
            return Err(Stop::usage("no refspec was given, and `push.default` is `nothing`").hint(NAME_BOTH));
        }
        WithoutRefspecs::Matching if settings.naming == Naming::Host => {
            return Ok(PushChoice { refspecs: vec![every_branch()?], upstream: typed.upstream });
        }
        WithoutRefspecs::Matching => {
            let refspecs = vec![Refspec { forced: false, wish: Wish::Matching }];
            return Ok(PushChoice { refspecs, upstream: typed.upstream });
        }
        WithoutRefspecs::Simple | WithoutRefspecs::Current | WithoutRefspecs::Upstream => {}
    }
    let branch = head.short_branch().ok_or_else(|| {
        remote_choice::detached()
            .hint("name what to push, and where: `brv vc push REMOTE HEAD:refs/heads/NAME`")
    })?;
    if head.commit().is_none() {
        return Err(Stop::usage(format!("the branch `{branch}` has no commits yet"))
            .hint("create the first commit with `brv vc commit -m MSG`"));
    }
    let followed = remotes::upstream(scope, &branch)?;
    let upstream = match (typed.upstream, settings.sets_upstream && followed.is_none()) {
        (PushUpstream::Keep, false) => PushUpstream::Keep,
        _ => PushUpstream::Set,
    };
    let is_usual = match &followed {
        Some(followed) => is_of(target, &followed.remote),
        // as in a fetch
        None => remote_choice::usual(scope, head).is_ok_and(|usual| Target::Named(usual) == *target),
    };
    let merge = followed.filter(|_| is_usual).map(|followed| followed.merge);
    let current = PushBranch { own: remote_choice::full_branch(&branch), branch, merge, is_usual };
    let destination = match settings.naming {
        Naming::Same => current.destination(settings.default, target, typed, upstream)?,
        Naming::Host => current.merge.unwrap_or_else(|| Naming::Host.branch(&current.branch)),
    };
    let wish = Wish::One { source: current.own, destination: Some(destination) };
    Ok(PushChoice { refspecs: vec![Refspec { forced: false, wish }], upstream })
}

const NAME_BOTH: &str = "name remote and branch: `brv vc push REMOTE BRANCH`";

struct PushBranch {
    branch: String,
    own: BString,
    /// The branch of the remote that it tracks.
    merge: Option<BString>,
    /// Whether the remote is its upstream remote, or would be by default.
    is_usual: bool,
}

impl PushBranch {
    fn destination(
        &self,
        default: WithoutRefspecs,
        target: &Target,
        typed: PushArguments<'_>,
        upstream: PushUpstream,
    ) -> Result<BString, Stop> {
        let branch = &self.branch;
        let no_upstream = || {
            let target = target.to_string();
            let (name, remote) = (shell_word(branch), shell_word(&target));
            Stop::usage(format!("the branch `{branch}` has no upstream branch"))
                .hint(format!("push it and set its upstream with `brv vc push -u {remote} {name}`"))
        };
        let sets = upstream == PushUpstream::Set;
        match (default, &self.merge) {
            (WithoutRefspecs::Current, _) => Ok(self.own.clone()),
            (WithoutRefspecs::Upstream, Some(merge)) => Ok(merge.clone()),
            (WithoutRefspecs::Upstream, None) if !self.is_usual => Err(Stop::usage(format!(
                "the branch `{branch}` does not track a branch of `{target}`, and `push.default` is `upstream`"
            ))
            .hint(NAME_BOTH)),
            (WithoutRefspecs::Upstream, None) if !sets => Err(no_upstream()),
            (_, Some(merge)) if *merge != self.own && !sets => {
                let upstream = remote_choice::short_branch(merge);
                Err(Stop::usage(format!(
                    "the branch `{branch}` tracks `{upstream}`, which has a different name"
                ))
                .hint("name both sides: `brv vc push REMOTE BRANCH:OTHER`"))
            }
            (_, None) if self.is_usual && typed.remote.is_none() && !sets => Err(no_upstream()),
            _ => Ok(self.own.clone()),
        }
    }
}
