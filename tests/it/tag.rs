//! `brv vc tag` compared with git's: references and tag objects are equal after each command, and each can be undone.

use crate::env::Env;
use crate::git_parity::Twins;
use crate::init::json;
use std::path::Path;

fn history(env: &Env, tree: &Path) {
    env.git(tree, &["branch", "-M", "main"]);
    env.commit(tree, &[("a.md", "second\n")]);
    env.git(tree, &["tag", "old", "HEAD~1"]);
    env.git(tree, &["tag", "-a", "-m", "A release\n\nWith details.", "v1.9"]);
    env.git(tree, &["switch", "-q", "-c", "side", "HEAD~1"]);
    env.commit(tree, &[("side.md", "side\n")]);
    env.git(tree, &["switch", "-q", "main"]);
}

fn twins() -> Twins {
    Twins::new(&[("a.md", "first\n")], history)
}

fn refs(twins: &Twins) -> String {
    twins.env.git(&twins.ours, &["for-each-ref", "refs/heads", "refs/tags"])
}

#[test]
fn tags_are_made_moved_and_deleted_as_by_git() {
    let twins = twins();
    twins.both("tag plain");
    twins.both("tag at-side side");
    twins.both("tag deep/er main~1");
    twins.both("tag of-a-tag v1.9");
    twins.both("tag of-a-file HEAD:a.md");
    twins.both("tag -a -m words annotated");
    twins.both("tag -m one -m two paragraphs side");
    twins.both("tag -a -m nested nested v1.9");
    twins.both("tag --annotate --message=file of-a-blob HEAD:a.md");
    twins.both("tag -f plain side");
    let ran = twins.both("tag -f -m again v1.9 side");
    assert!(ran.stdout.starts_with("Tag v1.9 is at ") && ran.stdout.contains("(was "), "{}", ran.stdout);
    twins.both("tag -d plain annotated");
    twins.neither("tag plain nothing", 2);
    twins.neither("tag old", 2);
    twins.neither("tag -a -m words old", 2);
    twins.neither("tag deep", 2);
    twins.neither("tag old/er", 2);
    twins.neither("tag a..b", 2);
    twins.neither("tag -d nothing", 2);
    twins.neither("tag one two three", 2);
    twins.env.fsck(&twins.ours);
}

#[test]
fn one_absent_name_among_those_to_delete_changes_nothing() {
    let twins = twins();
    let before = refs(&twins);
    let ran = twins.env.brv(&["vc", "tag", "-d", "old", "nothing"]);
    assert_eq!((ran.code, ran.stderr.contains("there is no tag `nothing`")), (2, true), "{}", ran.stderr);
    let ran = twins.env.brv(&["vc", "tag", "-a", "empty"]);
    assert_eq!((ran.code, ran.stderr.contains("-m")), (2, true), "{}", ran.stderr);
    let ran = twins.env.brv(&["vc", "tag", "-d", "-f", "old"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(refs(&twins), before);
}

#[test]
fn tags_are_listed_as_git_lists_them() {
    let twins = twins();
    for tag in ["v1.10", "v1.2", "a-name-that-is-longer-than-the-column", "x/y"] {
        twins.git(&["tag", tag]);
    }
    twins.git(&["tag", "a-file", "HEAD:a.md"]);
    for line in [
        "tag",
        "tag -l",
        "tag -n",
        "tag -l v1.*",
        "tag -l v1.* old",
        "tag --list x*",
        "tag --sort=version:refname",
        "tag --sort=-v:refname -l v*",
        "tag --sort -refname",
        "tag --sort=creatordate -l old v1.9",
        "tag --contains HEAD~1",
        "tag --no-contains HEAD",
        "tag --merged side",
        "tag --no-merged side -l v*",
        "tag --points-at HEAD",
        "tag --points-at side",
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let ours = twins.env.brv(&[&["vc"], &arguments[..]].concat());
        let theirs = twins.env.git(&twins.theirs, &arguments);
        assert_eq!((ours.code, ours.stdout.trim_end_matches('\n')), (0, theirs.as_str()), "{line}");
    }
    let data = json(&twins.env.brv(&["vc", "tag", "-l", "v1.9", "--json"]).stdout)["data"].clone();
    let tag = &data["tags"][0];
    let git = |what: &str| twins.env.git(&twins.ours, &["rev-parse", what]);
    assert_eq!(tag["object"], git("v1.9"));
    assert_eq!(tag["target"], git("v1.9^{commit}"));
    assert_eq!((&tag["kind"], &tag["annotated"]), (&"commit".into(), &true.into()));
    assert_eq!((&tag["subject"], &tag["tagger"]["name"]), (&"A release".into(), &"Ada".into()));
    assert_eq!(tag["message"], "A release\n\nWith details.\n");
    let made = json(&twins.env.brv(&["vc", "tag", "-m", "x", "new", "--json"]).stdout)["data"].clone();
    assert_eq!((&made["made"]["annotated"], &made["made"]["object"]), (&true.into(), &git("new").into()));
}

#[test]
fn undo_takes_each_change_of_a_tag_back_also_after_git_has_tidied_up() {
    let twins = twins();
    for arguments in [
        &["plain"][..],
        &["-a", "-m", "words", "annotated"],
        &["-f", "old", "side"],
        &["-f", "v1.9", "side"],
        &["-f", "-m", "moved", "v1.9"],
        &["-d", "v1.9", "old"],
    ] {
        let before = refs(&twins);
        let ran = twins.env.brv(&[&["vc", "tag"], arguments].concat());
        assert_eq!(ran.code, 0, "{arguments:?} {}", ran.stderr);
        let after = refs(&twins);
        let tidy = || twins.env.git(&twins.ours, &["gc", "-q", "--prune=now"]);
        tidy();
        let ran = twins.env.brv(&["undo"]);
        assert_eq!((ran.code, refs(&twins)), (0, before.clone()), "{arguments:?} {}", ran.stderr);
        tidy();
        // the undo is an operation, too
        let log = json(&twins.env.brv(&["op", "log", "--json"]).stdout);
        let undo = log["data"]["operations"][0]["id"].as_str().unwrap().to_owned();
        assert_eq!(log["data"]["operations"][1]["kind"], "tag", "{log}");
        let ran = twins.env.brv(&["undo", &undo]);
        assert_eq!((ran.code, refs(&twins)), (0, after), "{arguments:?} {}", ran.stderr);
        let ran = twins.env.brv(&["undo"]);
        assert_eq!((ran.code, refs(&twins)), (0, before), "{arguments:?} {}", ran.stderr);
        twins.env.fsck(&twins.ours);
    }
}

#[test]
fn a_tag_that_moved_on_is_not_taken_back_and_no_record_outlives_its_operation() {
    let twins = twins();
    let run = |arguments: &[&str]| twins.env.brv(arguments);
    assert_eq!(run(&["vc", "tag", "-f", "v1.9", "side"]).code, 0);
    twins.env.git(&twins.ours, &["tag", "-f", "v1.9", "main~1"]);
    let before = refs(&twins);
    let ran = run(&["undo"]);
    assert_eq!((ran.code, ran.stderr.contains("`v1.9` has moved on")), (6, true), "{}", ran.stderr);
    assert_eq!(refs(&twins), before);
    let kept = || twins.env.git(&twins.ours, &["for-each-ref", "--format=%(refname)", "refs/brv/tags"]);
    assert_eq!(kept().lines().count(), 1);
    let ran = run(&["op", "prune", "--path", "a.md"]);
    assert_eq!((ran.code, kept()), (0, String::new()), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_tag_needs_somebody_who_makes_it_only_where_it_says_who() {
    let twins = twins();
    let nobody = |line: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_brv"));
        twins.env.prepare(&mut command);
        for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
            command.env_remove(name);
        }
        crate::env::Ran::of(&command.current_dir(&twins.ours).args(line).output().unwrap())
    };
    assert_eq!(nobody(&["vc", "tag", "light"]).code, 0);
    let ran = nobody(&["vc", "tag", "-m", "x", "heavy"]);
    assert_eq!((ran.code, ran.stderr.contains("user.name")), (1, true), "{}", ran.stderr);
}
