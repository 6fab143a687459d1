//! A search is as the tree is: after edits by hand, by brv and by git, in the middle of damage, and beside other processes.

use super::{asked, knowledge, paths, write};
use crate::curate::apply;
use crate::env::{Env, tree};
use crate::init::project;
use serde_json::json as value;

fn first(env: &Env, text: &str, flags: &[&str]) -> Option<String> {
    let (ran, data) = asked(env, &[&["search", text, "--no-hits"], flags].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    paths(&data["results"]).first().map(|path| (*path).to_owned())
}

#[test]
fn an_edit_by_hand_is_seen_at_once_with_fresh_and_a_removed_file_never() {
    let env = knowledge();
    assert_eq!(first(&env, "walrus", &[]), None);
    write(&env, "zoo/walrus.md", "# Walrus\n\nTusks.\n");
    assert_eq!(first(&env, "walrus", &["--fresh"]).as_deref(), Some("zoo/walrus.md"));
    std::fs::remove_file(tree(&env).join("zoo/walrus.md")).unwrap();
    assert_eq!(first(&env, "walrus", &[]), None, "within the window, too");
    let env = env.with("BRV_SEARCH_FRESHNESS", "0");
    write(&env, "zoo/otter.md", "# Otter\n");
    assert_eq!(first(&env, "otter", &[]).as_deref(), Some("zoo/otter.md"));
}

#[test]
fn what_brv_and_git_change_is_seen_without_waiting() {
    let env = knowledge();
    first(&env, "anything", &[]);
    apply(
        &env,
        &value!([{"type": "ADD", "path": "zoo/animals", "title": "Walrus", "reason": "r", "markdown": "Tusks.\n"}]),
    );
    assert_eq!(first(&env, "walrus tusks", &[]).as_deref(), Some("zoo/animals/walrus.md"));
    assert_eq!(env.brv(&["undo"]).code, 0);
    assert_eq!(first(&env, "walrus tusks", &[]), None);
    write(&env, "zoo/otter.md", "# Otter\n\nWhiskers.\n");
    env.git(&tree(&env), &["add", "zoo/otter.md"]);
    assert_eq!(first(&env, "otter whiskers", &[]).as_deref(), Some("zoo/otter.md"));
}

#[test]
fn a_damaged_missing_or_truncated_index_is_made_again() {
    let env = knowledge();
    let expected = first(&env, "signing key rotation", &[]);
    let folder = env.path(".brv/cache/search-1");
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        for damaged in
            [Vec::new(), bytes[..bytes.len() / 2].to_vec(), bytes.iter().map(|byte| byte ^ 0x55).collect()]
        {
            std::fs::write(&file, damaged).unwrap();
            assert_eq!(first(&env, "signing key rotation", &[]), expected, "{}", file.display());
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(first(&env, "signing key rotation", &[]), expected);
}

#[test]
fn many_changes_are_put_into_the_index_after_the_answer() {
    let env = knowledge();
    first(&env, "anything", &[]);
    let operations: Vec<_> = (0..210)
        .map(|number| value!({"type": "ADD", "path": format!("zoo/n{}", number % 7), "title": format!("Animal {number}"), "reason": "r", "markdown": format!("Number {number} lives here.\n")}))
        .collect();
    apply(&env, &value!(operations));
    let current = env.path(".brv/cache/search-1/current");
    let before = std::fs::read(&current).unwrap();
    let sought = || first(&env, "\"number 137\"", &[]);
    assert_eq!(sought().as_deref(), Some("zoo/n4/animal_137.md"));
    assert_ne!(std::fs::read(&current).unwrap(), before, "folded in");
    assert_eq!(sought().as_deref(), Some("zoo/n4/animal_137.md"));
}

#[test]
fn processes_that_search_and_write_at_once_get_no_error_and_nothing_stale() {
    let env = knowledge();
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let env = &env;
            scope.spawn(move || {
                for round in 0..6 {
                    if worker % 2 == 0 {
                        let title = format!("Beast {worker} {round}");
                        let (ran, _) = apply(env, &value!([{"type": "ADD", "path": "zoo/beasts", "title": title, "reason": "r", "markdown": "Beasts roam.\n"}]));
                        assert_eq!(ran.code, 0, "{}", ran.stderr);
                    } else {
                        let (ran, data) = asked(env, &["search", "beasts roam", "--limit", "50"]);
                        assert_eq!(ran.code, 0, "{}", ran.stderr);
                        for path in paths(&data["results"]).iter().filter(|path| path.ends_with(".md")) {
                            assert!(tree(env).join(path).exists(), "{path}");
                        }
                    }
                }
            });
        }
    });
    let (_, data) = asked(&env, &["search", "beasts roam", "--limit", "50", "--fresh"]);
    assert_eq!(
        paths(&data["results"]).iter().filter(|path| path.starts_with("zoo/beasts/beast")).count(),
        12
    );
}

#[test]
fn processes_that_make_the_index_at_once_all_answer() {
    let env = knowledge();
    for _ in 0..3 {
        let _ = std::fs::remove_dir_all(env.path(".brv/cache/search-1"));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let (ran, data) = asked(&env, &["search", "signing key rotation", "--no-hits"]);
                    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
                    assert_eq!(paths(&data["results"])[0], "auth/keys/key_rotation.md");
                });
            }
        });
        let left = std::fs::read_dir(env.path(".brv/cache/search-1")).unwrap();
        let parts =
            left.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().ends_with(".part"));
        assert_eq!(parts.count(), 1);
    }
}

#[test]
fn a_committed_stub_that_is_gone_is_not_found() {
    let env = knowledge();
    assert_eq!(env.brv(&["archive", "run", "deploy/canary/canary_releases.md"]).code, 0);
    env.git(&tree(&env), &["add", "-f", "_archived"]);
    let stub = "_archived/deploy/canary/canary_releases.stub.md";
    assert_eq!(first(&env, "canary releases", &["--fresh"]).as_deref(), Some(stub));
    let entries = |env: &Env| asked(env, &["search", "x", "--fresh"]).1["index"]["entries"].as_u64().unwrap();
    let before = entries(&env);
    std::fs::remove_file(tree(&env).join(stub)).unwrap();
    assert_eq!(entries(&env), before - 1);
    assert_ne!(first(&env, "canary releases", &[]).as_deref(), Some(stub));
}

#[test]
fn files_with_other_ends_of_lines_than_git_has_are_no_changes() {
    let env = project(&[]);
    let home = env.path("home/.gitconfig");
    let settings = std::fs::read_to_string(&home).unwrap_or_default();
    std::fs::write(&home, settings + "[core]\n\tautocrlf = true\n").unwrap();
    write(&env, "zoo/walrus.md", "# Walrus\r\n\r\nTusks.\r\n");
    assert_eq!(env.brv(&["vc", "add", "."]).code, 0);
    assert_eq!(env.brv(&["vc", "commit", "-m", "zoo"]).code, 0);
    assert_eq!(first(&env, "walrus", &["--fresh"]).as_deref(), Some("zoo/walrus.md"));
    assert_eq!(first(&env, "walrus", &["--fresh"]).as_deref(), Some("zoo/walrus.md"));
    let seen = std::fs::read_to_string(env.path(".brv/cache/search-1/seen")).unwrap();
    assert!(!seen.contains("\nH\t"), "{seen}");
}

#[test]
fn an_answer_is_kept_also_when_the_index_is_brought_up_to_date_after_it() {
    let env = knowledge();
    first(&env, "anything", &[]);
    for number in 0..230 {
        write(&env, &format!("zoo/beast_{number}.md"), &format!("# Beast {number}\n\nIt roams.\n"));
    }
    let tiers: Vec<u64> = (0..2)
        .map(|_| asked(&env, &["query", "Which signing keys rotate?", "--fresh"]).1["tier"].as_u64().unwrap())
        .collect();
    assert!(tiers[0] > 1, "{tiers:?}");
    assert_eq!(tiers[1], 0);
}
