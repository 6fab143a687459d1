//! JSON of `brv archive show`.

use super::ArchivedItem;
use crate::ops::archive::show::Outcome;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.archive.show/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ArchiveShow {
    /// The archived entry.
    #[serde(flatten)]
    pub item: ArchivedItem,
    /// The text of its stub; `null` if there is none.
    pub stub_text: Option<String>,
    /// The text of the entry; `null` if it is not in this clone, or not UTF-8.
    pub text: Option<String>,
    /// The bytes of the entry, for the terminal.
    #[serde(skip)]
    pub bytes: Option<Vec<u8>>,
}

impl From<Outcome> for ArchiveShow {
    fn from(outcome: Outcome) -> Self {
        let text = |bytes: &Option<Vec<u8>>| String::from_utf8(bytes.clone()?).ok();
        Self {
            item: ArchivedItem::from(&outcome.item),
            stub_text: text(&outcome.stub),
            text: text(&outcome.content),
            bytes: outcome.content,
        }
    }
}
