//! Suggest the name that was probably meant by one that does not exist.
//!
//! Only for hints: what cannot be read gives no suggestion.

use crate::open::naming::candidates;
use crate::outcome::unknown_name::UnknownName;
use brv_base::nearest::nearest;
use brv_git::Scope;
use brv_git::revision;
use std::path::Path;

/// The name that was probably meant, in the form in which it is typed.
pub fn near(scope: &Scope, cwd: &Path, sought: &UnknownName) -> Option<String> {
    match sought {
        UnknownName::Revision(name) => near_revision(scope, name),
        UnknownName::RevisionOrPath(name) => {
            near_revision(scope, name).or_else(|| near_path(scope, cwd, name))
        }
        UnknownName::Path(path) => near_path(scope, cwd, path),
        UnknownName::PathIn { revision, path } => {
            let near = corrected(path, |built| candidates::paths_in(scope, revision, built))?;
            Some(format!("{revision}:{near}"))
        }
        UnknownName::Remote(name) => of(name, &candidates::remotes(scope)),
        UnknownName::RemoteBranch(name) => {
            let tracked = candidates::below(scope, "refs/remotes/");
            let branches = tracked.iter().filter_map(|name| Some(name.split_once('/')?.1.to_owned()));
            of(name, &branches.collect::<Vec<_>>())
        }
        UnknownName::GitSetting(key) => of(&key.to_lowercase(), &candidates::git_settings(scope)),
    }
}

fn of(typed: &str, names: &[String]) -> Option<String> {
    nearest(typed, names.iter().map(String::as_str)).map(str::to_owned)
}

/// `mian~2` becomes `main~2`, `mian..HEAD` becomes `main..HEAD`; in `main~99` the name is right and the number wrong,
/// so nothing is suggested.
fn near_revision(scope: &Scope, typed: &str) -> Option<String> {
    let names = candidates::revisions(scope);
    let dots = ["...", ".."].into_iter().find(|dots| typed.contains(dots));
    let sides: Vec<&str> = dots.map_or_else(|| vec![typed], |dots| typed.splitn(2, dots).collect());
    let mut is_other = false;
    let mut near = Vec::new();
    for side in sides {
        if side.is_empty() || revision::exists(scope, side) {
            near.push(side.to_owned());
            continue;
        }
        let end = side.find(['~', '^', '@', ':']).unwrap_or(side.len());
        let (name, rest) = side.split_at(end);
        if names.iter().any(|known| known == name) {
            return None;
        }
        is_other = true;
        near.push(format!("{}{rest}", of(name, &names)?));
    }
    is_other.then(|| near.join(dots.unwrap_or_default()))
}

fn near_path(scope: &Scope, cwd: &Path, typed: &str) -> Option<String> {
    if typed.starts_with('/') {
        return None;
    }
    corrected(typed, |built| candidates::paths(scope, cwd, built)).or_else(|| elsewhere(scope, cwd, typed))
}

/// The path with each missing component replaced by the nearest existing one. `below` lists the content of the folder
/// that a path ending with a slash names, each item with its path.
fn corrected(typed: &str, below: impl Fn(&str) -> Vec<String>) -> Option<String> {
    let mut built = String::new();
    let mut parts = typed.split('/').filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        if matches!(part, "." | "..") {
            built.push_str(part);
        } else {
            let here = below(&built);
            let names: Vec<&str> = here
                .iter()
                .filter_map(|path| Some(path.strip_prefix(&built)?.trim_end_matches('/')))
                .collect();
            let name = if names.contains(&part) { part } else { nearest(part, names)? };
            built.push_str(name);
        }
        if parts.peek().is_some() {
            built.push('/');
        }
    }
    (built != typed.trim_end_matches('/')).then_some(built)
}

/// The only tracked path that ends with the typed path, whose folders were left out.
fn elsewhere(scope: &Scope, cwd: &Path, typed: &str) -> Option<String> {
    let root = scope.root();
    let from_root = cwd == root || !cwd.starts_with(&root);
    let index = brv_git::index::read(scope).ok().filter(|_| from_root)?;
    let end = format!("/{typed}");
    let mut found = index
        .first_versions()
        .filter_map(|(path, _)| scope.strip(path))
        .filter(|path| path.ends_with(end.as_bytes()));
    let only = found.next()?.to_string();
    found.next().is_none().then_some(only)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(built: &str) -> Vec<String> {
        let all = ["auth/jwt/token.md", "auth/jwt/keys.md", "auth/oauth/flow.md", "style.md"];
        let mut found: Vec<String> = all
            .iter()
            .filter_map(|path| path.strip_prefix(built))
            .map(|rest| format!("{built}{}", rest.split_inclusive('/').next().unwrap_or_default()))
            .collect();
        found.dedup();
        found
    }

    #[test]
    fn each_part_of_a_path_is_corrected_by_itself() {
        let near = |typed: &str| corrected(typed, files);
        assert_eq!(near("atuh/jtw/tokne.md").as_deref(), Some("auth/jwt/token.md"));
        assert_eq!(near("auht").as_deref(), Some("auth"));
        assert_eq!(near("auth/jwt"), None, "an existing name is not a typo");
        assert_eq!(near("auth/zebra/token.md"), None);
    }
}
