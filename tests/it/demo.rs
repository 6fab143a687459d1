//! `brv demo`, and what plain git finds in the folder that it creates.

use crate::env::{Env, Programs};
use crate::help::words;
use crate::init::json;
use brv::cli::parser::parse;
use brv::cli::table::ROWS;
use std::collections::BTreeMap;
use std::path::Path;

/// Every file below `tree` except `.git`: path and bytes.
fn files(tree: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut folders = vec![tree.to_path_buf()];
    let mut files = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.extend((!path.ends_with(".git")).then_some(path));
            } else {
                let name = path.strip_prefix(tree).unwrap().to_str().unwrap().replace('\\', "/");
                files.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    files
}

/// git agrees with everything that the demo printed.
fn check(env: &Env, folder: &Path) {
    let bare = folder.join("team.git");
    let [alice, bob] = ["alice", "bob"].map(|name| folder.join(name).join(".brv/context-tree"));
    for repository in [&bare, &alice, &bob] {
        env.fsck(repository);
    }
    for tree in [&alice, &bob] {
        assert_eq!(env.git(tree, &["status", "--porcelain"]), "");
        assert_eq!(env.git(tree, &["rev-parse", "HEAD"]), env.git(&bare, &["rev-parse", "main"]));
    }
    let authors = env.git(&bare, &["log", "--format=%an <%ae>", "main"]);
    assert!(
        authors.lines().all(|who| ["alice <alice@example.com>", "bob <bob@example.com>"].contains(&who)),
        "{authors}"
    );
    assert_eq!(env.git(&bare, &["rev-list", "--count", "--merges", "main"]), "1");

    let plain = env.path("plain");
    env.git(env.root(), &["clone", "-q", bare.to_str().unwrap(), plain.to_str().unwrap()]);
    let (shared, hers, his) = (files(&plain), files(&alice), files(&bob));
    assert!(shared.len() > 70, "{}", shared.len());
    assert!(shared.iter().all(|(path, bytes)| hers.get(path) == Some(bytes)), "the sent files are on disk");
    assert!(hers == his, "derived files are the same on both sides");
    for derived in ["_index.md", "_manifest.json", "decisions/git/native_push.abstract.md"] {
        assert!(
            hers.contains_key(derived) && !shared.contains_key(derived),
            "{derived} is derived, not sent"
        );
    }
    let merged = String::from_utf8(hers["decisions/git/native_push.md"].clone()).unwrap();
    assert!(merged.contains("**upstream**") && merged.contains("not only at night"), "{merged}");
}

#[test]
fn the_demo_does_what_it_shows_and_leaves_sound_repositories() {
    let env = Env::new();
    let ran = env.brv(&["demo", "play"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    check(&env, &env.path("play"));
    for line in [
        "alice$ brv init\n",
        "alice$ brv vc push -u origin main\n",
        "bob$ brv vc clone ../team.git\n",
        "# exit code 6\n",
        "bob$ brv vc pull\nMerged origin/main\n",
        "alice$ brv vc diff --format words ",
        "alice$ brv vc log --oneline\n",
        "alice$ brv vc check main...origin/file-times\nwarning[BRV004] traps/git_environment/file_times.md:6:",
        "links to `git/native_push.md`, which does not exist; is it `decisions/git/native_push.md`?",
        "Knowledge check passed: 1 warning\n",
        "[-belong to continuous integration-]{+run on every change, not only at night+}",
    ] {
        assert!(ran.stdout.contains(line), "`{line}` is missing in\n{}", ran.stdout);
    }
    assert!(ran.stdout.contains(env.path("play").to_str().unwrap()), "it prints its folder");
    assert_eq!(ran.stderr.matches("next: ").count(), 3, "{}", ran.stderr);
}

#[test]
fn the_demo_needs_no_git_and_tells_programs_all_it_did() {
    let env = Env::new().with_programs(Programs::NoGit);
    let ran = env.brv(&["demo", "play", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    let told = json(&ran.stdout);
    assert_eq!((&told["schema"], &told["ok"]), (&"brv.demo/1".into(), &true.into()));
    let steps = told["data"]["steps"].as_array().unwrap();
    let commands = steps.iter().filter(|step| step["kind"] == "ran").count();
    assert!(commands >= 18, "{commands} commands");
    assert!(steps.iter().any(|step| step["kind"] == "derived" && step["paths"][0] == "_index.md"));
    let next = told["next"].as_array().unwrap();
    assert_eq!(next.len(), 3);
    for command in next.iter().filter_map(|next| next.as_str()).filter(|next| next.starts_with("brv ")) {
        assert!(parse(ROWS, words(command)).is_ok(), "`{command}`");
    }
    check(&env, &env.path("play"));
}

#[test]
fn the_users_own_settings_play_no_part() {
    let env = Env::new();
    let hostile = "[user]\n\tname = Mallory\n[commit]\n\tgpgsign = true\n[core]\n\tautocrlf = true\n\thooksPath = /nowhere\n";
    std::fs::write(env.path("home/.gitconfig"), hostile).unwrap();
    let env = env.with("GIT_DIR", "/nowhere").with("BRV_COLOR", "always");
    let ran = env.brv(&["demo", "play"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let authors = Env::new().git(&env.path("play/team.git"), &["log", "--format=%an", "main"]);
    assert!(!authors.contains("Mallory"), "{authors}");
}

#[test]
fn a_folder_with_something_in_it_is_refused_and_left_alone() {
    let env = Env::new();
    std::fs::create_dir(env.path("mine")).unwrap();
    std::fs::write(env.path("mine/note.txt"), "keep me").unwrap();
    let ran = env.brv(&["demo", "mine"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (6, ""));
    assert!(ran.stderr.contains("is not empty"), "{}", ran.stderr);
    assert_eq!(files(&env.path("mine")).len(), 1);
}
