//! `brv vc mv`: compared with git's, and every link is updated to its moved target.

use crate::env::{Env, tree};
use crate::init::{json, project, write};
use crate::undo;

/// A tree with some committed entries, one of them edited, one staged, one both, and untracked files.
fn stage() -> Env {
    let env = project(&[]);
    let files = ["a.md", "auth/b.md", "auth/c.md", "auth/deep/d.md", "edited.md", "staged.md", "both.md"];
    let texts = files.map(|path| (path, format!("# {path}\n")));
    let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, text.as_str())).collect();
    env.commit(&tree(&env), &texts);
    write(&env, &[("staged.md", "staged\n"), ("both.md", "staged\n"), ("auth/deep/d.md", "staged\n")]);
    env.git(&tree(&env), &["add", "."]);
    write(&env, &[("edited.md", "edited\n"), ("both.md", "edited\n"), ("auth/c.md", "edited\n")]);
    write(&env, &[("new.md", "new\n"), ("auth/deep/new.md", "new\n")]);
    std::fs::create_dir(tree(&env).join("empty")).unwrap();
    env
}

/// Index, status and every file that git sees, with its bytes.
fn state(env: &Env) -> (String, String, Vec<String>) {
    let git = |arguments: &[&str]| env.git(&tree(env), arguments);
    let status = git(&["status", "--porcelain", "--untracked-files=all"]);
    let files = git(&["ls-files", "--cached", "--others", "--exclude-standard"]);
    let mut files: Vec<&str> = files.lines().collect();
    files.dedup();
    let bytes = |path: &&str| format!("{path}: {:?}", std::fs::read(tree(env).join(path)).ok());
    (git(&["ls-files", "-s"]), status, files.iter().map(bytes).collect())
}

#[test]
fn it_moves_and_refuses_what_git_does() {
    for (line, code) in [
        ("a.md z.md", 0),
        ("a.md empty", 0),
        ("a.md edited.md both.md staged.md auth", 0),
        ("edited.md z.md", 0),
        ("staged.md z.md", 0),
        ("both.md auth/z.md", 0),
        ("auth moved", 0),
        ("auth moved/", 0),
        ("auth empty", 0),
        ("auth/deep a.md empty", 0),
        ("auth/deep .", 0),
        ("a.md A.md", 0),
        ("auth Auth", 0),
        ("-f a.md both.md", 0),
        ("-f a.md new.md", 0),
        ("-n a.md z.md", 0),
        ("-k new.md absent.md a.md auth", 0),
        ("-k a.md auth/b.md", 0),
        ("a.md auth/b.md", 6),
        ("a.md new.md", 6),
        ("a.md a.md", 2),
        ("auth auth/deep", 2),
        ("auth auth", 2),
        ("auth/b.md auth", 2),
        ("auth a.md", 6),
        ("empty z", 2),
        ("absent.md z.md", 2),
        ("new.md z.md", 2),
        ("a.md absent/", 2),
        ("a.md edited.md z", 2),
        ("a.md new.md empty", 2),
        ("a.md a.md empty", 2),
        ("a.md edited.md/z.md", 6),
    ] {
        let (ours, gits) = (stage(), stage());
        let arguments: Vec<&str> = line.split(' ').collect();
        let ran = ours.brv(&[&["vc", "mv"], &arguments[..]].concat());
        let theirs = gits.try_git(&tree(&gits), &[&["mv"], &arguments[..]].concat());
        assert_eq!(ran.code, code, "{line}: {}", ran.stderr);
        assert_eq!(code == 0, theirs.code == 0, "{line}: {}", theirs.stderr);
        assert_eq!(state(&ours), state(&gits), "{line}");
        ours.fsck(&tree(&ours));
    }
}

#[test]
fn what_cannot_be_shared_with_everybody_is_refused() {
    let env = stage();
    let before = state(&env);
    for (arguments, reason) in [
        (["a.md", "con.md"], "Windows reserves"),
        (["a.md", "a:b.md"], "not portable"),
        (["auth", "x."], "ends with a dot"),
        (["a.md", "EDITED.md"], "only in case"),
        (["a.md", "Auth/z.md"], "only in case"),
        (["a.md", "z.txt"], "is not managed by brv"),
        (["a.md", "b.abstract.md"], "derived file"),
        (["a.md", "_index.md"], "derived file"),
    ] {
        let ran = env.brv(&["vc", "mv", arguments[0], arguments[1]]);
        assert_eq!(ran.code, 6, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(reason), "{arguments:?}: {}", ran.stderr);
    }
    assert_eq!(state(&env), before);
    assert_eq!(env.git(&tree(&env), &["for-each-ref", "refs/brv/ops/"]), "");
}

/// A missing folder is created; git fails there halfway.
#[test]
fn the_folder_of_a_new_name_is_made() {
    let env = stage();
    assert_eq!(env.brv(&["vc", "mv", "auth/deep", "far/away/deep"]).code, 0);
    let indexed = env.git(&tree(&env), &["ls-files", "far"]);
    assert_eq!(indexed, "far/away/deep/d.md");
    assert!(tree(&env).join("far/away/deep/new.md").exists(), "untracked files move with their folder");
    assert!(!tree(&env).join("auth/deep").exists());
}

/// Entries that link to `auth/token.md` in every way.
fn linked() -> Env {
    let env = project(&[]);
    env.commit(
        &tree(&env),
        &[
            ("auth/token.md", "---\ntitle: Token\nrelated: [auth/keys]\n---\nSee [keys](keys.md#x).\n"),
            (
                "auth/keys.md",
                "---\nrelated: [ \"@auth/token.md#life\",b ] # both\n---\n[t](./token.md 'why')\r\n",
            ),
            ("b.md", "# B\n\n## Relations\n- @auth/token.md (why)\n\n[t](auth/token.md)\n"),
            ("edited.md", "---\nrelated: [auth/token]\n---\nold\n"),
            ("aside.md", "auth/token.md is a word here\n"),
        ],
    );
    write(
        &env,
        &[("edited.md", "---\nrelated: [auth/token]\n---\nnew\n"), ("own.md", "[t](/auth/token.md)\n")],
    );
    env
}

fn read(env: &Env, path: &str) -> String {
    std::fs::read_to_string(tree(env).join(path)).unwrap()
}

#[test]
fn links_are_turned_in_their_own_style_and_all_other_bytes_stay() {
    let env = linked();
    let ran = env.brv(&["vc", "mv", "auth/token.md", "sessions/life.md", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for (path, text) in [
        (
            "sessions/life.md",
            "---\ntitle: Token\nrelated: [auth/keys]\n---\nSee [keys](../auth/keys.md#x).\n",
        ),
        (
            "auth/keys.md",
            "---\nrelated: [ \"@sessions/life.md#life\",b ] # both\n---\n[t](../sessions/life.md 'why')\r\n",
        ),
        ("b.md", "# B\n\n## Relations\n- @sessions/life.md (why)\n\n[t](sessions/life.md)\n"),
        ("edited.md", "---\nrelated: [sessions/life]\n---\nnew\n"),
        ("own.md", "[t](/sessions/life.md)\n"),
        ("aside.md", "auth/token.md is a word here\n"),
    ] {
        assert_eq!(read(&env, path), text, "{path}");
    }
    let status = env.git(&tree(&env), &["status", "--porcelain"]);
    let expected = "M  auth/keys.md\nM  b.md\n M edited.md\nR  auth/token.md -> sessions/life.md\n?? own.md";
    assert_eq!(status.trim_start(), expected.trim_start());
    let data = json(&ran.stdout)["data"].clone();
    let told: Vec<(&str, bool, usize)> = data["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (one["path"].as_str().unwrap(), one["staged"] == true, one["links"].as_array().unwrap().len())
        })
        .collect();
    let expected = [
        ("auth/keys.md", true, 2),
        ("sessions/life.md", true, 1),
        ("b.md", true, 2),
        ("edited.md", false, 1),
        ("own.md", false, 1),
    ];
    assert_eq!(told.len(), expected.len(), "{told:?}");
    assert!(expected.iter().all(|one| told.contains(one)), "{told:?}");
    assert_eq!(
        json(&env.brv(&["links", "--broken", "--json"]).stdout)["data"]["links"],
        serde_json::json!([])
    );
    assert_eq!(env.brv(&["derive", "--check"]).code, 0, "the derived files were regenerated");
}

#[test]
fn a_dry_run_tells_the_same_and_writes_nothing() {
    let env = linked();
    let before = state(&env);
    let dry = env.brv(&["vc", "mv", "-n", "auth", "tokens"]);
    assert_eq!(dry.code, 0, "{}", dry.stderr);
    assert_eq!(state(&env), before);
    assert_eq!(env.git(&tree(&env), &["for-each-ref", "refs/brv/"]), "");
    let done = env.brv(&["vc", "mv", "auth", "tokens"]);
    assert_eq!(dry.stdout, done.stdout);
    assert!(done.stdout.starts_with("auth -> tokens\n"), "{}", done.stdout);
    assert!(done.stdout.contains("links in edited.md (not staged"), "{}", done.stdout);
    assert!(done.stdout.contains("  auth/token -> tokens/token (related)\n"), "{}", done.stdout);
    assert_eq!(
        read(&env, "tokens/token.md"),
        "---\ntitle: Token\nrelated: [tokens/keys]\n---\nSee [keys](keys.md#x).\n"
    );
}

#[test]
fn a_link_that_cannot_say_the_new_path_is_told() {
    let env = linked();
    let ran = env.brv(&["vc", "mv", "auth/token.md", "auth/my token.md"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("`b.md` still links to `auth/token.md` (line 4)"), "{}", ran.stderr);
    assert_eq!(
        read(&env, "b.md"),
        "# B\n\n## Relations\n- @auth/token.md (why)\n\n[t](auth/my%20token.md)\n"
    );
    assert!(read(&env, "edited.md").contains("related: [auth/my token]"), "{}", read(&env, "edited.md"));
}

#[test]
fn all_that_changes_is_in_one_operation() {
    let env = linked();
    let ran = env.brv(&["vc", "mv", "--force", "auth/token.md", "edited.md", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let operation = json(&ran.stdout)["data"]["operation"].as_str().unwrap().to_owned();
    let operations = env.git(&tree(&env), &["for-each-ref", "--format=%(refname)", "refs/brv/ops/"]);
    assert_eq!(operations, format!("refs/brv/ops/{operation}"));
    let show = |name: &str| env.git(&tree(&env), &["show", &format!("{operations}{name}")]);
    assert_eq!(
        show("^1:edited.md"),
        "---\nrelated: [auth/token]\n---\nnew",
        "the replaced file, with its edits"
    );
    assert_eq!(show("^3:0/edited.md"), "---\nrelated: [auth/token]\n---\nold", "and as it was staged");
    assert_eq!(show("^1:own.md"), "[t](/auth/token.md)");
    assert_eq!(show("^2:own.md"), "[t](/edited.md)");
    assert_eq!(
        show(":edited.md"),
        "---\ntitle: Token\nrelated: [auth/keys]\n---\nSee [keys](auth/keys.md#x)."
    );
}

#[test]
fn what_is_in_conflict_stays() {
    let env = linked();
    let git = |arguments: &[&str]| env.try_git(&tree(&env), arguments);
    git(&["commit", "-qam", "ours"]);
    git(&["checkout", "-qb", "other", "HEAD~"]);
    env.commit(&tree(&env), &[("edited.md", "theirs\n")]);
    git(&["-c", "merge.brv.driver=false", "merge", "-q", "main"]);
    assert!(env.git(&tree(&env), &["ls-files", "-u"]).contains("edited.md"));
    let before = state(&env);
    for arguments in [["edited.md", "z.md"], ["aside.md", "edited.md"]] {
        assert_eq!(env.brv(&["vc", "mv", "-f", arguments[0], arguments[1]]).code, 6, "{arguments:?}");
    }
    assert_eq!(state(&env), before);
}

#[test]
fn what_moved_is_told_once() {
    let env = project(&[]);
    let long: String = (0..20).map(|line| format!("line {line}\n")).collect();
    let links = format!("# A\n\n{long}\n[b](b.md)\n");
    env.commit(
        &tree(&env),
        &[("auth/a.md", &links), ("auth/b.md", &long), ("net/c.md", "[a](../auth/a.md)\n")],
    );
    for arguments in [["auth/b.md", "net/b.md"], ["auth/a.md", "net/a.md"], ["net", "safe/net"]] {
        assert_eq!(env.brv(&[&["vc", "mv"], &arguments[..]].concat()).code, 0);
        let id = undo::last(&env);
        let ours = env.brv(&["op", "diff", &id, "--name-status"]).stdout;
        let gits = env.git(&tree(&env), &["diff", "--cached", "-M", "--name-status"]);
        assert_eq!(ours.trim_end(), gits, "{arguments:?}");
        let patch = env.brv(&["op", "diff", &id]).stdout;
        std::fs::write(env.path("moved.patch"), &patch).unwrap();
        let ran = env.try_git(&tree(&env), &["apply", "--index", "--check", "-R", "../../moved.patch"]);
        assert_eq!(ran.code, 0, "{}\n{patch}", ran.stderr);
        let sums = |ran: crate::env::Ran| ran.stdout.lines().last().unwrap_or_default().trim().to_owned();
        let forth = sums(env.brv(&["op", "diff", &id, "--stat"]));
        assert_eq!(forth, env.git(&tree(&env), &["diff", "--cached", "-M", "--shortstat"]).trim());
        let files = json(&env.brv(&["undo", "--dry-run", "--json"]).stdout)["data"]["files"].clone();
        let count = files.as_array().unwrap().len().to_string();
        assert!(forth.starts_with(&format!("{count} file")), "{forth}: {files}");
        env.git(&tree(&env), &["commit", "-q", "-m", "moved"]);
    }
}

#[test]
fn an_undo_takes_every_byte_back() {
    let env = linked();
    assert_eq!(env.brv(&["derive"]).code, 0);
    for arguments in [vec!["auth", "tokens"], vec!["-f", "auth/token.md", "edited.md"], vec!["b.md", "B.md"]]
    {
        let before = undo::state(&env, &tree(&env));
        let ran = env.brv(&[&["vc", "mv"], &arguments[..]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_ne!(undo::state(&env, &tree(&env)), before);
        let ran = env.brv(&["undo"]);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        assert_eq!(undo::state(&env, &tree(&env)), before, "{arguments:?}");
    }
}

const IMAGE: &str = "\u{89}PNG\0image";

/// Entries that show an image, which is tracked; another image is not, nor is a file that a program left beside it.
fn with_images() -> Env {
    let env = project(&[]);
    env.commit(
        &tree(&env),
        &[
            ("auth/a.md", "# A\n\n![flow](img/flow.png) and ![alone](alone.png)\n"),
            ("auth/img/flow.png", IMAGE),
            ("net/b.md", "# B\n\n![flow](../auth/img/flow.png)\n"),
        ],
    );
    write(&env, &[("auth/alone.png", "alone\0"), ("auth/new.md", "# New\n")]);
    env
}

#[test]
fn what_is_recorded_and_no_knowledge_moves_as_in_git() {
    for line in [
        "auth/img/flow.png flow.png",
        "auth/img/flow.png net",
        "auth/img/flow.png auth/img/flow.txt",
        "auth/img img",
        "-f auth/img/flow.png auth/alone.png",
    ] {
        let (ours, gits) = (with_images(), with_images());
        let arguments: Vec<&str> = line.split(' ').collect();
        let ran = ours.brv(&[&["vc", "mv"], &arguments[..]].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{line}");
        gits.git(&tree(&gits), &[&["mv"], &arguments[..]].concat());
        let images = |env: &Env| {
            let (index, _, files) = state(env);
            let is_image = |line: &&str| !line.ends_with(".md");
            let index: Vec<String> = index.lines().filter(is_image).map(str::to_owned).collect();
            (index, files.into_iter().filter(|file| !file.contains(".md: ")).collect::<Vec<_>>())
        };
        assert_eq!(images(&ours), images(&gits), "{line}");
        let broken = json(&ours.brv(&["links", "--broken", "--json"]).stdout);
        assert_eq!(broken["data"]["links"], serde_json::json!([]), "{line}");
        ours.fsck(&tree(&ours));
    }
}

#[test]
fn a_folder_takes_its_recorded_image_along_and_an_undo_brings_all_back() {
    let env = with_images();
    assert_eq!(env.brv(&["derive"]).code, 0);
    let before = undo::state(&env, &tree(&env));
    let ran = env.brv(&["vc", "mv", "auth", "safe/auth"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("`auth/alone.png` is not moved"), "{}", ran.stderr);
    assert_eq!(env.git(&tree(&env), &["ls-files"]), "net/b.md\nsafe/auth/a.md\nsafe/auth/img/flow.png");
    assert_eq!(read(&env, "safe/auth/img/flow.png"), IMAGE);
    assert_eq!(read(&env, "safe/auth/new.md"), "# New\n");
    assert_eq!(read(&env, "auth/alone.png"), "alone\0");
    assert_eq!(read(&env, "net/b.md"), "# B\n\n![flow](../safe/auth/img/flow.png)\n");
    assert!(read(&env, "safe/auth/a.md").contains("(img/flow.png) and ![alone](../../auth/alone.png)"));
    let after = undo::state(&env, &tree(&env));
    for wanted in [&before, &after, &before] {
        let ran = env.brv(&["undo", &undo::last(&env)]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(undo::state(&env, &tree(&env)), *wanted);
    }
    env.fsck(&tree(&env));
}

#[test]
fn what_is_kept_off_the_disk_moves_in_the_index_and_is_kept_off_there_too() {
    let env = with_images();
    let remote = env.bare("remote.git");
    env.git(&tree(&env), &["push", "-q", remote.to_str().unwrap(), "main"]);
    let folder = env.path("other");
    std::fs::create_dir(&folder).unwrap();
    let ran = env.brv_in(&folder, &["vc", "clone", remote.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let clone = folder.join(".brv/context-tree");
    let flags = || env.git(&clone, &["ls-files", "-t"]);
    assert_eq!(flags(), "H auth/a.md\nS auth/img/flow.png\nH net/b.md");
    let ran = env.brv_in(&folder, &["vc", "mv", "auth", "safe"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(flags(), "H net/b.md\nH safe/a.md\nS safe/img/flow.png");
    assert!(!clone.join("safe/img").exists());
    let ran = env.brv_in(&folder, &["undo"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(flags(), "H auth/a.md\nS auth/img/flow.png\nH net/b.md");
    assert_eq!(env.git(&clone, &["status", "--porcelain"]), "");
}

#[test]
fn what_is_no_knowledge_does_not_become_some_by_its_name_alone() {
    let env = with_images();
    let before = state(&env);
    for (arguments, reason) in [
        (["auth/img/flow.png", "flow.md"], "`auth/img/flow.png`: as `flow.md` it has a NUL byte"),
        (["auth/img/flow.png", "_index.md"], "as `_index.md` it has the name of a derived file"),
        (["auth/a.md", "a.txt"], "`auth/a.md`: as `a.txt` it is not managed by brv"),
    ] {
        let ran = env.brv(&["vc", "mv", arguments[0], arguments[1]]);
        assert_eq!(ran.code, 6, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(reason), "{arguments:?}: {}", ran.stderr);
    }
    assert_eq!(state(&env), before);
}
