//! The folder that a search is restricted to, and what is left of the question.

use super::SearchSession;
use crate::Stop;
use crate::open::naming::resolve;

/// What to search for, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scoped {
    pub text: String,
    /// Only in this folder and below it.
    pub scope: Option<String>,
    /// Whether the question itself named the folder, so that the whole tree may be searched if it has nothing.
    pub is_guessed: bool,
}

/// Reject a question without any visible character.
pub fn checked(text: &str) -> Result<&str, Stop> {
    let is_visible = |c: char| !c.is_control() && !c.is_whitespace();
    text.chars().any(is_visible).then_some(text).ok_or_else(|| Stop::usage("the question is empty"))
}

/// Find the scope: the folder `given`, else one that the text begins with: the text before the first blank is the
/// path of a folder, or the name of a domain. A text that is nothing but such a name is searched as text, and so is the
/// whole title of an entry.
pub fn scoped(sought: &SearchSession<'_>, text: &str, given: Option<&str>) -> Result<Scoped, Stop> {
    let text = checked(text)?;
    if let Some(name) = given {
        let path = name.trim_matches('/');
        if path.is_empty() {
            return Ok(Scoped { text: text.to_owned(), scope: None, is_guessed: false });
        }
        let scope = sought.folder_named(path, true).ok_or_else(|| {
            let folders = sought.folders();
            let inside: Vec<String> = folders.iter().map(|folder| format!("{folder}/context.md")).collect();
            let mut nearest = resolve::meant(path, inside.iter().map(String::as_str));
            nearest.iter_mut().for_each(|name| *name = name.trim_end_matches("/context.md").to_owned());
            nearest.dedup();
            Stop::usage(format!("the context tree has no folder `{name}`")).nearest(&nearest)
        })?;
        return Ok(Scoped { text: text.to_owned(), scope: Some(scope), is_guessed: false });
    }
    let trimmed = text.trim_start();
    let named = trimmed.split_once(char::is_whitespace).and_then(|(first, rest)| {
        let scope = sought.folder_named(first.trim_end_matches('/'), false)?;
        let is_scope = !rest.trim().is_empty() && !sought.has_title(trimmed);
        is_scope.then(|| (scope, rest.trim().to_owned()))
    });
    Ok(match named {
        Some((scope, rest)) => Scoped { text: rest, scope: Some(scope), is_guessed: true },
        None => Scoped { text: text.to_owned(), scope: None, is_guessed: false },
    })
}
