//! `brv model`: a file for each command of the family.

pub mod show;
pub mod test;
pub mod usage;

use crate::cli::ui::{Screen, Style};

/// Draw one value, with its name before it.
fn row(screen: &mut Screen, name: &str, value: impl AsRef<str>) {
    screen.text(Style::Dim, format!("{name:<14}")).word(Style::Plain, value.as_ref()).end();
}

/// Draw where a model is, and where its key comes from.
fn place(screen: &mut Screen, api: &str, url: Option<&str>, name: Option<&str>, key: &str) {
    row(screen, "api", api);
    if let Some(url) = url {
        row(screen, "url", url);
    }
    if let Some(name) = name {
        row(screen, "name", name);
    }
    row(screen, "key", key);
}
