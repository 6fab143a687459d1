//! The shape of the tree: which topics and domains have so many items that they get an entry or a folder of their own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::area::{CODE, MISC, PROJECT};
use super::key::TopicKey;
use super::names;
use super::project::Project;
use super::split::LARGE;
use crate::judge::lists::housekeeping;

/// How many items make an entry, and how many entries make the folder of a domain.
const FEW: usize = 3;

/// The most entries: of more, topics need more than [`FEW`] items. An entry that will be split counts as what it is split
/// into: about twelve items each, as measured on three histories.
const ENTRIES: usize = 90;
const SPLIT: usize = 12;

/// The most folders: more give no overview. The smallest are filed with their area, then with the code.
const FOLDERS: usize = 10;

/// Where the items of each key are filed.
#[derive(Debug, Clone)]
pub struct TopicLayout<'a> {
    project: &'a Project,
    domains: BTreeMap<String, TopicDomain>,
    /// How many items make an entry of a topic.
    few: usize,
    /// Folders that are not folders, as there are too many.
    folded: BTreeSet<String>,
}

#[derive(Debug, Clone, Default)]
struct TopicDomain {
    items: usize,
    /// The items of each topic.
    topics: BTreeMap<String, usize>,
    /// The items of each area.
    areas: BTreeMap<String, usize>,
}

impl TopicDomain {
    fn has(&self, topic: &str, few: usize) -> bool {
        self.topics.get(topic).is_some_and(|items| *items >= few)
    }

    /// The sizes of its entries: the topics of enough items, and an entry for the rest.
    fn entries(&self, few: usize) -> impl Iterator<Item = usize> {
        let own = self.topics.values().copied().filter(move |items| *items >= few);
        let rest = self.items - own.clone().sum::<usize>();
        own.chain((rest > 0).then_some(rest))
    }

    fn area(&self) -> Option<&String> {
        let best = self.areas.iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map(|(area, _)| area)
    }
}

/// A place as stems: compared with paths that are there, then spelled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StemmedPlace {
    pub(super) folder: String,
    /// The domain and the topic; of one of them, if the other is the folder or missing.
    pub(super) name: Vec<String>,
}

impl StemmedPlace {
    fn of(folder: &str, name: &[&str]) -> Self {
        Self { folder: folder.to_owned(), name: name.iter().map(|part| (*part).to_owned()).collect() }
    }

    fn path(&self, project: &Project) -> String {
        let spelled = |part| if is_reserved(part) { part } else { project.spelled(part) };
        let name: Vec<&str> = self.name.iter().map(|part| spelled(part)).collect();
        names::entry(spelled(&self.folder), &name.join("_"))
    }
}

impl<'a> TopicLayout<'a> {
    /// The shape for these items: those of the window that were filed, and those to file.
    pub fn of<'k>(
        project: &'a Project,
        items: impl IntoIterator<Item = (&'k TopicKey, &'k [&'k str])>,
    ) -> Self {
        let mut domains: BTreeMap<String, TopicDomain> = BTreeMap::new();
        for (key, files) in items {
            if key.is_misc() {
                continue;
            }
            let domain = domains.entry(key.domain.clone()).or_default();
            domain.items += 1;
            *domain.areas.entry(area_of(project, &key.domain, files)).or_default() += 1;
            if let Some(topic) = &key.topic {
                *domain.topics.entry(topic.clone()).or_default() += 1;
            }
        }
        let mut shape = Self { project, few: enough(&domains), domains, folded: BTreeSet::new() };
        while let Some(smallest) = shape.smallest_of_too_many() {
            shape.folded.insert(smallest);
        }
        shape
    }

    /// The entry for what has none of its own in the area of these files. It names files of many topics and owns none of them:
    /// else no topic would ever leave it.
    pub fn rest(&self, key: &TopicKey, files: &[&str]) -> String {
        let area = self.area(key, files);
        let folder = self.area_folder(&key.domain, &area);
        self.spelled(&StemmedPlace::of(folder, &[folder]))
    }

    pub(super) fn spelled(&self, place: &StemmedPlace) -> String {
        place.path(self.project)
    }

    /// The area of the domain of a key.
    pub(super) fn area(&self, key: &TopicKey, files: &[&str]) -> String {
        let known = self.domains.get(&key.domain).and_then(TopicDomain::area).cloned();
        known.unwrap_or_else(|| area_of(self.project, &key.domain, files))
    }

    pub(super) fn place(&self, key: &TopicKey, files: &[&str]) -> StemmedPlace {
        if key.is_misc() {
            return StemmedPlace::of(PROJECT, &[MISC]);
        }
        self.place_in(self.domains.get(&key.domain), key, &self.area(key, files))
    }

    fn place_in(&self, known: Option<&TopicDomain>, key: &TopicKey, area: &str) -> StemmedPlace {
        let domain = key.domain.as_str();
        let Some(known) = known.filter(|known| known.items >= FEW) else {
            let area = self.area_folder(domain, area);
            return StemmedPlace::of(area, &[area]);
        };
        let topic = key.topic.as_deref().filter(|topic| known.has(topic, self.few));
        if known.entries(self.few).count() >= FEW && !self.folded.contains(domain) {
            return StemmedPlace::of(domain, &[topic.unwrap_or(domain)]);
        }
        let name: Vec<&str> = [Some(domain), topic].into_iter().flatten().collect();
        StemmedPlace::of(self.area_folder(domain, area), &name)
    }

    /// The folder of an area; that of the code, where the domain would be alone in it or the area is not a folder.
    fn area_folder<'b>(&self, domain: &str, area: &'b str) -> &'b str {
        if area == domain || self.folded.contains(area) { CODE } else { area }
    }

    /// The folder of the fewest entries, then items, then the last by name; `None` if they are few enough.
    fn smallest_of_too_many(&self) -> Option<String> {
        let mut folders: HashMap<String, (BTreeSet<Vec<String>>, usize)> = HashMap::new();
        for (domain, known) in &self.domains {
            let area = known.area().map_or(CODE, String::as_str);
            let topics = known.topics.iter().map(|(topic, items)| (Some(topic.clone()), *items));
            let rest = known.items - known.topics.values().sum::<usize>();
            for (topic, items) in topics.chain((rest > 0).then_some((None, rest))) {
                let place = self.place_in(Some(known), &TopicKey { domain: domain.clone(), topic }, area);
                let folder = folders.entry(place.folder).or_default();
                folder.0.insert(place.name);
                folder.1 += items;
            }
        }
        if folders.len() <= FOLDERS {
            return None;
        }
        let may_go = folders.into_iter().filter(|(folder, _)| folder != CODE && folder != PROJECT);
        let size = |(entries, items): &(BTreeSet<Vec<String>>, usize)| (entries.len(), *items);
        may_go
            .min_by(|(one, a), (other, b)| size(a).cmp(&size(b)).then_with(|| other.cmp(one)))
            .map(|(folder, _)| folder)
    }
}

/// How many items a topic needs, so that there are no more than [`ENTRIES`].
fn enough(domains: &BTreeMap<String, TopicDomain>) -> usize {
    let pieces = |items: usize| if items > LARGE { items.div_ceil(SPLIT) } else { 1 };
    let all = |few: usize| {
        let large = domains.values().filter(|domain| domain.items >= FEW);
        large.flat_map(|domain| domain.entries(few)).map(pieces).sum::<usize>()
    };
    let most = domains.values().flat_map(|domain| domain.topics.values()).max().copied().unwrap_or_default();
    let sizes = || (FEW..=most + 1).map(|few| (all(few), few));
    sizes().find(|(entries, _)| *entries <= ENTRIES).or_else(|| sizes().min()).map_or(FEW, |(_, few)| few)
}

/// Names that this room gives.
fn is_reserved(part: &str) -> bool {
    [CODE, MISC, PROJECT].contains(&part) || housekeeping(part).is_some()
}

fn area_of(project: &Project, domain: &str, files: &[&str]) -> String {
    if housekeeping(domain).is_some() { PROJECT.to_owned() } else { project.area(files) }
}
