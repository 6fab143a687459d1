//! What a document gave to its reader: a receipt for each entry in it.

use super::{Options, Outcome, for_files};
use brv_base::content::ContentId;
use brv_engine::Context;
use brv_engine::open::signals::{self, GivenEntry};
use std::collections::BTreeSet;

pub use brv_engine::open::signals::ServedAnswer;

/// The entries in a document; none of one that its reader has.
pub fn of_document(outcome: &Outcome, options: &Options) -> ServedAnswer {
    let mut served =
        ServedAnswer { command: "brain", asked: options.task.clone(), ..ServedAnswer::default() };
    if outcome.not_modified {
        return served;
    }
    let is_frozen = options.session.is_some() && options.since.is_none();
    let since = outcome.since.as_ref().filter(|_| is_frozen);
    let changed: BTreeSet<&String> =
        since.iter().flat_map(|since| since.changed.iter().chain(&since.removed)).collect();
    // the text of a session stays as it was, and what it was made from is not known any more
    let blob = |path: &String| changed.contains(path).then(|| ContentId::from_bytes(&[0; 20]));
    let of_layers = outcome.layers.iter().flat_map(|layer| {
        layer.items.iter().map(|item| (&item.path, format!("layer {}: {}", layer.layer, item.why)))
    });
    let of_task =
        outcome.passages.iter().flatten().map(|needed| (&needed.path, "passage for the task".to_owned()));
    served.given = of_layers
        .chain(of_task)
        .map(|(path, why)| GivenEntry { path: path.clone(), blob: blob(path), why })
        .collect();
    served
}

/// The entries about files of the code.
pub fn of_files(found: &for_files::Outcome) -> ServedAnswer {
    let given = found.items.iter().map(|item| GivenEntry {
        path: item.path.to_string(),
        blob: Some(item.blob),
        why: item.why.word().to_owned(),
    });
    ServedAnswer {
        command: "brain",
        asked: Some(found.paths.join(" ")),
        hits: Vec::new(),
        given: given.collect(),
    }
}

/// Note it, after the answer was shown. What goes wrong is worth no message.
pub fn note(cx: &Context<'_>, served: &ServedAnswer) {
    if let Ok(opened) = cx.keep_open() {
        let _ = signals::note_served(opened, &cx.actor, served, cx.clock.seconds());
    }
}
