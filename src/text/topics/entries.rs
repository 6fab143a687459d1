//! The entries that a tree has, found by what their paths mean and not by how they are spelled.

use std::collections::HashMap;

use super::area::CODE;
use super::area::PROJECT;
use super::key::TopicKey;
use super::parts::{domain_stem, stem};
use super::shape::{StemmedPlace, TopicLayout};
use crate::curate::slug;

/// The paths of the entries of a tree.
#[derive(Debug, Clone, Default)]
pub struct EntryPaths {
    /// The path of each entry, by the stems of its folder and its name.
    entries: HashMap<(String, String), String>,
    /// The spelling of each folder, by its stem.
    folders: HashMap<String, String>,
}

impl EntryPaths {
    /// These entries; of two with the same meaning the first counts.
    pub fn of<'a>(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut standing = Self::default();
        paths.into_iter().for_each(|path| standing.insert(path));
        standing
    }

    /// An entry more. One that is not in a folder of the root has a place that no key has, and is left out.
    pub fn insert(&mut self, path: &str) {
        let Some((folder, name)) = path.strip_suffix(".md").and_then(|bare| bare.split_once('/')) else {
            return;
        };
        let (Some(folder_slug), Some(name)) = (slug(folder), slug(name)) else { return };
        if path.matches('/').count() == 1 {
            let folder_stem = domain_stem(&folder_slug).into_owned();
            self.folders.entry(folder_stem.clone()).or_insert_with(|| folder.to_owned());
            self.entries.entry((folder_stem, stem(&name).into_owned())).or_insert_with(|| path.to_owned());
        }
    }

    fn at(&self, folder: &str, name: &str) -> Option<&str> {
        let name = slug(name)?;
        self.entries.get(&(folder.to_owned(), stem(&name).into_owned())).map(String::as_str)
    }

    /// The entry for an item of this key and these files: that of the key itself, if the tree has it.
    pub fn entry_of(&self, shape: &TopicLayout<'_>, key: &TopicKey, files: &[&str]) -> Option<&str> {
        let domain = key.domain.as_str();
        let area = shape.area(key, files);
        let areas = [area.as_str(), CODE, PROJECT];
        match key.topic.as_deref() {
            Some(topic) => self.at(domain, topic).or_else(|| {
                let name = format!("{domain}_{topic}");
                areas.iter().find_map(|area| self.at(area, &name))
            }),
            None => self.at(domain, domain).or_else(|| areas.iter().find_map(|area| self.at(area, domain))),
        }
    }

    /// The path for an item where no entry of its key is there: by the shape, in the spelling of the tree.
    pub fn path(&self, shape: &TopicLayout<'_>, key: &TopicKey, files: &[&str]) -> String {
        let place = shape.place(key, files);
        let path = shape.spelled(&place);
        if let Some(there) = self.same(&place) {
            return there.to_owned();
        }
        match (self.folders.get(&place.folder), path.split_once('/')) {
            (Some(folder), Some((_, name))) => format!("{folder}/{name}"),
            _ => path,
        }
    }

    fn same(&self, place: &StemmedPlace) -> Option<&str> {
        self.at(&place.folder, &place.name.join("_"))
    }
}
