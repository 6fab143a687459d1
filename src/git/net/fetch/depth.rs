//! Shallow fetches on the wire: the request lines for depth in the order in which servers of protocol 0 read them, the
//! capabilities needed, and the resulting boundary. gitoxide sends the lines before the wants, `deepen-relative` with
//! every request, and forgets the answers of all rounds but the last; so brv handles depth itself.

use crate::error::Error as GitError;
use crate::history::shallow::{Boundary, Depth, Shift};
use crate::net::{local, missing_objects};
use gix::protocol::fetch::response::ShallowUpdate;
use gix::protocol::fetch::{Arguments, Shallow};
use gix::protocol::transport::Protocol;
use gix::protocol::transport::client::Capabilities;

pub(super) struct DepthRequest<'a> {
    pub boundary: &'a Boundary,
    pub depth: Depth,
    pub version: Protocol,
}

impl DepthRequest<'_> {
    /// The feature that the request needs and the server lacks, in words.
    pub fn lacking(&self, capabilities: &Capabilities) -> Option<&'static str> {
        if self.boundary.is_empty() && self.depth == Depth::Unchanged {
            return None;
        }
        let fetch = capabilities.capability("fetch");
        let is_shallow = match self.version {
            Protocol::V2 => fetch.is_some_and(|fetch| fetch.supports("shallow") == Some(true)),
            Protocol::V0 | Protocol::V1 => capabilities.contains("shallow"),
        };
        let is_relative = self.version == Protocol::V2 || capabilities.contains(RELATIVE);
        match self.depth {
            _ if !is_shallow => Some("shallow repositories"),
            // a server ignores an unknown `deepen-relative`, and the number would count from the tips
            Depth::Deepen(_) if !is_relative => Some("`--deepen` (`--depth N` and `--unshallow` work)"),
            _ => None,
        }
    }

    pub fn to_gix(&self) -> Shallow {
        match self.depth {
            Depth::Unchanged => Shallow::NoChange,
            Depth::Of(commits) => Shallow::DepthAtRemote(commits),
            Depth::Deepen(commits) => Shallow::Deepen(commits.get()),
            Depth::Full => Shallow::undo(),
        }
    }

    /// Adds the lines to a request that has its wants.
    pub fn add_to(&self, arguments: &mut Arguments) {
        for id in self.boundary {
            arguments.shallow(id);
        }
        match self.to_gix() {
            Shallow::DepthAtRemote(commits) => arguments.deepen(commits.get() as usize),
            Shallow::Deepen(commits) => {
                arguments.deepen(commits as usize);
                if self.version == Protocol::V2 {
                    // in protocol 0 and 1 it is a capability on the first want
                    arguments.deepen_relative();
                }
            }
            _ => {}
        }
    }
}

/// Makes `--deepen` count from the boundary.
const RELATIVE: &str = "deepen-relative";

/// Other capabilities that git requests from servers of protocol 0.
const WORDS: [&str; 8] = [
    "multi_ack",
    "multi_ack_detailed",
    "thin-pack",
    "side-band",
    "side-band-64k",
    "ofs-delta",
    "shallow",
    "include-tag",
];

/// The capabilities shown to gitoxide, which requests everything that is offered. `stateless`: each request is a
/// connection of its own.
pub(super) fn usable(
    capabilities: &Capabilities,
    request: &DepthRequest<'_>,
    stateless: bool,
) -> Capabilities {
    if request.version == Protocol::V2 {
        return capabilities.clone();
    }
    let is_usable = |name: &str| match name {
        // on a persistent connection some servers keep waiting for `done`, and we for the pack
        "no-done" => stateless,
        RELATIVE => matches!(request.depth, Depth::Deepen(_)),
        name => WORDS.contains(&name),
    };
    let names = ["no-done", RELATIVE].into_iter().chain(WORDS);
    let usable: Vec<_> = names.filter(|name| is_usable(name) && capabilities.contains(name)).collect();
    let line = format!("\0{} ", usable.join(" "));
    Capabilities::from_bytes(line.as_bytes()).map_or_else(|_| capabilities.clone(), |(usable, _)| usable)
}

/// The boundary after a fetch, as the server reports it.
pub(super) fn moved(
    before: &Boundary,
    advertised: Boundary,
    updates: impl IntoIterator<Item = ShallowUpdate>,
) -> Boundary {
    let mut after: Boundary = before.union(&advertised).copied().collect();
    for update in updates {
        match update {
            ShallowUpdate::Shallow(id) => after.insert(id),
            ShallowUpdate::Unshallow(id) => after.remove(&id),
        };
    }
    after
}

/// The new boundary here when the server reports `after`.
pub(super) fn shift(
    repo: &gix::Repository,
    before: &Boundary,
    mut after: Boundary,
    depth: Depth,
) -> Result<Option<Shift>, GitError> {
    // an `unshallow` is ignored if the server did not send the parents
    after.extend(before.iter().filter(|id| !missing_objects::has_parents(repo, **id)));
    if depth == Depth::Unchanged {
        // the parents that the remote lacks may exist here
        let known = local::tips(repo)?;
        let new: Vec<_> = after.difference(before).copied().collect();
        for root in new.iter().filter(|root| missing_objects::is_whole(repo, &[**root], &known)) {
            after.remove(root);
        }
        after.extend(before);
    }
    Ok(Shift::between(before, &after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    fn offered(words: &str) -> Capabilities {
        Capabilities::from_bytes(format!("\0{words}").as_bytes()).unwrap().0
    }

    fn request(boundary: &Boundary, depth: Depth) -> DepthRequest<'_> {
        DepthRequest { boundary, depth, version: Protocol::V1 }
    }

    #[test]
    fn nothing_is_asked_for_that_a_server_of_protocol_0_could_misread() {
        let all = offered("multi_ack_detailed no-done shallow deepen-relative filter allow-tip-sha1-in-want");
        let none = Boundary::new();
        let names = |depth, stateless| {
            let usable = usable(&all, &request(&none, depth), stateless);
            let names: Vec<_> = usable.iter().map(|one| one.name().to_string()).collect();
            names.join(" ").trim_end().to_owned()
        };
        let two = NonZeroU32::new(2).unwrap();
        assert_eq!(names(Depth::Of(two), false), "multi_ack_detailed shallow");
        assert_eq!(names(Depth::Deepen(two), false), "deepen-relative multi_ack_detailed shallow");
        assert_eq!(names(Depth::Unchanged, true), "no-done multi_ack_detailed shallow");
    }

    #[test]
    fn what_a_server_lacks_is_known_before_it_is_asked() {
        let (none, some) = (Boundary::new(), Boundary::from([gix::ObjectId::null(gix::hash::Kind::Sha1)]));
        let two = NonZeroU32::new(2).unwrap();
        let bare = offered("multi_ack_detailed");
        assert_eq!(request(&none, Depth::Unchanged).lacking(&bare), None);
        for asked in [request(&some, Depth::Unchanged), request(&none, Depth::Of(two))] {
            assert_eq!(asked.lacking(&bare), Some("shallow repositories"));
            assert_eq!(asked.lacking(&offered("shallow")), None);
        }
        let deepen = request(&some, Depth::Deepen(two));
        assert!(deepen.lacking(&offered("shallow")).is_some_and(|what| what.starts_with("`--deepen`")));
        assert_eq!(deepen.lacking(&offered("shallow deepen-relative")), None);
    }
}
