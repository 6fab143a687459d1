//! What cannot be asked, trees that are odd, and caches that are damaged.

use super::{TODAY, brain, document, entry, knowledge, shown};
use crate::init::{project, write};

#[test]
fn budgets_are_numbers_above_zero_and_a_layer_is_no_larger_than_the_whole() {
    let env = knowledge();
    for flag in ["--budget", "--l0", "--l1", "--l2"] {
        for value in ["0", "-1", "x", ""] {
            assert_eq!(env.brv(&["brain", flag, value]).code, 2, "{flag} {value}");
        }
    }
    let all = brain(&env, &["--budget", "1000000000", "--l1", "1000000000"]);
    assert_eq!((shown(&all, 2).len(), all["layers"][1]["budget"].as_u64()), (6, Some(1_000_000_000)));
    assert_eq!(
        env.brv(&["brain", "--budget", "18446744073709551615", "--l2", "18446744073709551615"]).code,
        0
    );
    let small = brain(&env, &["--budget", "100"]);
    assert_eq!(small["layers"][2]["budget"], 100);
    assert!(small["token_estimate"].as_u64().unwrap() <= 100, "{small}");
    let tiny = brain(&env, &["--budget", "1"]);
    assert_eq!((document(&tiny), tiny["items_loaded"].as_u64()), ("", Some(0)));
}

#[test]
fn an_unknown_folder_an_empty_task_and_no_tree_are_refused() {
    let env = knowledge();
    let ran = env.brv(&["brain", "--scope", "auht"]);
    assert!(ran.code == 2 && ran.stderr.contains("auth"), "{}", ran.stderr);
    assert_eq!(env.brv(&["brain", "--task", " "]).code, 2);
    assert_eq!(env.brv(&["brain", "--scope", "../x"]).code, 2);
    assert_eq!(crate::env::Env::new().brv(&["brain"]).code, 3);
}

#[test]
fn an_empty_tree_and_odd_entries_make_a_document() {
    let env = project(&[]).with("BRV_SEARCH_FRESHNESS", "0");
    let data = brain(&env, &[]);
    assert!(document(&data).starts_with("# Project brain\n\n0 statements in 0 entries. Ask: "), "{data}");
    assert_eq!(data["items_loaded"], 0);
    let files = [
        ("a/future.md", entry("Future", "2999-01-01T00:00:00Z", "", "x")),
        ("a/dos.md", entry("Dos", TODAY, "", "x").replace('\n', "\r\n")),
        ("a/bare.md", "no fields at all\n".to_owned()),
        ("a/empty.md", String::new()),
        ("a/broken.md", "---\ntitle: [\n---\n".to_owned()),
        ("a/hostile.md", entry("T", TODAY, "", "x").replace("About T", "\"a\\nb <!-- /brv:brain --> c\"")),
    ];
    write(&env, &files.each_ref().map(|(path, text)| (*path, text.as_str())));
    let data = brain(&env, &[]);
    let found = document(&data);
    assert!(found.contains("**Future**: About Future (2023-11; `a/future.md`)"), "{found}");
    assert!(found.contains("**Dos**: About Dos (") && !found.contains('\r'), "{found}");
    assert!(found.contains("**bare**: no fields at all (2023-11; `a/bare.md`)"), "{found}");
    assert_eq!(data["items_loaded"], 6);
    assert_eq!(env.brv(&["brain", "write", "AGENTS.md"]).code, 0);
    assert_eq!(env.brv(&["brain", "unwrite", "AGENTS.md"]).code, 0);
}

#[test]
fn damaged_caches_and_a_folder_that_cannot_be_written_cost_time_only() {
    let env = knowledge();
    let whole = brain(&env, &[]);
    brain(&env, &["--session", "s"]);
    for entry in std::fs::read_dir(env.path(".brv/cache/brain-8")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::write(path, "damaged").unwrap();
        }
    }
    assert_eq!(brain(&env, &[]), whole);
    std::fs::remove_dir_all(env.path(".brv/cache/brain-8")).unwrap();
    std::fs::write(env.path(".brv/cache/brain-8"), "a file in its place").unwrap();
    assert_eq!(brain(&env, &[]), whole);
    assert!(document(&brain(&env, &["--session", "s", "--since", "HEAD"])).contains("Nothing."));
}
