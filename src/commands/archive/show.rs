//! `brv archive show`: an archived entry in full, with its stub.

use super::{LIST, MALFORMED, NOT_HERE};
use brv_engine::open::context::Context;
use brv_engine::outcome::json;
use brv_engine::read::archive::{self, ArchivedState, Item};
use brv_engine::{FailureKind, Stop};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.archive.show/1`; paths are relative to the tree.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ArchiveShow")]
pub struct Outcome {
    /// The archived entry.
    #[serde(flatten)]
    pub item: Item,
    /// The text of its stub; `null` if there is none.
    #[serde(rename = "stub_text", serialize_with = "json::optional_utf8")]
    #[schemars(with = "Option<String>")]
    pub stub: Option<Vec<u8>>,
    /// The text of the entry; `null` if it is not in this clone, or not UTF-8.
    #[serde(rename = "text", serialize_with = "json::optional_utf8")]
    #[schemars(with = "Option<String>")]
    pub content: Option<Vec<u8>>,
}

/// Show an archived entry by the path that it had, or by that of its stub or full copy, as typed; of several versions
/// the one archived last. The second part says why its bytes are not shown.
///
/// # Errors
/// It is not archived; the disk or git.
pub fn run(cx: &Context<'_>, name: &str) -> Result<(Outcome, Option<Stop>), Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let inventory = archive::inventory(&opened)?;
    let sought = archive::TypedName::of(scope, &cx.cwd, name);
    let Some(item) = inventory.find(&sought) else {
        let is_there = sought.is_there(scope)?;
        let hint = match inventory.is_malformed(&sought) {
            true => MALFORMED,
            false if is_there => "it is in the tree; `brv read` prints it",
            false => LIST,
        };
        return Err(Stop::new(FailureKind::Failed, format!("`{name}` is not archived")).hint(hint));
    };
    let (stub, content) = (item.stub_text(scope)?, item.content(scope)?);
    let missing = content.is_none().then(|| {
        let hint =
            if item.state == ArchivedState::Foreign { "the other tool left only a stub" } else { NOT_HERE };
        let message = format!("the content of `{}` is not in this clone", item.path);
        Stop::new(FailureKind::Failed, message).hint(hint)
    });
    Ok((Outcome { item: item.clone(), stub, content }, missing))
}
