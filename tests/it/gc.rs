//! `brv vc gc`: nothing that is needed is ever lost, and git can read the result.

use crate::env::{Env, Ran, tree};
use crate::init::{commit, json, project, write};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn gc(env: &Env, arguments: &[&str]) -> serde_json::Value {
    let ran = env.brv(&[&["vc", "gc", "--json"], arguments].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    json(&ran.stdout)["data"].clone()
}

/// One value of `git count-objects -v`.
fn count(env: &Env, what: &str) -> u64 {
    let said = env.git(&tree(env), &["count-objects", "-v"]);
    let line = said.lines().find_map(|line| line.strip_prefix(&format!("{what}: ")));
    line.unwrap().parse().unwrap()
}

fn pack_bytes(tree: &Path) -> u64 {
    let packs = std::fs::read_dir(tree.join(".git/objects/pack")).unwrap().map(Result::unwrap);
    packs
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "pack"))
        .map(|entry| entry.metadata().unwrap().len())
        .sum()
}

/// A text that differs from `seed` to `seed` but shares much with its neighbours.
fn text(seed: u64, lines: u64) -> String {
    let mut text = format!("---\ntitle: note {seed}\ntags: [one, two]\n---\n# Note {seed}\n\n");
    let mut state = seed;
    for line in 0..lines {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        writeln!(text, "line {line} says {:x} of {:x}", state >> 40, seed % 7).unwrap();
    }
    text
}

/// Set an object's time to three months ago.
#[cfg(unix)]
fn make_old(file: &Path) {
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(90 * 86_400);
    std::fs::File::open(file).unwrap().set_modified(long_ago).unwrap();
}

/// A tree with its own history: an import, then edits by git and by brv.
fn with_history() -> Env {
    let env = project(&[]);
    for number in 0..150 {
        write(&env, &[(&format!("d{}/t/note-{number}.md", number % 9), &text(number, 40))]);
    }
    commit(&env, "import");
    for edit in 0..25u64 {
        let number = edit * 13 % 150;
        let mut now = text(number, 40);
        writeln!(now, "edit {edit}").unwrap();
        let path = format!("d{}/t/note-{number}.md", number % 9);
        env.commit(&tree(&env), &[(&path, &now)]);
    }
    write(&env, &[("by/brv/a.md", "# By brv\n")]);
    commit(&env, "by brv");
    env.git(&tree(&env), &["tag", "-a", "v1", "-m", "first"]);
    env
}

fn reachable(env: &Env) -> Vec<String> {
    let listed = env.git(&tree(env), &["rev-list", "--objects", "--all", "--reflog", "--indexed-objects"]);
    let mut ids: Vec<String> = listed.lines().map(|line| line[..40].to_owned()).collect();
    ids.sort();
    ids
}

#[test]
fn everything_is_one_pack_that_git_reads_and_that_is_no_larger_than_gits() {
    let env = with_history();
    let before = reachable(&env);
    let refs = env.git(&tree(&env), &["for-each-ref"]);
    let counted = gc(&env, &["--dry-run"]);
    assert!(count(&env, "count") > 50, "a dry run changes nothing");
    let done = gc(&env, &[]);
    assert_eq!((&counted["packed"], &counted["loose_removed"]), (&done["packed"], &done["loose_removed"]));
    assert_eq!((counted["dry_run"].as_bool(), done["dry_run"].as_bool()), (Some(true), Some(false)));
    assert_eq!((count(&env, "count"), count(&env, "packs"), count(&env, "garbage")), (0, 1, 0));
    assert_eq!(count(&env, "in-pack"), before.len() as u64);
    assert_eq!(reachable(&env), before);
    env.fsck(&tree(&env));
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), "");
    assert_eq!(env.git(&tree(&env), &["describe", "--tags"]), "v1");
    assert_eq!(env.git(&tree(&env), &["for-each-ref"]), refs);
    assert!(!tree(&env).join(".git/refs/heads/main").exists(), "loose refs are packed");
    // nothing new: nothing is repacked
    let files = |env: &Env| std::fs::read_dir(tree(env).join(".git/objects/pack")).unwrap().count();
    let (name, many) = (done["packed"].clone(), files(&env));
    let again = gc(&env, &[]);
    assert_eq!((again["was_packed"].as_bool(), &again["packed"], files(&env)), (Some(true), &name, many));
    let ours = pack_bytes(&tree(&env));
    env.git(&tree(&env), &["repack", "-q", "-a", "-d", "-f"]);
    let gits = pack_bytes(&tree(&env));
    assert!(ours <= gits + gits / 20, "{ours} bytes, git has {gits}");
}

#[test]
fn a_pack_is_built_on_the_deltas_of_the_one_before() {
    let env = with_history();
    gc(&env, &[]);
    for round in 0..4u64 {
        let now = format!("{}round {round}\n", text(3, 40));
        env.commit(
            &tree(&env),
            &[("d3/t/note-3.md", &now), (&format!("new/n{round}.md"), &text(900 + round, 20))],
        );
        let done = gc(&env, &[]);
        assert_eq!(done["was_packed"], false);
        assert_eq!((count(&env, "count"), count(&env, "packs")), (0, 1));
        env.fsck(&tree(&env));
    }
    let packs = env.git(&tree(&env), &["count-objects", "-v"]);
    assert!(packs.contains("packs: 1"), "{packs}");
    // the other way round: git repacks packs by brv
    env.git(&tree(&env), &["gc", "-q", "--prune=now"]);
    env.fsck(&tree(&env));
    assert_eq!(gc(&env, &[])["was_packed"], true);
}

#[test]
fn what_only_an_index_a_reflog_a_stash_or_another_work_tree_mentions_stays() {
    let env = with_history();
    let tree = tree(&env);
    let hash = |text: &str| {
        std::fs::write(env.path("x"), text).unwrap();
        env.git(&tree, &["hash-object", env.path("x").to_str().unwrap()])
    };
    // staged here
    write(&env, &[("staged.md", "staged\n")]);
    env.git(&tree, &["add", "staged.md"]);
    // in the reflog only
    let dropped = env.commit(&tree, &[("dropped.md", "dropped\n")]);
    env.git(&tree, &["reset", "-q", "--hard", "HEAD~1"]);
    // stashed
    write(&env, &[("by/brv/a.md", "# stashed\n")]);
    env.git(&tree, &["stash", "-q"]);
    // staged in a linked work tree, on a detached HEAD with its own commit
    let linked = env.path("linked");
    env.git(&tree, &["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    let detached = env.commit(&linked, &[("detached.md", "detached\n")]);
    std::fs::remove_dir_all(tree.join(".git/worktrees/linked/logs")).unwrap();
    std::fs::write(linked.join("there.md"), "there\n").unwrap();
    env.git(&linked, &["add", "there.md"]);
    // in a merge in progress, and fetched without a ref
    let merging = env.git(&tree, &["commit-tree", "-m", "theirs", "HEAD^{tree}"]);
    std::fs::write(tree.join(".git/MERGE_HEAD"), format!("{merging}\n")).unwrap();
    let fetched = env.git(&tree, &["commit-tree", "-m", "fetched", "HEAD^{tree}"]);
    std::fs::write(tree.join(".git/FETCH_HEAD"), format!("{fetched}\t\tbranch 'x' of y\n")).unwrap();
    // and not referenced anywhere
    let lost = env.git(&tree, &["commit-tree", "-m", "lost", "HEAD^{tree}"]);
    let done = gc(&env, &["--prune=now"]);
    assert_eq!(done["pruned"], 1, "{done}");
    for id in [&dropped, &detached, &merging, &fetched] {
        env.git(&tree, &["cat-file", "commit", id]);
    }
    for text in ["staged\n", "# stashed\n", "there\n", "detached\n", "dropped\n"] {
        assert_eq!(env.git(&tree, &["cat-file", "blob", &hash(text)]), text.trim_end());
    }
    assert_ne!(env.try_git(&tree, &["cat-file", "-e", &lost]).code, 0);
    env.fsck(&tree);
    env.fsck(&linked);
    assert_eq!(env.git(&linked, &["status", "--porcelain"]), "A  there.md");
}

#[test]
fn what_nothing_leads_to_stays_two_weeks_and_goes_then() {
    let env = with_history();
    let tree = tree(&env);
    // a whole branch, packed, whose ref is gone
    env.git(&tree, &["checkout", "-q", "-b", "away"]);
    let away = env.commit(&tree, &[("away.md", "away\n")]);
    env.git(&tree, &["checkout", "-q", "main"]);
    gc(&env, &[]);
    env.git(&tree, &["branch", "-q", "-D", "away"]);
    env.git(&tree, &["reflog", "expire", "--expire=now", "--all"]);
    let loose = env.git(&tree, &["commit-tree", "-m", "lost", "HEAD^{tree}"]);
    let now = chrono::Utc::now();
    let at = |days: i64| (now + chrono::Duration::days(days)).to_rfc3339();
    let gc_at = |days: i64| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        env.prepare(&mut command);
        let ran = Ran::of(&command.env("BRV_CLOCK", at(days)).args(["vc", "gc", "--json"]).output().unwrap());
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        json(&ran.stdout)["data"].clone()
    };
    for days in [0, 13] {
        let done = gc_at(days);
        assert_eq!((&done["unreachable"], &done["pruned"]), (&4.into(), &0.into()), "{done}");
        // the commit, tree and file of `away`; the lost commit
        assert_eq!(env.git(&tree, &["show", &format!("{away}:away.md")]), "away");
        env.git(&tree, &["cat-file", "-e", &loose]);
        assert_eq!(
            (count(&env, "count"), count(&env, "packs")),
            (0, 2),
            "the others have a pack of their own"
        );
        env.fsck(&tree);
    }
    // git also reads that pack
    env.git(&tree, &["gc", "-q"]);
    env.git(&tree, &["cat-file", "-e", &away]);
    assert_eq!(gc_at(1)["unreachable"], 4);
    // an object that is needed again is kept
    env.git(&tree, &["branch", "back", &loose]);
    let done = gc_at(15);
    assert_eq!((&done["unreachable"], &done["pruned"]), (&0.into(), &3.into()), "{done}");
    assert_ne!(env.try_git(&tree, &["cat-file", "-e", &away]).code, 0);
    env.git(&tree, &["cat-file", "-e", &loose]);
    env.fsck(&tree);
}

#[cfg(unix)]
#[test]
fn a_recent_object_keeps_the_old_ones_that_it_is_made_of() {
    let env = with_history();
    let tree = tree(&env);
    write(&env, &[("old.md", "old and needed\n")]);
    let blob = env.git(&tree, &["hash-object", "-w", "old.md"]);
    let file = tree.join(".git/objects").join(&blob[..2]).join(&blob[2..]);
    make_old(&file);
    let listing = format!("100644 blob {blob}\told.md\n");
    std::fs::write(env.path("listing"), listing).unwrap();
    let mut made = env.git_command(&tree);
    let made = made.arg("mktree").stdin(std::fs::File::open(env.path("listing")).unwrap()).output().unwrap();
    let recent = Ran::of(&made).stdout.trim().to_owned();
    let done = gc(&env, &["--prune=30.days.ago"]);
    // the tests' clock is in the past: the date is relative to it
    let cutoff = format!("--prune={}", (chrono::Utc::now() - chrono::Duration::days(30)).to_rfc3339());
    assert_eq!(done["pruned"], 0);
    let done = gc(&env, &[&cutoff]);
    assert_eq!((&done["pruned"], &done["unreachable"]), (&0.into(), &2.into()), "{done}");
    assert_eq!(env.git(&tree, &["show", &format!("{recent}:old.md")]), "old and needed");
}

#[test]
fn kept_packs_and_those_of_others_are_left_alone() {
    let env = with_history();
    let tree = tree(&env);
    gc(&env, &[]);
    let pack = |tree: &Path| {
        let packs =
            std::fs::read_dir(tree.join(".git/objects/pack")).unwrap().map(|entry| entry.unwrap().path());
        packs.filter(|path| path.extension().is_some_and(|end| end == "pack")).collect::<Vec<_>>()
    };
    let kept = pack(&tree)[0].clone();
    std::fs::write(kept.with_extension("keep"), "").unwrap();
    env.commit(&tree, &[("new.md", "new\n")]);
    let done = gc(&env, &["--prune=now"]);
    assert_eq!(done["packed"], 3, "{done}");
    assert!(kept.is_file() && pack(&tree).len() == 2);
    assert_eq!(gc(&env, &[])["was_packed"], true);
    env.fsck(&tree);
    // a borrowing repository: borrowed objects are not copied, its own are packed
    let borrower = env.path("borrower");
    std::fs::create_dir_all(borrower.join(".brv")).unwrap();
    let inside = borrower.join(".brv/context-tree");
    env.git(env.root(), &["clone", "-q", "--shared", tree.to_str().unwrap(), inside.to_str().unwrap()]);
    env.commit(&inside, &[("own.md", "own\n")]);
    let ran = env.brv_in(&borrower, &["vc", "gc", "--prune=now", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(json(&ran.stdout)["data"]["packed"], 3, "{}", ran.stdout);
    env.fsck(&inside);
}

#[test]
fn what_git_leaves_for_speed_does_not_outlive_what_it_speaks_of() {
    let env = with_history();
    let tree = tree(&env);
    let lost = env.commit(&tree, &[("lost.md", "lost\n")]);
    env.git(&tree, &["repack", "-q", "-d"]);
    env.commit(&tree, &[("more.md", "more\n")]);
    env.git(&tree, &["repack", "-q", "-a", "-d", "-b"]);
    env.git(&tree, &["multi-pack-index", "write"]);
    env.git(&tree, &["commit-graph", "write", "--reachable"]);
    env.git(&tree, &["reset", "-q", "--hard", "HEAD~2"]);
    env.git(&tree, &["reflog", "expire", "--expire=now", "--all"]);
    std::fs::remove_file(tree.join(".git/ORIG_HEAD")).unwrap();
    env.commit(&tree, &[("after.md", "after\n")]);
    assert!(gc(&env, &["--prune=now"])["pruned"].as_u64().unwrap() >= 2);
    assert_ne!(env.try_git(&tree, &["cat-file", "-e", &lost]).code, 0);
    assert_eq!((count(&env, "packs"), count(&env, "garbage")), (1, 0));
    env.fsck(&tree);
    env.git(&tree, &["log", "--oneline"]);
}

#[test]
fn a_history_with_a_hole_or_a_damaged_object_is_refused_and_nothing_is_removed() {
    let env = with_history();
    let tree = tree(&env);
    let blob = env.git(&tree, &["rev-parse", "HEAD:by/brv/a.md"]);
    let file = tree.join(".git/objects").join(&blob[..2]).join(&blob[2..]);
    let bytes = std::fs::read(&file).unwrap();
    let count_before = count(&env, "count");
    std::fs::remove_file(&file).unwrap();
    let ran = env.brv(&["vc", "gc", "--prune=now"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains(&blob) && ran.stderr.contains("git fsck"), "{}", ran.stderr);
    // another object under its name
    let loose = text(4242, 5);
    std::fs::write(env.path("x"), &loose).unwrap();
    let wrong = env.git(&tree, &["hash-object", "-w", env.path("x").to_str().unwrap()]);
    let wrong = tree.join(".git/objects").join(&wrong[..2]).join(&wrong[2..]);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::copy(&wrong, &file).unwrap();
    let ran = env.brv(&["vc", "gc", "--prune=now"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains(&blob), "{}", ran.stderr);
    assert!(count(&env, "count") >= count_before, "nothing was removed");
    assert_eq!(count(&env, "garbage"), 0, "and no temporary file is left");
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, bytes).unwrap();
    gc(&env, &[]);
    env.fsck(&tree);
}

#[test]
fn it_waits_for_nobody_who_tidies_up_already() {
    let env = with_history();
    let note = tree(&env).join(".git/gc.pid");
    std::fs::write(&note, format!("{} somewhere", std::process::id())).unwrap();
    let ran = env.brv(&["vc", "gc"]);
    assert_eq!(ran.code, 8, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("git gc"), "{}", ran.stderr);
    std::fs::write(&note, "4194303").unwrap();
    gc(&env, &[]);
    assert!(!note.exists());
    let lock = tree(&env).join(".git/objects/maintenance.lock");
    std::fs::write(&lock, "").unwrap();
    let ran = env.brv(&["vc", "gc"]);
    assert_eq!(ran.code, 8, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("maintenance.lock"), "{}", ran.stderr);
    std::fs::remove_file(&lock).unwrap();
    assert_eq!(env.brv(&["vc", "gc", "--prune=some time"]).code, 2);
    env.git(&tree(&env), &["config", "extensions.preciousObjects", "true"]);
    assert_eq!(env.brv(&["vc", "gc"]).code, 6);
}

#[cfg(unix)]
#[test]
fn of_two_packs_with_everything_the_newer_stays() {
    let env = with_history();
    gc(&env, &[]);
    env.git(&tree(&env), &["-c", "pack.compression=0", "repack", "-a", "-F"]);
    let folder = tree(&env).join(".git/objects/pack");
    let files = || -> Vec<_> {
        let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_file()).collect()
    };
    let both: Vec<_> = files().into_iter().map(|path| (std::fs::read(&path).unwrap(), path)).collect();
    let packs: Vec<_> =
        both.iter().map(|(_, path)| path).filter(|path| path.extension().unwrap() == "pack").collect();
    assert_eq!(packs.len(), 2, "{packs:?}");
    for (newer, older) in [(packs[0], packs[1]), (packs[1], packs[0])] {
        for (bytes, path) in &both {
            let _ = std::fs::remove_file(path);
            std::fs::write(path, bytes).unwrap();
        }
        make_old(older);
        gc(&env, &[]);
        assert!(newer.exists() && !older.exists());
        env.fsck(&tree(&env));
    }
}

#[test]
fn killed_at_any_moment_it_leaves_a_whole_repository() {
    let env = with_history();
    let tree = tree(&env);
    let objects = reachable(&env);
    for round in 0..12u64 {
        env.commit(&tree, &[("round.md", &format!("round {round}\n"))]);
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        env.prepare(&mut command);
        let mut child = command.args(["vc", "gc", "-q"]).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(round * 11));
        child.kill().unwrap();
        child.wait().unwrap();
        env.fsck(&tree);
        let now = reachable(&env);
        assert!(objects.iter().all(|id| now.binary_search(id).is_ok()), "round {round}");
    }
    gc(&env, &[]);
    assert_eq!((count(&env, "count"), count(&env, "packs")), (0, 1));
    env.fsck(&tree);
}

#[test]
fn git_may_go_on_committing_meanwhile() {
    let env = with_history();
    let tree = tree(&env);
    let start = Instant::now();
    std::thread::scope(|threads| {
        let committer = threads.spawn(|| {
            let mut made = Vec::new();
            while start.elapsed() < Duration::from_secs(4) {
                let number = made.len();
                made.push(env.commit(&tree, &[("busy.md", &format!("commit {number}\n"))]));
                env.git(&tree, &["branch", &format!("b{number}")]);
            }
            made
        });
        while !committer.is_finished() {
            gc(&env, &[]);
        }
        for commit in committer.join().unwrap() {
            env.git(&tree, &["cat-file", "-e", &format!("{commit}^{{tree}}")]);
        }
    });
    env.fsck(&tree);
    gc(&env, &[]);
    assert_eq!(count(&env, "count"), 0);
    let branches = env.git(&tree, &["for-each-ref", "refs/heads/b*"]);
    assert!(branches.lines().count() > 3, "{branches}");
}

#[test]
fn operations_are_kept() {
    let env = with_history();
    let before = env.git(&tree(&env), &["for-each-ref", "refs/brv"]);
    assert!(before.contains("refs/brv/ops/"), "{before}");
    gc(&env, &["--prune=now"]);
    assert_eq!(env.git(&tree(&env), &["for-each-ref", "refs/brv"]), before);
    write(&env, &[("a.md", "a\n")]);
    commit(&env, "after");
    assert_eq!(
        env.git(&tree(&env), &["for-each-ref", "refs/brv"]).lines().count(),
        before.lines().count() + 2,
        "an add and a commit"
    );
    env.fsck(&tree(&env));
}

#[test]
fn five_thousand_loose_objects_are_worth_a_word_once_a_day() {
    let env = project(&[("a.md", "a\n")]);
    let folder = tree(&env).join(".git/objects/17");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..20 {
        std::fs::write(folder.join(format!("{number:038x}")), "").unwrap();
    }
    let next = |arguments: &[&str]| {
        let ran = env.brv(&[&["vc", "--json"], arguments].concat());
        json(&ran.stdout)["next"].to_string()
    };
    assert!(next(&["add", "."]).contains("brv vc gc"));
    assert!(!next(&["commit", "-m", "first"]).contains("brv vc gc"), "the hint is printed only once");
    std::fs::write(tree(&env).join(".git/brv/gc-advised"), "1600000000\n").unwrap();
    write(&env, &[("b.md", "b\n")]);
    assert!(!next(&["add", "--dry-run", "."]).contains("brv vc gc"));
    assert!(!next(&["add", "."]).is_empty());
    std::fs::write(tree(&env).join(".git/brv/gc-advised"), "1600000000\n").unwrap();
    assert!(next(&["commit", "-m", "second"]).contains("brv vc gc"));
    for number in 0..3 {
        std::fs::remove_file(folder.join(format!("{number:038x}"))).unwrap();
    }
    std::fs::remove_file(tree(&env).join(".git/brv/gc-advised")).unwrap();
    assert!(!next(&["commit", "--allow-empty", "-m", "third"]).contains("brv vc gc"), "too few for the hint");
}

#[cfg(unix)]
#[test]
fn an_old_object_that_is_recorded_again_is_young_again() {
    let env = project(&[("a.md", "needed again\n")]);
    let tree = tree(&env);
    let blob = env.git(&tree, &["hash-object", "-w", "a.md"]);
    let file = tree.join(".git/objects").join(&blob[..2]).join(&blob[2..]);
    make_old(&file);
    assert_eq!(env.brv(&["vc", "add", "a.md"]).code, 0);
    let age = file.metadata().unwrap().modified().unwrap().elapsed().unwrap_or_default();
    assert!(age < Duration::from_secs(600), "{age:?}: git would prune it before the commit that needs it");
}

#[test]
fn every_date_of_the_log_is_one_for_gc_also_in_the_settings() {
    let env = project(&[("a.md", "# A\n")]);
    commit(&env, "first");
    for date in ["yesterday", "last friday", "2.weeks.ago", "2023-11-01", "NEVER", "now", "all", "false"] {
        gc(&env, &["--dry-run", &format!("--prune={date}")]);
        env.git(&tree(&env), &["config", "gc.pruneExpire", date]);
        gc(&env, &["--dry-run"]);
    }
    let refused = |arguments: &[&str]| {
        let ran = env.brv(&[&["vc", "gc"], arguments].concat());
        assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
        ran.stderr
    };
    assert!(refused(&["--prune=soonish"]).contains("`soonish` is not a date, `now` or `never`"));
    env.git(&tree(&env), &["config", "gc.pruneExpire", "soonish"]);
    assert!(refused(&[]).contains("`gc.pruneExpire` is `soonish`, which is not a date"));
}
