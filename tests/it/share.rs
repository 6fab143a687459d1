//! `brv vc remote`, `config`, `push`, `fetch`, `pull` and `clone` as a user calls them.

use crate::env::{Env, Ran};
use crate::init::json;
use std::path::{Path, PathBuf};

/// Two projects, `one` and `two`, that share a bare repository with one commit.
struct Team {
    env: Env,
    one: PathBuf,
    two: PathBuf,
}

impl Team {
    fn new() -> Self {
        let env = Env::new();
        let bare = env.bare("knowledge.git");
        let (one, two) = (env.path("one"), env.path("two"));
        std::fs::create_dir(&one).unwrap();
        let team = Self { env, one, two };
        team.run(&team.one, &["init", "-q"]);
        team.write(&team.one, "auth/a.md", "# A\n\nTokens live 24 hours.\n");
        team.commit(&team.one, "first");
        team.run(&team.one, &["vc", "remote", "add", "origin", bare.to_str().unwrap()]);
        team.run(&team.one, &["vc", "push", "-u", "origin", "main"]);
        let cloned = team.run(team.env.root(), &["vc", "clone", bare.to_str().unwrap(), "two"]);
        assert!(cloned.stdout.ends_with("on branch main: 1 file.\n"), "{}", cloned.stdout);
        team
    }

    fn run(&self, folder: &Path, arguments: &[&str]) -> Ran {
        let ran = self.env.brv_in(folder, arguments);
        assert_eq!(ran.code, 0, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
        ran
    }

    fn write(&self, project: &Path, path: &str, text: &str) {
        let path = project.join(".brv/context-tree").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, project: &Path, path: &str) -> String {
        std::fs::read_to_string(project.join(".brv/context-tree").join(path)).unwrap()
    }

    fn commit(&self, project: &Path, message: &str) {
        self.run(project, &["vc", "add", "--all"]);
        self.run(project, &["vc", "commit", "-m", message]);
    }
}

#[test]
fn what_one_pushes_the_other_pulls_and_derives() {
    let team = Team::new();
    team.write(&team.two, "auth/b.md", "# B\n\nKeys rotate monthly.\n");
    team.commit(&team.two, "second");
    let pushed = team.run(&team.two, &["vc", "push"]);
    assert!(pushed.stdout.starts_with("To origin\n   "), "{}", pushed.stdout);
    let planned = team.run(&team.one, &["vc", "pull", "--dry-run"]);
    assert!(
        planned.stdout.starts_with("Would fast-forward to origin/main\n + auth/b  \"B\"\n"),
        "{}",
        planned.stdout
    );
    assert!(!team.one.join(".brv/context-tree/auth/b.md").exists());
    let pulled = json(&team.run(&team.one, &["vc", "pull", "--json"]).stdout);
    assert_eq!(pulled["data"]["relation"], "fast_forward");
    assert_eq!(pulled["data"]["files"][0]["added"], 3);
    let derived: Vec<&str> = pulled["data"]["derived"]["written"]
        .as_array()
        .unwrap()
        .iter()
        .map(|path| path.as_str().unwrap())
        .collect();
    assert!(derived.contains(&"auth/_index.md") && derived.contains(&"auth/b.abstract.md"), "{derived:?}");
    assert_eq!(team.run(&team.one, &["vc", "pull"]).stdout, "Already up to date.\n");
    assert_eq!(team.run(&team.one, &["vc", "push"]).stdout, "Everything is up to date.\n");
}

#[test]
fn a_push_that_would_lose_commits_is_refused_and_says_what_to_do() {
    let team = Team::new();
    for (project, message) in [(&team.one, "here"), (&team.two, "there")] {
        team.write(project, &format!("{message}.md"), message);
        team.commit(project, message);
    }
    team.run(&team.one, &["vc", "push"]);
    let refused = team.env.brv_in(&team.two, &["vc", "push"]);
    assert_eq!(refused.code, 6);
    assert!(refused.stdout.contains(" ! [rejected] main ("), "{}", refused.stdout);
    assert!(refused.stderr.contains("hint: the remote has commits that are not here"), "{}", refused.stderr);
    let refused = json(&team.env.brv_in(&team.two, &["vc", "push", "--json"]).stdout);
    assert_eq!((&refused["ok"], &refused["error"]["code"]), (&false.into(), &"refused".into()));
    assert_eq!(refused["data"]["refs"][0]["status"], "rejected");
    team.run(&team.two, &["vc", "pull"]);
    team.run(&team.two, &["vc", "push"]);
}

#[test]
fn conflicts_are_exit_5_until_they_are_decided() {
    let team = Team::new();
    for (project, hours) in [(&team.one, "6"), (&team.two, "7")] {
        team.write(project, "auth/a.md", &format!("# A\n\nTokens live {hours} hours.\n"));
        team.commit(project, hours);
    }
    team.run(&team.one, &["vc", "push"]);
    let pulled = team.env.brv_in(&team.two, &["vc", "pull", "--json"]);
    assert_eq!(pulled.code, 5);
    let pulled = json(&pulled.stdout);
    assert_eq!(pulled["error"]["code"], "conflict");
    assert_eq!(pulled["data"]["conflicts"][0]["path"], "auth/a.md");
    assert!(team.read(&team.two, "auth/a.md").contains("<<<<<<< "));
    assert_eq!(team.env.brv_in(&team.two, &["vc", "commit", "-m", "x"]).code, 5);
    assert_eq!(team.run(&team.two, &["vc", "status", "--porcelain"]).stdout, "UU auth/a.md\n");
    team.write(&team.two, "auth/a.md", "# A\n\nTokens live 7 hours.\n");
    team.run(&team.two, &["vc", "add", "auth/a.md"]);
    team.run(&team.two, &["vc", "commit"]);
    team.run(&team.two, &["vc", "push"]);
    let tree = team.two.join(".brv/context-tree");
    assert_eq!(team.env.git(&tree, &["rev-list", "--merges", "--count", "origin/main"]), "1");
}

#[test]
fn local_edits_in_the_way_are_named_and_kept() {
    let team = Team::new();
    team.write(&team.one, "auth/a.md", "# A\n\nTokens live 6 hours.\n");
    team.commit(&team.one, "six");
    team.run(&team.one, &["vc", "push"]);
    team.write(&team.two, "auth/a.md", "mine\n");
    let pulled = team.env.brv_in(&team.two, &["vc", "pull"]);
    assert_eq!(pulled.code, 6);
    assert!(pulled.stderr.contains("\n  auth/a.md\n"), "{}", pulled.stderr);
    assert_eq!(team.read(&team.two, "auth/a.md"), "mine\n");
}

#[test]
fn what_must_not_leave_is_blocked_by_line() {
    let team = Team::new();
    team.write(&team.one, "auth/a.md", "# A\n\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n");
    team.commit(&team.one, "left over");
    let blocked = team.env.brv_in(&team.one, &["vc", "push"]);
    assert_eq!(blocked.code, 7);
    assert!(blocked.stderr.contains("  BRV001 auth/a.md:3:1 "), "{}", blocked.stderr);
    assert!(blocked.stderr.contains(" unresolved conflict markers (commit "), "{}", blocked.stderr);
    team.run(&team.one, &["vc", "push", "--no-verify"]);
}

#[test]
fn remotes_are_listed_and_changed() {
    let env = Env::new();
    let ran = |arguments: &[&str]| env.brv(&[&["vc", "remote"], arguments].concat());
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    assert_eq!(ran(&[]).stdout, "");
    let secret = "https://ada:secret@git.example.org/k.git";
    assert_eq!(ran(&["add", "origin", secret]).code, 0);
    assert_eq!(ran(&["add", "origin", secret]).code, 2);
    assert_eq!(ran(&["rename", "origin", "team"]).code, 0);
    assert_eq!(ran(&[]).stdout, "team\n");
    let listed = ran(&["-v"]).stdout;
    assert!(
        listed.starts_with("team\thttps://") && listed.ends_with("git.example.org/k.git (push)\n"),
        "{listed}"
    );
    assert!(!listed.contains("secret"), "{listed}");
    assert_eq!(ran(&["set-url", "team", "https://git.example.org/n.git"]).code, 0);
    assert_eq!(
        json(&ran(&["list", "--json"]).stdout)["data"]["remotes"][0]["url"],
        "https://git.example.org/n.git"
    );
    assert_eq!(ran(&["rm", "team"]).code, 0);
    assert_eq!(ran(&["remove", "team"]).code, 2);
}

#[test]
fn settings_are_read_and_written_in_both_of_gits_forms() {
    let env = Env::new();
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    let ran = |arguments: &[&str]| env.brv(&[&["vc", "config"], arguments].concat());
    assert_eq!(ran(&["get", "user.name"]).code, 1);
    assert_eq!(ran(&["user.name", "Bob"]).code, 0);
    assert_eq!(ran(&["user.name"]).stdout, "Bob\n");
    assert_eq!(ran(&["set", "user.name", "Bea"]).code, 0);
    assert_eq!(env.git(&env.path(".brv/context-tree"), &["config", "user.name"]), "Bea");
    assert!(ran(&["list"]).stdout.contains("user.name=Bea\n"));
    let got = json(&ran(&["get", "user.name", "--json"]).stdout);
    assert_eq!(got["data"]["setting"]["origin"], "repository");
    assert_eq!(ran(&["unset", "user.name"]).code, 0);
    assert_eq!(ran(&["nonsense", "x"]).code, 2);
}

#[test]
fn a_remote_that_is_not_there_is_exit_9() {
    let env = Env::new();
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    assert_eq!(env.brv(&["vc", "fetch"]).code, 2);
    let cloned = env.brv(&["vc", "clone", "http://127.0.0.1:1/k.git", "two", "--json"]);
    assert_eq!(cloned.code, 9);
    assert_eq!(json(&cloned.stdout)["error"]["code"], "remote");
    assert!(!env.path("two").exists(), "nothing is left behind");
}
