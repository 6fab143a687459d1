//! Input that is refused: nothing is asked, nothing is cut, nothing changes.

use super::{TEXT, giving, prompts, state};
use crate::env::Env;
use serde_json::json as value;

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
    refused(&env, &["--file", "large.png"], "`large.png` is no text in UTF-8");
    refused(&env, &["--file", "long.rs"], "`long.rs` has 2001 lines, and the limit is 2000");
    refused(&env, &["--file", "latin.md"], "`latin.md` is no text in UTF-8");
    refused(&env, &["--file", "image.png"], "`image.png` is no text in UTF-8");
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
