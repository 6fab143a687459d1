//! `brv vc resolve`: the conflicts of a merge, resolved one by one or all at once; the merges are git's own.

use crate::env::{Env, Ran, program, tree};
use crate::init::{commit, json, project, write};
use serde_json::Value;
use std::io::Write as _;
use std::process::{Command, Stdio};

const BASE: &str = "# A\n\nFirst.\n\nBetween.\n\n## B\n\nSecond.\n";

fn read(env: &Env, path: &str) -> String {
    std::fs::read_to_string(tree(env).join(path)).unwrap()
}

/// Merge `topic`, in which the files are `theirs`, into `main`, in which they are `ours`; `None` deletes.
fn merging(base: &[(&str, &str)], ours: &[(&str, Option<&str>)], theirs: &[(&str, Option<&str>)]) -> Env {
    let env = project(&[]);
    let tree = tree(&env);
    let side = |files: &[(&str, Option<&str>)]| {
        for (path, text) in files {
            match text {
                Some(text) => write(&env, &[(path, text)]),
                None => std::fs::remove_file(tree.join(path)).unwrap(),
            }
        }
        env.commit(&tree, &[]);
    };
    env.commit(&tree, base);
    env.git(&tree, &["checkout", "-q", "-b", "topic"]);
    side(theirs);
    env.git(&tree, &["checkout", "-q", "main"]);
    side(ours);
    assert_eq!(env.try_git(&tree, &["merge", "-q", "topic"]).code, 1);
    env
}

/// The file with two blocks in conflict, as git's own line merge leaves them with the base shown.
fn two_blocks() -> Env {
    let side = |first: &str, second: &str| BASE.replace("First", first).replace("Second", second);
    let (ours, theirs) = (side("One", "Two"), side("Eins", "Zwei"));
    let env = merging(&[("auth/a.md", BASE)], &[("auth/a.md", Some(&ours))], &[("auth/a.md", Some(&theirs))]);
    write(&env, &[("auth/a.md", &marked())]);
    env
}

fn block(ours: &str, base: &str, theirs: &str) -> String {
    format!("<<<<<<< HEAD\n{ours}.\n||||||| base\n{base}.\n=======\n{theirs}.\n>>>>>>> topic\n")
}

fn marked() -> String {
    BASE.replace("First.\n", &block("One", "First", "Eins"))
        .replace("Second.\n", &block("Two", "Second", "Zwei"))
}

fn porcelain(env: &Env) -> String {
    env.git(&tree(env), &["status", "--porcelain"])
}

fn listed(env: &Env) -> Value {
    json(&env.brv(&["vc", "resolve", "--list", "--json"]).stdout)["data"].take()
}

#[test]
fn what_is_open_is_listed_with_all_three_texts() {
    let env = two_blocks();
    let data = listed(&env);
    assert_eq!((&data["unmerged"], &data["merging"]), (&1.into(), &true.into()));
    let second = &data["files"][0]["decisions"][1];
    assert_eq!(second["id"], "auth/a.md#2");
    assert_eq!(
        (&second["base"], &second["ours"], &second["theirs"]),
        (&"Second.\n".into(), &"Two.\n".into(), &"Zwei.\n".into())
    );
    assert_eq!(second["place"]["headings"], serde_json::json!(["A", "B"]));
    assert_eq!(second["reason"], "prose");
    let text = env.brv(&["vc", "resolve", "--list"]).stdout;
    assert!(text.contains("#2 line 15, in A > B, `Two.`: both changed this text\n"), "{text}");
    assert!(text.contains("     theirs Zwei.\n"), "{text}");
    assert_eq!(env.brv(&["vc", "resolve", "--list", "auth"]).stdout, text);
}

#[test]
fn a_side_takes_the_place_of_the_markers_and_of_nothing_else() {
    for (flag, first, second) in
        [("--ours", "One.", "Two."), ("--theirs", "Eins.", "Zwei."), ("--base", "First.", "Second.")]
    {
        let env = two_blocks();
        let edited = marked().replace("Between.", "Between, by hand.\t ");
        write(&env, &[("auth/a.md", &edited)]);
        let ran = env.brv(&["vc", "resolve", "auth/a.md", flag]);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (0, "auth/a.md: 2 conflicts resolved, staged\n"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("next: brv vc merge --continue"), "{}", ran.stderr);
        let expected = BASE.replace("Between.", "Between, by hand.\t ");
        assert_eq!(read(&env, "auth/a.md"), expected.replace("First.", first).replace("Second.", second));
        assert!(!porcelain(&env).contains('U'), "{flag}: {}", porcelain(&env));
        let ran = env.brv(&["vc", "commit", "-m", "merged"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(env.git(&tree(&env), &["rev-list", "--parents", "-1", "HEAD"]).split(' ').count(), 3);
        assert_eq!(porcelain(&env), "");
    }
}

#[test]
fn one_decision_at_a_time_leaves_the_rest_unmerged() {
    let env = two_blocks();
    let ran = env.brv(&["vc", "resolve", "auth/a", "--pick", "2=theirs", "--json"]);
    assert_eq!(ran.code, 5, "{}", ran.stdout);
    let answer = json(&ran.stdout);
    assert_eq!(answer["error"]["code"], "conflict");
    let decisions = &answer["data"]["files"][0]["decisions"];
    assert_eq!((&decisions[0]["open"], &decisions[1]["taken"]), (&true.into(), &"theirs".into()));
    assert_eq!(read(&env, "auth/a.md"), marked().replace(&block("Two", "Second", "Zwei"), "Zwei.\n"));
    assert_eq!(porcelain(&env), "UU auth/a.md");
    let left = listed(&env)["files"][0]["decisions"].take();
    assert_eq!((left.as_array().unwrap().len(), &left[0]["number"]), (1, &1.into()));
    let ran = env.brv(&["vc", "resolve", "auth/a.md", "--pick", "2=ours"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("there is no open conflict 2 in `auth/a.md`: open: 1"), "{}", ran.stderr);
    assert_eq!(env.brv(&["vc", "resolve", "auth/a.md", "--pick", "1=both"]).code, 0);
    assert_eq!(
        read(&env, "auth/a.md"),
        "---\ndisputed: [A]\n---\n# A\n\nOne.\n\nEins.\n\nBetween.\n\n## B\n\nZwei.\n"
    );
    assert_eq!(porcelain(&env), "M  auth/a.md");
}

#[test]
fn a_decision_keeps_its_number_while_others_are_made() {
    let env = two_blocks();
    assert_eq!(env.brv(&["vc", "resolve", "auth/a.md", "--pick", "1=theirs"]).code, 5);
    assert_eq!(listed(&env)["files"][0]["decisions"][0]["id"], "auth/a.md#2");
    let ran = env.brv(&["vc", "resolve", "auth/a.md", "--pick", "1=ours"]);
    assert_eq!((ran.code, read(&env, "auth/a.md").contains("Eins.")), (2, true), "{}", ran.stderr);
    assert!(env.brv(&["status"]).stderr.contains("next: brv vc resolve --list"));
    assert_eq!(env.brv(&["vc", "resolve", "auth/a.md", "--pick", "2=ours"]).code, 0);
    assert_eq!(read(&env, "auth/a.md"), BASE.replace("First", "Eins").replace("Second", "Two"));
    assert!(env.brv(&["status"]).stdout.contains("1 conflict resolved in auth/a.md"));
    // the same texts twice: the place tells them apart
    let twice = marked().replace("Two", "One").replace("Second", "First").replace("Zwei", "Eins");
    let env = project(&[("a.md", &twice)]);
    commit(&env, "as a host merged it");
    assert_eq!(env.brv(&["vc", "resolve", "a.md", "--pick", "1=theirs"]).code, 5);
    let left =
        json(&env.brv(&["vc", "resolve", "--list", "a.md", "--json"]).stdout)["data"]["files"][0].take();
    assert_eq!(
        (left["decisions"].as_array().unwrap().len(), &left["decisions"][0]["number"]),
        (1, &2.into())
    );
}

#[test]
fn a_file_in_the_place_of_which_a_folder_stands_is_found_by_its_own_name() {
    let env = merging(
        &[("b.md", "# B\n")],
        &[("x/foo.md", Some("# Ours\n"))],
        &[("x/foo.md/inner.md", Some("# Inner\n"))],
    );
    env.git(&tree(&env), &["merge", "--abort"]);
    assert_eq!(env.brv(&["vc", "merge", "topic"]).code, 5);
    let file = listed(&env)["files"][0].take();
    assert_eq!(
        (&file["path"], &file["decisions"][0]["reason"]),
        (&"x/foo.ours.md".into(), &"folder_in_its_place".into())
    );
    assert!(env.brv(&["vc", "resolve", "--list"]).stdout.contains("a folder is in its place"));
    let ran = env.brv(&["vc", "resolve", "x/foo.md", "--ours"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "x/foo.ours.md: 1 conflict resolved, staged\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(read(&env, "x/foo.ours.md"), "# Ours\n");
}

#[test]
fn what_was_put_right_by_hand_is_recorded_as_it_stands() {
    let env = two_blocks();
    write(&env, &[("auth/a.md", "# A\n\nBy hand.\n")]);
    assert!(env.brv(&["vc", "resolve", "--list"]).stdout.contains("resolved by hand"));
    let ran = env.brv(&["vc", "resolve", "auth", "--theirs"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "auth/a.md: resolved by hand, staged\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        (read(&env, "auth/a.md").as_str(), porcelain(&env).as_str()),
        ("# A\n\nBy hand.\n", "M  auth/a.md")
    );
}

#[test]
fn a_file_that_one_side_deleted_is_kept_or_goes() {
    let path = "auth/a.md";
    for (flag, stays) in [("--ours", true), ("--theirs", false), ("--both", true), ("--base", true)] {
        let env = merging(&[(path, BASE)], &[(path, Some("# Ours\n"))], &[(path, None)]);
        let reason = &listed(&env)["files"][0]["decisions"][0]["reason"];
        assert_eq!(reason, "deleted_by_them");
        assert_eq!(env.brv(&["vc", "resolve", path, flag]).code, 0, "{flag}");
        assert_eq!(tree(&env).join(path).exists(), stays, "{flag}");
        assert!(!porcelain(&env).contains('U'), "{flag}: {}", porcelain(&env));
        if stays {
            assert_eq!(read(&env, path), if flag == "--base" { BASE } else { "# Ours\n" });
        }
    }
    let env = merging(&[(path, BASE)], &[(path, None)], &[(path, Some("# Theirs\n"))]);
    assert_eq!(
        env.brv(&["vc", "resolve", path, "--ours"]).stdout,
        "auth/a.md: 1 conflict resolved, deleted and staged\n"
    );
    assert_eq!(porcelain(&env), "");
}

#[test]
fn two_entries_added_under_one_name_are_decided_as_a_whole() {
    let path = "auth/a.md";
    let ours = "---\ntitle: Tokens\n---\n\n# Tokens\n\nRefresh tokens live thirty days.\n";
    let theirs = "---\ntitle: Plants\n---\n\n# Plants\n\nThe ficus gets water on Mondays.\n";
    for (flag, expected) in [("--ours", ours), ("--theirs", theirs)] {
        let env = merging(&[("x.md", BASE)], &[(path, Some(ours))], &[(path, Some(theirs))]);
        let open = listed(&env)["files"][0]["decisions"].take();
        assert_eq!(open[0]["reason"], "unrelated");
        assert_eq!((&open[0]["ours"], &open[0]["theirs"]), (&ours.into(), &theirs.into()));
        assert_eq!(open.as_array().map(Vec::len), Some(1));
        assert_eq!(read(&env, path), ours);
        assert_eq!(env.brv(&["vc", "resolve", path, flag]).code, 0, "{flag}");
        assert_eq!(read(&env, path), expected);
        assert!(!porcelain(&env).contains('U'));
    }
    let env = merging(&[("x.md", BASE)], &[(path, Some(ours))], &[(path, Some(theirs))]);
    let text = env.brv(&["vc", "resolve", "--list"]).stdout;
    assert!(text.contains("two different entries with one name; kept ours"), "{text}");
    assert_eq!(env.brv(&["vc", "resolve", path, "--both"]).code, 0);
    let both = read(&env, path);
    assert!(
        both.contains("thirty days") && both.contains("on Mondays") && both.matches("title:").count() == 1
    );
}

#[test]
fn markers_that_were_committed_are_decided_and_left_to_be_recorded() {
    let env = project(&[("a.md", &marked())]);
    commit(&env, "as a host merged it");
    assert_eq!(env.brv(&["vc", "resolve", "--list"]).stdout, "No conflicts.\n");
    let ran = env.brv(&["vc", "resolve", "a.md", "--ours"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "a.md: 2 conflicts resolved, not staged yet\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(porcelain(&env), " M a.md");
    assert!(!read(&env, "a.md").contains("<<<<<<<"));
}

#[test]
fn every_decision_is_an_operation_that_remembers_the_file_before() {
    let env = two_blocks();
    let answer = json(&env.brv(&["vc", "resolve", "auth/a.md", "--ours", "--json"]).stdout);
    let operation = format!("refs/brv/ops/{}", answer["data"]["operation"].as_str().unwrap());
    let tree = tree(&env);
    let before = env.git(&tree, &["show", &format!("{operation}^1:auth/a.md")]);
    assert_eq!(before, marked().trim_end());
    let after = env.git(&tree, &["show", &format!("{operation}:auth/a.md")]);
    assert_eq!(after, read(&env, "auth/a.md").trim_end());
    assert!(env.git(&tree, &["show", "-s", "--format=%B", &operation]).contains("Brv-Kind: resolve"));
    env.fsck(&tree);
}

#[test]
fn nobody_is_asked_without_a_terminal() {
    let env = two_blocks();
    let ran = env.brv(&["vc", "resolve"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("`brv vc resolve --list` lists the open conflicts"), "{}", ran.stderr);
    let ran = env.brv(&["vc", "resolve", "nothing.md", "--ours"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(env.brv(&["vc", "resolve", "--ours"]).code, 2, "a side needs a path");
    assert_eq!(read(&env, "auth/a.md"), marked());
}

#[test]
fn readers_are_served_our_side_and_told() {
    let env = two_blocks();
    let ours = BASE.replace("First", "One").replace("Second", "Two");
    let mark = "\n> [in conflict] this is our side; `brv vc resolve --list PATH` shows both\n";
    let ran = env.brv(&["read", "auth/a"]);
    assert_eq!(ran.stdout, format!("{ours}{mark}"), "{}", ran.stderr);
    let piece = json(&env.brv(&["read", "auth/a", "--json"]).stdout)["data"]["pieces"][0].take();
    assert_eq!((&piece["text"], &piece["source"]["in_conflict"]), (&ours.as_str().into(), &true.into()));
    let committed = project(&[("a.md", &marked())]);
    commit(&committed, "as a host merged it");
    let repair = "\n> [in conflict] this is our side of conflict markers in the last commit; `brv vc repair PATH` redoes the merge\n";
    assert_eq!(committed.brv(&["read", "a"]).stdout, format!("{ours}{repair}"));
    for _ in 0..2 {
        let status = committed.brv(&["vc", "status"]).stdout;
        assert!(status.contains("With conflict markers:\n") && status.contains("\ta.md\n"), "{status}");
        let status = committed.brv(&["status", "--json"]).stdout;
        assert_eq!(json(&status)["data"]["marked"], serde_json::json!(["a.md"]));
    }
    assert_eq!(committed.brv(&["vc", "resolve", "a.md", "--ours"]).code, 0);
    assert!(!committed.brv(&["vc", "status"]).stdout.contains("markers"));
    let deleted = merging(&[("b.md", BASE)], &[("b.md", Some(&ours))], &[("b.md", None)]);
    assert_eq!(deleted.brv(&["read", "b"]).stdout, format!("{ours}{mark}"));
}

#[test]
fn what_is_derived_from_recorded_markers_is_derived_from_our_side() {
    let text = "# Tokens\n\n<<<<<<< HEAD\nAccess tokens live fifteen minutes and are renewed by the gateway.\n=======\nAccess tokens live ten minutes and are renewed by the client.\n>>>>>>> topic\n";
    let env = project(&[("auth/tokens.md", text)]);
    commit(&env, "as a host merged it");
    assert_eq!(env.brv(&["derive"]).code, 0);
    let index = read(&env, "auth/_index.md");
    // as many as our side has, which is less than half of the file
    assert!(index.contains("covers_token_total: 20\n") && !index.contains("<<<<"), "{index}");
    assert_eq!(env.brv(&["derive", "--check"]).code, 0);
}

/// Run brv in a terminal of script(1) with typed input.
fn typing(env: &Env, keys: &str) -> Option<Ran> {
    let Some(script) = program("script") else {
        println!("script is not on this machine: skipped");
        return None;
    };
    let mut command = Command::new(script);
    env.prepare(&mut command);
    let line = format!("'{}' vc resolve", env!("CARGO_BIN_EXE_brv"));
    let command = command.env("TERM", "xterm").args(["-q", "-e", "-c", &line, "/dev/null"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(keys.as_bytes()).unwrap();
    Some(Ran::of(&child.wait_with_output().unwrap()))
}

#[cfg(target_os = "linux")]
#[test]
fn at_a_terminal_each_decision_is_shown_and_asked_for() {
    let env = two_blocks();
    let Some(ran) = typing(&env, "t\nwhat?\ns\n") else { return };
    assert_eq!(ran.code, 5, "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("(s)kip, (q)uit?").count(), 3, "{}", ran.stdout);
    assert!(ran.stdout.contains("Eins.") && ran.stdout.contains("A > B"), "{}", ran.stdout);
    assert_eq!(read(&env, "auth/a.md"), marked().replace(&block("One", "First", "Eins"), "Eins.\n"));
    let ran = typing(&env, "q\n").unwrap();
    assert_eq!(ran.code, 5, "{}", ran.stdout);
    let ran = typing(&env, "a\n").unwrap();
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(read(&env, "auth/a.md"), BASE.replace("First", "Eins"));
    assert_eq!(porcelain(&env), "M  auth/a.md");
}

#[cfg(target_os = "linux")]
#[test]
fn at_a_terminal_the_words_that_differ_are_marked_and_the_file_can_be_edited() {
    let sentence = |word: &str| BASE.replace("First.", &format!("Tokens live {word} in the whole cluster."));
    let (base, ours, theirs) = (sentence("60 seconds"), sentence("one minute"), sentence("60 days"));
    let env =
        merging(&[("auth/a.md", &base)], &[("auth/a.md", Some(&ours))], &[("auth/a.md", Some(&theirs))]);
    assert_eq!(env.git(&tree(&env), &["checkout", "-q", "--conflict=diff3", "auth/a.md"]), "");
    let Some(ran) = typing(&env.with("NO_COLOR", "1"), "q\n") else { return };
    assert!(
        ran.stdout.contains("ours   Tokens live [-60 seconds-]{+one minute+} in the whole"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("theirs Tokens live 60 [-seconds-]{+days+} in the whole"), "{}", ran.stdout);

    let env = two_blocks();
    let editor = env.path("editor");
    let script =
        "#!/bin/sh\nsed -i '/^<<<<<<< HEAD/,/^>>>>>>> topic/{/^Eins/!d}; s/^Eins/Eins by hand/' \"$1\"\n";
    std::fs::write(&editor, script).unwrap();
    std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    // the editor resolves the first conflict and removes the second with it
    let env = env.with("GIT_EDITOR", editor.to_str().unwrap());
    let ran = typing(&env, "e\n").unwrap();
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(!ran.stdout.contains("\u{1b}[31m"), "theirs is not red: {:?}", ran.stdout);
    assert_eq!(read(&env, "auth/a.md"), BASE.replace("First", "Eins by hand").replace("Second.\n", ""));
    assert_eq!(porcelain(&env), "M  auth/a.md");
    // brv asks again about a conflict that the editor leaves open, and a failing editor resolves nothing
    let env = two_blocks().with("GIT_EDITOR", "false");
    let ran = typing(&env, "t\ne\no\n").unwrap();
    assert!(ran.stdout.contains("The editor `false` failed."), "{}", ran.stdout);
    assert_eq!(read(&env, "auth/a.md"), BASE.replace("First", "Eins").replace("Second", "Two"));
}

const WHOLE: &str = "---\ntitle: A\ntags: [x]\n---\n\n# A\n\nFirst.\n\n## Facts\n- **a**: one [team]\n";

/// `auth/a.md` unmerged in the index, and on disk as left by a tool that puts markers around whole files.
fn whole_file(ours: &str, theirs: &str) -> Env {
    let env = project(&[]);
    let tree = tree(&env);
    env.commit(&tree, &[("auth/a.md", WHOLE)]);
    let mut lines = "0 0000000000000000000000000000000000000000\tauth/a.md\n".to_owned();
    for (stage, text) in [(1, WHOLE), (2, ours), (3, theirs)] {
        std::fs::write(env.path("version"), text).unwrap();
        let id = env.git(&tree, &["hash-object", "-w", env.path("version").to_str().unwrap()]);
        lines.push_str(&format!("100644 {id} {stage}\tauth/a.md\n"));
    }
    let mut index = env.git_command(&tree);
    let mut index = index.args(["update-index", "--index-info"]).stdin(Stdio::piped()).spawn().unwrap();
    index.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    assert!(index.wait().unwrap().success());
    write(&env, &[("auth/a.md", &format!("<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> topic\n"))]);
    env
}

#[test]
fn a_whole_file_that_another_tool_left_in_conflict_is_merged_by_meaning() {
    let ours = format!("{WHOLE}- **b**: two [team]\n").replace("tags: [x]", "tags: [x, y]");
    let theirs = WHOLE.replace("First.", "The first.");
    let env = whole_file(&ours, &theirs);
    let both = env.brv(&["vc", "resolve", ".brv/context-tree/auth/a.md", "--both"]);
    assert_eq!(both.code, 5, "{}", both.stdout);
    assert!(both.stderr.contains("two frontmatters"), "{}", both.stderr);
    assert!(
        both.stderr.contains("hint: `brv vc resolve PATH --merge` merges the versions by meaning"),
        "{}",
        both.stderr
    );
    assert!(read(&env, "auth/a.md").starts_with("<<<<<<< HEAD\n---\n"), "nothing has changed");
    let list = env.brv(&["vc", "resolve", "--list"]);
    assert!(list.stderr.contains("next: brv vc resolve auth/a.md --merge"), "{}", list.stderr);
    assert_eq!(listed(&env)["files"][0]["mergeable"], true);
    let ran = env.brv(&["vc", "resolve", "auth/a.md", "--merge", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let file = &json(&ran.stdout)["data"]["files"][0];
    assert_eq!((&file["merged"], &file["standing"]), (&true.into(), &"recorded".into()));
    assert_eq!(read(&env, "auth/a.md"), ours.replace("First.", "The first."));
    assert_eq!(porcelain(&env), "M  auth/a.md");
    assert_eq!(env.brv(&["undo"]).code, 0);
    assert!(read(&env, "auth/a.md").starts_with("<<<<<<< HEAD\n"), "the old content is in the operation log");
    assert_eq!(env.brv(&["vc", "resolve", "auth/b.md", "--merge"]).code, 2);
}

#[test]
fn what_the_merge_by_meaning_cannot_decide_is_left_in_its_smallest_part() {
    let (ours, theirs) =
        (WHOLE.replace("First", "Mine"), WHOLE.replace("First", "Yours").replace("[x]", "[x, z]"));
    let env = whole_file(&ours, &theirs);
    let ran = env.brv(&["vc", "resolve", "auth", "--merge"]);
    assert_eq!(ran.code, 5, "{}", ran.stdout);
    assert!(ran.stdout.contains("auth/a.md: merged by meaning, 1 conflict left"), "{}", ran.stdout);
    let text = read(&env, "auth/a.md");
    assert!(text.starts_with("---\ntitle: A\ntags: [x, z]\n---\n") && text.contains("\nMine.\n"), "{text}");
    assert!(listed(&env)["files"][0]["mergeable"].is_null());
    assert_eq!(env.brv(&["vc", "resolve", "auth/a.md", "--pick", "1=theirs"]).code, 0);
    assert_eq!(read(&env, "auth/a.md"), theirs);
}

#[test]
fn a_file_that_one_side_deleted_has_nothing_to_merge() {
    let env = merging(&[("a.md", BASE)], &[("a.md", None)], &[("a.md", Some("# A\n\nOther.\n"))]);
    let ran = env.brv(&["vc", "resolve", "a.md", "--merge"]);
    assert_eq!(ran.code, 5, "{}", ran.stdout);
    assert!(ran.stderr.contains("there are no two versions to merge"), "{}", ran.stderr);
    assert_eq!(porcelain(&env), "DU a.md");
}

#[test]
fn two_versions_put_behind_one_another_by_hand_are_no_decision() {
    let env = whole_file(&WHOLE.replace("First", "Mine"), &WHOLE.replace("First", "Yours"));
    write(&env, &[("auth/a.md", &format!("{WHOLE}\n{WHOLE}"))]);
    let ran = env.brv(&["vc", "resolve", "auth/a.md", "--ours"]);
    assert_eq!(ran.code, 5, "{}", ran.stdout);
    assert!(ran.stderr.contains("has two frontmatters") && ran.stderr.contains("--merge"), "{}", ran.stderr);
    assert_eq!(env.git(&tree(&env), &["ls-files", "--unmerged"]).lines().count(), 3);
}

/// Two fields in conflict, which have no markers, and a paragraph with them.
fn fields() -> (Env, [String; 2]) {
    let side = |word: &str| {
        format!(
            "---\nx: 1\nnotes: |\n  {word}\nm:\n  steps:\n    - run: {word}\ny: 1\n---\n\n# A\n\nThe {word}.\n"
        )
    };
    let (ours, theirs) = (side("ours"), side("theirs"));
    let env = merging(
        &[("a.md", &side("base"))],
        &[("a.md", Some(&ours))],
        &[("a.md", Some(&theirs.replace("y: 1", "y: 2")))],
    );
    (env, [ours.replace("y: 1", "y: 2"), theirs.replace("y: 1", "y: 2")])
}

fn numbers(env: &Env) -> Vec<(u64, String)> {
    let list = listed(env);
    let decisions = list["files"][0]["decisions"].as_array().unwrap();
    let field = |one: &Value| one["place"]["field"].as_str().unwrap_or("block").to_owned();
    decisions.iter().map(|one| (one["number"].as_u64().unwrap(), field(one))).collect()
}

#[test]
fn fields_in_conflict_are_decided_without_markers() {
    let (env, [ours, theirs]) = fields();
    let marked = read(&env, "a.md");
    assert!(marked.starts_with(ours.split("The ours").next().unwrap()), "{marked}");
    let open =
        |list: &[(u64, &str)]| list.iter().map(|(at, name)| (*at, (*name).to_owned())).collect::<Vec<_>>();
    assert_eq!(numbers(&env), open(&[(1, "notes"), (2, "m.steps"), (3, "block")]));
    assert_eq!(env.brv(&["vc", "resolve", "a.md", "--pick", "2=theirs"]).code, 5);
    assert_eq!(read(&env, "a.md"), marked.replace("run: ours", "run: theirs"));
    assert_eq!(numbers(&env), open(&[(1, "notes"), (3, "block")]), "each keeps its number");
    assert_eq!(env.brv(&["vc", "resolve", "a.md", "--both"]).code, 0);
    let text = read(&env, "a.md");
    assert!(text.contains("notes: |\n  ours\n  theirs\nm:\n  steps:\n    - run: theirs\ny: 2\n"), "{text}");
    assert_eq!(porcelain(&env), "M  a.md");
    for (flag, wanted) in [("--ours", ours), ("--theirs", theirs)] {
        let (env, _) = fields();
        assert_eq!(env.brv(&["vc", "resolve", "a.md", flag]).code, 0);
        assert_eq!((read(&env, "a.md"), porcelain(&env).as_str()), (wanted, "M  a.md"), "{flag}");
    }
}

#[test]
fn a_field_in_conflict_is_not_staged_by_the_way() {
    let side = |word: &str| format!("---\nnotes: |\n  {word}\n---\n\n# A\n");
    let [base, ours, theirs] = ["base", "ours", "theirs"].map(side);
    let env = merging(&[("a.md", &base)], &[("a.md", Some(&ours))], &[("a.md", Some(&theirs))]);
    for step in [&["vc", "add", "a.md"][..], &["vc", "add", "-A"], &["vc", "commit", "-am", "all"]] {
        let ran = env.brv(step);
        assert_eq!(ran.code, 5, "{step:?} {}{}", ran.stdout, ran.stderr);
        assert_eq!(porcelain(&env), "UU a.md", "{step:?}");
    }
    let ran = env.brv(&["vc", "add", "a.md"]);
    assert!(ran.stderr.contains("`a.md`: its field `notes` is still in conflict"), "{}", ran.stderr);
    write(&env, &[("a.md", &side("by hand"))]);
    assert_eq!(env.brv(&["vc", "add", "a.md"]).code, 0);
    assert_eq!(porcelain(&env), "M  a.md");
}
