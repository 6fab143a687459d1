//! Sample change sets for the tests of both page formats.

use super::{Item, Page, PageFront};
use brv_commands::vc::diff::FileChange;
use brv_engine::read::history::knowledge::ChangeReport;
use brv_text::diff::knowledge::{Entry, Gone, MoveSource, Version, What, entry, trace};
use brv_text::diff::{FileDiff, compare, mark};

/// A change set that the tests own.
pub(in crate::say) struct Sample {
    entries: Vec<Entry>,
    lines: Vec<FileDiff>,
}

/// A path, and its texts before and after.
pub(in crate::say) type SampleVersions<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

impl Sample {
    /// A change set of files, with their texts before and after.
    pub(in crate::say) fn new(files: &[SampleVersions<'_>]) -> Sample {
        let paths = |side: fn(&SampleVersions<'_>) -> bool| {
            files.iter().filter(move |file| side(file)).map(|file| file.0.into()).collect::<Vec<_>>()
        };
        let gone = Gone::new(&paths(|file| file.1.is_some()), &paths(|file| file.2.is_some()));
        let mut sample = Sample { entries: Vec::new(), lines: Vec::new() };
        for (path, before, after) in files {
            let bytes = |text: &Option<&str>| text.map_or(Vec::new(), |text| text.as_bytes().to_vec());
            let (old, new) = (bytes(before), bytes(after));
            sample.entries.push(entry(
                before.map(|text| Version { path: (*path).into(), bytes: text.as_bytes() }),
                after.map(|text| Version { path: (*path).into(), bytes: text.as_bytes() }),
                &gone,
            ));
            let mut lines = compare(&old, &new, 3);
            if let FileDiff::Text(hunks) = &mut lines {
                mark(hunks);
            }
            sample.lines.push(lines);
        }
        trace(&mut sample.entries);
        sample
    }

    pub(in crate::say) fn renamed(mut self, from: (&str, &str), to: (&str, &str)) -> Sample {
        self.entries.push(entry(
            Some(Version { path: from.0.into(), bytes: from.1.as_bytes() }),
            Some(Version { path: to.0.into(), bytes: to.1.as_bytes() }),
            &Gone::default(),
        ));
        self.lines.push(compare(from.1.as_bytes(), to.1.as_bytes(), 3));
        self
    }

    /// Mark one entry as merged into another.
    pub(in crate::say) fn merged(mut self, from: &str, into: &str) -> Sample {
        for entry in &mut self.entries {
            if entry.before.as_ref().is_some_and(|place| place.path == from) {
                (entry.what, entry.merged_into) = (What::Merged, Some(into.into()));
            }
            if entry.after.as_ref().is_some_and(|place| place.path == into) {
                entry.sources.push(MoveSource { path: from.into(), percent: 80, gone: true });
            }
        }
        self
    }

    /// The change set as the commands report it.
    pub(in crate::say) fn told(self) -> ChangeReport {
        let path = |entry: &Entry| entry.after.as_ref().or(entry.before.as_ref()).unwrap().path.clone();
        let file = |(entry, lines): (&Entry, FileDiff)| FileChange {
            path: path(entry),
            renamed_from: None,
            similarity: None,
            before: None,
            after: None,
            stat: None,
            diff: Some(lines),
        };
        let files = self.entries.iter().zip(self.lines).map(file).collect();
        ChangeReport { files, entries: self.entries }
    }

    pub(in crate::say) fn page(&self) -> Page<'_> {
        Page {
            front: PageFront::Between { before: "HEAD~1".into(), after: "HEAD".into() },
            items: self
                .entries
                .iter()
                .zip(&self.lines)
                .map(|(entry, lines)| Item { entry, lines: Some(lines) })
                .collect(),
            unmerged: &[],
            most: super::DRAWN,
        }
    }
}
