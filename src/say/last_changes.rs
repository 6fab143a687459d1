//! Who wrote the entries that an agent is shown, and how many it is not shown.

use super::words::many;
use brv_base::escape::escape_line;
use brv_commands::agent_hook::LastChange;

/// The longest name of an author or agent, in characters.
const LONGEST_NAME: usize = 60;

/// How many digits of a commit are shown.
const COMMIT_DIGITS: usize = 10;

/// The last change of each entry, on a line for each commit.
pub fn lines(changes: &[LastChange]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let line = |change: &LastChange| {
        let paths: Vec<String> = change.paths.iter().map(|path| format!("`{path}`")).collect();
        format!("- {}: {}\n", paths.join(", "), by(change))
    };
    format!("\nLast changed by:\n{}", changes.iter().map(line).collect::<String>())
}

/// `Ada (agent claude-code) in 3f2a91c0de`
pub fn by(change: &LastChange) -> String {
    let (Some(author), Some(commit)) = (&change.author, &change.commit) else {
        return "not committed".into();
    };
    let agent = change.actor.as_deref().map_or(String::new(), |actor| format!(" (agent {})", name(actor)));
    let commit: String = commit.chars().take(COMMIT_DIGITS).collect();
    format!("{}{agent} in {commit}", name(author))
}

/// How many entries an agent does not get, if there are any.
pub fn withheld(count: usize) -> Option<String> {
    let entries = many(count, "entry is", "entries are");
    (count > 0).then(|| {
        format!("{entries} withheld: from elsewhere or with text that instructs, and not accepted here yet.")
    })
}

/// A name on one line, without the address that git has after it.
fn name(text: &str) -> String {
    let text = text.split_once(" <").map_or(text, |(name, _)| name);
    escape_line(text.as_bytes()).chars().take(LONGEST_NAME).collect()
}
