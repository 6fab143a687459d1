//! The key of a commit: the domain and the topic that its subject and its files speak of.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::area::{MISC, PROJECT};
use super::file::TopicFile;
use super::parts::{domain_stem, folder_part, stem};
use super::project::Project;
use super::role::Role;
use super::scope::{Start, read};
use crate::judge::lists::{housekeeping, is_topical_type};

/// Never a domain or a topic: it would say nothing.
const GENERAL: &str = "general";

/// How often a scope is used at least to be known.
const KNOWN: usize = 2;

/// Domain and topic of a commit, as stems.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TopicKey {
    pub domain: String,
    pub topic: Option<String>,
}

impl TopicKey {
    pub(super) fn of_side_files() -> Self {
        Self { domain: PROJECT.to_owned(), topic: Some(MISC.to_owned()) }
    }

    pub(super) fn is_misc(&self) -> bool {
        self.domain == PROJECT && self.topic.as_deref() == Some(MISC)
    }

    /// A topic that repeats the domain is none.
    fn of(domain: &str, topic: Option<&str>) -> Self {
        let (domain, topic) = (domain_stem(domain).into_owned(), topic.map(|topic| stem(topic).into_owned()));
        if domain == GENERAL {
            return topic.map_or_else(Self::of_side_files, |topic| Self::of(&topic, None));
        }
        let is_own = |topic: &String| *topic != domain && topic != GENERAL && domain_stem(topic) != domain;
        Self { topic: topic.filter(is_own), domain }
    }
}

/// The files of a commit with their weights.
struct WeighedFiles<'a> {
    files: Vec<(Cow<'a, TopicFile>, u64)>,
    total: u64,
}

impl<'a> WeighedFiles<'a> {
    fn of(project: &'a Project, paths: &[&str]) -> Self {
        let files = project.files(paths);
        let has_code = files.iter().any(|file| file.weighed_role() == Role::Code);
        let weigh = |file: Cow<'a, TopicFile>| {
            let weight = file.weighed_role().weight(has_code);
            (file, weight)
        };
        let files: Vec<_> = files.into_iter().map(weigh).collect();
        Self { total: files.iter().map(|(_, weight)| weight).sum(), files }
    }

    fn chains(&self) -> impl Iterator<Item = (&[String], u64)> {
        let chains = self.files.iter().map(|(file, weight)| (file.chain.as_slice(), *weight));
        chains.filter(|(chain, _)| !chain.is_empty())
    }

    fn is_side(&self) -> bool {
        self.files.iter().all(|(file, _)| file.role == Role::Side)
    }

    /// The part that `find` gives for the most weight; of equals one that is not housekeeping, then the first by name.
    fn heaviest<'b>(&'b self, find: impl Fn(&'b [String]) -> Option<&'b str>) -> Option<(&'b str, u64)> {
        let mut weights: BTreeMap<&str, u64> = BTreeMap::new();
        for (chain, weight) in self.chains() {
            if let Some(part) = find(chain) {
                *weights.entry(part).or_default() += weight;
            }
        }
        let rank = |(part, weight): &(&str, u64)| (*weight, housekeeping(part).is_none());
        weights.into_iter().reduce(|best, next| if rank(&next) > rank(&best) { next } else { best })
    }

    /// The part below another that has at least half of the weight of the commit.
    fn below(&self, part: &str) -> Option<&str> {
        let next = |chain: &'_ [String]| chain.iter().position(|own| own == part).map(|at| at + 1);
        let (topic, weight) =
            self.heaviest(|chain| next(chain).and_then(|at| chain.get(at)).map(String::as_str))?;
        (weight * 2 >= self.total).then_some(topic)
    }

    /// The heaviest first part, with its weight.
    fn head(&self) -> Option<(&str, u64)> {
        self.heaviest(|chain| chain.first().map(String::as_str))
    }

    fn names(&self, part: &str) -> bool {
        self.chains().any(|(chain, _)| chain.iter().any(|own| own == part))
    }
}

impl Project {
    /// The key of a commit by its subject and the paths that it changes.
    pub fn key(&self, subject: &str, files: &[&str]) -> TopicKey {
        let weighed = WeighedFiles::of(self, files);
        let start = read(subject);
        self.key_of_scope(&start, &weighed).unwrap_or_else(|| self.key_of_files(files, &weighed))
    }

    fn key_of_scope(&self, start: &Start<'_>, weighed: &WeighedFiles<'_>) -> Option<TopicKey> {
        let names = self.scope_names(start);
        let Some(first) = names.first() else {
            let kind = start.kind?.to_lowercase();
            let is_topic = self.is_scoped && is_topical_type(&kind);
            return is_topic.then(|| key_below(&domain_stem(&kind), weighed));
        };
        let domain = domain_stem(first);
        let is_known = self.scoped(&domain) >= KNOWN || weighed.names(&domain) || weighed.names(&stem(first));
        if !is_known {
            return None;
        }
        if let Some(second) = names.get(1).filter(|name| folder_part(name).is_some()) {
            return Some(TopicKey::of(first, Some(second)));
        }
        match weighed.head() {
            Some((head, _)) if head != domain && self.is_within(&domain, head) => {
                Some(TopicKey::of(head, Some(first)))
            }
            _ => Some(key_below(&domain, weighed)),
        }
    }

    /// Whether a scope is a topic of the head under which its files are: that is used as a scope at least as often.
    fn is_within(&self, scope: &str, head: &str) -> bool {
        housekeeping(scope).is_none()
            && housekeeping(head).is_none()
            && self.scoped(head) >= self.scoped(scope)
    }

    fn key_of_files(&self, files: &[&str], weighed: &WeighedFiles<'_>) -> TopicKey {
        if weighed.is_side() {
            let agreed = weighed.head().filter(|(head, _)| is_agreed(head, weighed));
            return agreed.map_or_else(TopicKey::of_side_files, |(head, _)| TopicKey::of(head, None));
        }
        match weighed.head() {
            Some((head, of_head)) => {
                let topic = weighed.heaviest(|chain| second(chain, head));
                TopicKey::of(head, topic.filter(|(_, weight)| weight * 2 >= of_head).map(|(topic, _)| topic))
            }
            None => TopicKey::of(&self.area(files), None),
        }
    }
}

/// The part below the head of a path.
fn second<'a>(chain: &'a [String], head: &str) -> Option<&'a str> {
    let below = chain.split_first().filter(|(first, _)| *first == head);
    below.and_then(|(_, rest)| rest.first()).map(String::as_str)
}

/// A domain with the part below it.
fn key_below(domain: &str, weighed: &WeighedFiles<'_>) -> TopicKey {
    TopicKey::of(domain, weighed.below(domain))
}

/// Whether side files speak of one housekeeping name alone: `.github/workflows/a.yml`, `.github/workflows/b.yml`.
fn is_agreed(head: &str, weighed: &WeighedFiles<'_>) -> bool {
    housekeeping(head).is_some() && weighed.chains().all(|(chain, _)| chain[0] == head)
}
