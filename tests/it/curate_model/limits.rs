//! Rejected input: no request, no cut, no change.

use super::{TEXT, adding, curate, giving, prompts, read, state};
use crate::curate::ENTRY;
use crate::env::Env;
#[cfg(unix)]
use crate::env::tree;
use serde_json::{Value, json as value};

#[track_caller]
fn refused(env: &Env, arguments: &[&str], why: &str) {
    let ran = env.brv(&[&["curate", "--model"], arguments].concat());
    assert_eq!(ran.code, 2, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains(why), "{arguments:?}: {}", ran.stderr);
}

#[test]
fn what_is_over_a_limit_or_no_text_is_refused_as_a_whole() {
    let env = giving(&value!([]));
    let before = state(&env);
    let put = |name: &str, bytes: &[u8]| {
        std::fs::create_dir_all(env.path(name).parent().unwrap()).unwrap();
        std::fs::write(env.path(name), bytes).unwrap();
    };
    put("long.md", "ä".repeat(40_001).as_bytes());
    put("fits.md", "ä".repeat(40_000).as_bytes());
    put("long.rs", "x\n".repeat(2_001).as_bytes());
    put("fits.rs", "x\n".repeat(2_000).as_bytes());
    put("latin.md", b"caf\xe9");
    put("image.png", b"\x89PNG\0");
    put("blank.md", b"\n \n");
    put("none/.hidden", b"text");
    put("images/a.png", b"\0\0");
    put("mixed/a.md", b"text");
    put("mixed/b.md", &b"x".repeat(40_001));
    for number in 0..201 {
        put(&format!("many/{number}.md"), b"text");
    }
    refused(&env, &["--file", "long.md"], "`long.md` has 40001 characters, and the limit is 40000");
    put("huge.txt", "ä".repeat(200_000).as_bytes());
    put("large.png", &[&b"\x89PNG\0"[..], &[7; 300_000]].concat());
    refused(&env, &["--file", "huge.txt"], "`huge.txt` has 40001 characters or more, and the limit is 40000");
    refused(&env, &["--file", "large.png"], "`large.png` is not UTF-8 text");
    refused(&env, &["--file", "long.rs"], "`long.rs` has 2001 lines, and the limit is 2000");
    refused(&env, &["--file", "latin.md"], "`latin.md` is not UTF-8 text");
    refused(&env, &["--file", "image.png"], "`image.png` is not UTF-8 text");
    refused(&env, &["--file", "blank.md"], "there is no text");
    refused(&env, &["--file", "absent.md"], "absent.md");
    refused(&env, &["--file", "mixed"], "mixed");
    refused(&env, &["--folder", "none"], "`none` has no file with text");
    refused(&env, &["--folder", "images"], "`images` has no file with text");
    refused(&env, &["--folder", "absent"], "absent");
    refused(&env, &["--folder", "mixed"], "`b.md` has 40001 characters");
    refused(&env, &["--folder", "many"], "`many` has 201 files, and the limit is 200");
    let six = ["--file", "fits.md"].repeat(6);
    refused(&env, &six, "6 files, and the limit is 5");
    assert!(prompts(&env, "one").is_empty(), "the model was asked");
    assert_eq!(state(&env), before);
    for name in ["fits.md", "fits.rs"] {
        assert_eq!(env.brv(&["curate", "--model", "--file", name]).code, 0, "{name}");
    }
}

#[test]
fn flags_that_say_what_the_model_decides_are_refused() {
    let env = giving(&value!([]));
    for flags in [
        &["--title", "T"][..],
        &["--fact", "a: b"],
        &["--type", "ADD"],
        &["--replace"],
        &["--ops", "-"],
        &["--commit", "HEAD"],
        &["--folder", "."],
        &["--file", "a"],
        &["--detach", "--dry-run"],
    ] {
        let ran = env.brv(&[&["curate", TEXT, "--model"], flags].concat());
        assert_eq!(ran.code, 2, "{flags:?}: {}", ran.stderr);
    }
    for line in [
        &["--model"][..],
        &["--model", "--into", "a/b"],
        &["--folder", "."],
        &["--detach", TEXT],
        &["--model", ""],
    ] {
        let ran = env.brv(&[&["curate"], line].concat());
        assert_eq!(ran.code, 2, "{line:?}: {}", ran.stderr);
    }
    assert!(prompts(&env, "one").is_empty());
}

#[test]
fn a_merge_in_progress_is_noticed_before_the_model_is_asked() {
    let env = giving(&value!([]));
    std::fs::write(env.path(".brv/context-tree/.git/MERGE_HEAD"), format!("{}\n", head(&env))).unwrap();
    assert_eq!(env.brv(&["curate", TEXT, "--model"]).code, 6);
    assert!(prompts(&env, "one").is_empty());
}

fn head(env: &Env) -> String {
    env.git(&crate::env::tree(env), &["rev-parse", "HEAD"])
}

#[test]
fn a_source_deletes_and_merges_nothing() {
    let other = "auth/tokens/other.md";
    let delete = value!({"type": "DELETE", "path": ENTRY, "reason": "the source says so"});
    let merge = value!({"type": "MERGE", "path": other, "source": ENTRY, "reason": "the source says so"});
    for (kind, removing) in [("DELETE", delete), ("MERGE", merge)] {
        let env = giving(&value!([removing, adding("Jobs", &[("jobs", "4,096")])]));
        let (_, told) = curate(&env, &[TEXT], 7);
        let rows = &told["data"]["applied"];
        assert_eq!((&rows[0]["code"], &rows[1]["status"]), (&"blocked".into(), &"success".into()), "{told}");
        let message = told["error"]["message"].as_str().unwrap();
        assert!(message.contains("a source that is filed") && !message.contains("secret"), "{message}");
        assert!(read(&env, ENTRY).contains("24 hours"));
        let prompt = &prompts(&env, "one")[0];
        assert!(!prompt.contains(&format!("\"{kind}\"")), "{prompt}");
    }
}

#[test]
fn a_source_changes_thirty_percent_of_the_tree_and_adds_what_it_wants() {
    let notes: Vec<Value> = (0..11).map(|number| note(number, "ADD", "old")).collect();
    let mut answer: Vec<Value> = (0..5).map(|number| note(number, "UPDATE", "new")).collect();
    answer.push(note(0, "UPDATE", "newer"));
    answer.push(adding("Jobs", &[("jobs", "4,096")]));
    let env = giving(&value!(answer));
    let ran = env.brv_reading(&["curate", "--ops", "-"], value!(notes).to_string().as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let (_, told) = curate(&env, &[TEXT], 1);
    let rows = told["data"]["applied"].as_array().unwrap();
    let codes: Vec<Option<&str>> = rows.iter().map(|row| row["code"].as_str()).collect();
    // of 12 entries three may change, each as often as the source says
    let over = Some("over_limit");
    assert_eq!(codes, [None, None, None, over, over, None, None], "{told}");
    assert!(rows[3]["message"].as_str().unwrap().contains("30 % of the 12 entries"), "{told}");
    assert!(read(&env, "ops/notes/note_0.md").contains("newer"));
    assert!(read(&env, "ops/notes/note_4.md").contains("old"));
}

fn note(number: usize, kind: &str, state: &str) -> Value {
    let facts = value!([{"subject": "state", "statement": state}]);
    let mut one = value!({"type": kind, "path": "ops/notes", "reason": "told", "content": {"facts": facts}});
    match kind {
        "ADD" => one["title"] = format!("Note {number}").into(),
        _ => one["path"] = format!("ops/notes/note_{number}.md").into(),
    }
    one
}

#[test]
fn an_answer_of_too_many_operations_is_none() {
    let env = giving(&value!((0..201).map(|number| note(number, "ADD", "new")).collect::<Vec<_>>()));
    let before = state(&env);
    let (_, told) = curate(&env, &[TEXT], 1);
    assert_eq!((&told["error"]["code"], state(&env)), (&"model_invalid".into(), before), "{told}");
    assert!(prompts(&env, "one")[1].contains("201 operations, and the limit is 200"));
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed_out_of_the_project() {
    use std::os::unix::fs::symlink;
    let env = giving(&value!([]));
    let outside = tempfile::tempdir().unwrap();
    std::fs::create_dir(outside.path().join("notes")).unwrap();
    let secret = outside.path().join("notes/secret.md");
    std::fs::write(&secret, "Quetzal").unwrap();
    std::fs::create_dir_all(env.path("docs")).unwrap();
    std::fs::write(env.path("docs/own.md"), "own text").unwrap();
    symlink(&secret, env.path("docs/note.md")).unwrap();
    symlink(outside.path(), env.path("shelf")).unwrap();
    symlink("own.md", env.path("docs/same.md")).unwrap();
    let one = ["--into", "a/b", "--title", "T", "--reason", "r"];
    for arguments in [
        &["--model", "--file", "docs/note.md"][..],
        &["--model", "--file", "shelf/notes/secret.md"],
        &["--model", "--file", "docs/../docs/./note.md"],
        &["--model", "--folder", "shelf"],
        &["--model", "--folder", "shelf/notes"],
        &["--model", "--detach", "--file", "docs/note.md"],
        &[&["--file", "docs/note.md"][..], &one].concat(),
    ] {
        let ran = env.brv(&[&["curate"], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("leads out of the project through a link"), "{}", ran.stderr);
    }
    // what leads elsewhere by itself is the user's own, and so is a link within the project
    let named = secret.to_str().unwrap().to_owned();
    for arguments in [&["--file", &named][..], &["--file", "docs/same.md"], &["--folder", "docs"]] {
        let ran = env.brv(&[&["curate", "--model"], arguments].concat());
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    }
    let asked = prompts(&env, "one");
    assert_eq!(asked.len(), 3);
    assert!(asked[0].contains("Quetzal") && !asked[2].contains("Quetzal"), "{asked:?}");
    assert!(!tree(&env).join("a").exists());
}
