//! Titles of which names are made that are the same.

use super::{apply, curated, read};
use serde_json::{Value, json as value};

fn row(data: &Value, at: usize) -> (&str, &str) {
    let row = &data["applied"][at];
    (row["message"].as_str().unwrap_or_default(), row["file"].as_str().unwrap_or_default())
}

#[test]
fn what_is_curated_under_one_title_never_goes_into_the_entry_of_another() {
    let env = curated();
    let arguments = |text: &'static str, title: &'static str, fact: &'static str| {
        ["curate", text, "--into", "lang", "--title", title, "--reason", "r", "--fact", fact]
    };
    assert_eq!(env.brv(&arguments("Systems.", "C++", "memory: freed by hand")).code, 0);
    let before = read(&env, "lang/c.md");
    let ran = env.brv(&arguments("Apps.", "C#", "memory: garbage collected"));
    assert!(ran.stdout.starts_with("added     lang/c_sharp.md\n"), "{}", ran.stdout);
    assert_eq!(read(&env, "lang/c.md"), before);
    assert!(read(&env, "lang/c_sharp.md").starts_with("---\ntitle: C#\n"));
    // in one list as well, and found again by title
    let list = value!([
        {"type": "UPSERT", "path": "lang", "title": "C", "reason": "r", "markdown": "Older.\n"},
        {"type": "UPSERT", "path": "lang", "title": "c#", "reason": "r", "content": {"facts": [{"subject": "memory", "statement": "collected"}]}},
        {"type": "UPSERT", "path": "lang/C*.md", "reason": "r", "markdown": "Checked.\n"},
        {"type": "UPSERT", "path": "lang/C*.md", "reason": "r", "markdown": "Safely.\n"},
    ]);
    let (ran, data) = apply(&env, &list);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let done: Vec<_> = (0..4).map(|at| row(&data, at)).collect();
    let wanted = [
        ("added", "lang/c_2.md"),
        ("updated", "lang/c_sharp.md"),
        ("added", "lang/c_3.md"),
        ("updated", "lang/c_3.md"),
    ];
    assert_eq!(done, wanted);
    assert!(read(&env, "lang/c_3.md").starts_with("---\ntitle: C*\n"));
    assert_eq!(read(&env, "lang/c.md"), before);
}

#[test]
fn an_entry_is_not_changed_or_deleted_by_the_title_of_another() {
    let env = curated();
    let token = "auth/tokens/token_lifetime.md";
    let before = read(&env, token);
    let list = value!([
        {"type": "UPDATE", "path": "auth/tokens", "title": "Token: lifetime?", "reason": "r", "markdown": "Lost.\n"},
        {"type": "DELETE", "path": "auth/tokens", "title": "Token: lifetime?", "reason": "r"},
        {"type": "UPSERT", "path": "auth/tokens", "title": "token-LIFETIME", "reason": "r", "markdown": "Kept.\n"},
    ]);
    let (ran, data) = apply(&env, &list);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    for at in [0, 1] {
        assert_eq!(data["applied"][at]["code"], "not_found", "{data}");
        let message = "`auth/tokens` has no entry `Token: lifetime?`: `auth/tokens/token_lifetime.md` is `Token lifetime`";
        assert_eq!(data["applied"][at]["message"], message);
    }
    assert_eq!(row(&data, 2), ("updated", token));
    assert!(read(&env, token).contains("Kept.") && before.starts_with("---\ntitle: Token lifetime\n"));
}
