//! Words: titles, typing errors, names, accents, and words that a usual tokenizer drops.

use super::{asked, paths, write};
use crate::env::Env;
use crate::init::project;

/// A project with these entries: path, title and text.
fn entries(all: &[(&str, &str, &str)]) -> Env {
    let env = project(&[]);
    for (path, title, text) in all {
        write(&env, path, &format!("---\ntitle: \"{title}\"\n---\n{text}\n"));
    }
    env
}

/// The paths that a search finds, best first; folders left out.
fn found(env: &Env, text: &str) -> Vec<String> {
    let (ran, data) = asked(env, &["search", "--fresh", "--no-hits", text]);
    assert_eq!(ran.code, 0, "{text}: {data}");
    let files = paths(&data["results"]).into_iter().filter(|path| path.ends_with(".md"));
    files.map(str::to_owned).collect()
}

fn first(env: &Env, text: &str) -> String {
    found(env, text).into_iter().next().unwrap_or_default()
}

#[test]
fn an_entry_is_first_for_its_own_title() {
    let commit = "A commit has an id. Commit early, commit often; each commit is one commit.";
    let env = entries(&[
        ("git/commit_id.md", "Commit ID", "The hash."),
        ("git/commits.md", "Commit IDs", commit),
        ("git/amend.md", "Amend a commit by its id", commit),
        ("git/core.md", "Commit messages", &commit.repeat(20)),
        ("git/after.md", "After", "Nothing."),
        ("git/ever_after.md", "Ever after", "After that, after all, ever after."),
        ("git/does_it.md", "git does not find it", "Look again."),
        ("git/call.md", "decorate(name, value)", "One."),
        (
            "git/call_reply.md",
            "decorateReply(name, value)",
            "Decorate a reply: decorate, decorate, name, value.",
        ),
    ]);
    for (title, path) in [
        ("Commit ID", "git/commit_id.md"),
        ("commit id", "git/commit_id.md"),
        ("Commit IDs", "git/commits.md"),
        ("after", "git/after.md"),
        // its first word is the name of a folder
        ("git does not find it", "git/does_it.md"),
        ("decorate(name, value)", "git/call.md"),
        ("decorateReply(name, value)", "git/call_reply.md"),
    ] {
        assert_eq!(first(&env, title), path, "{title}");
    }
}
