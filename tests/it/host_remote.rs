//! A tree whose remote is the host repository's own: its branches are called `brv/<name>` there, and the code's
//! branches are unchanged. The other side is plain git.

use crate::env::{Env, Ran};
use crate::init::json;
use crate::lab::write;
use std::path::{Path, PathBuf};

struct Team {
    env: Env,
    hub: PathBuf,
}

/// A clone of the host, with a tree in it.
struct Mate<'a> {
    team: &'a Team,
    host: PathBuf,
    tree: PathBuf,
}

impl Team {
    /// A hub with two branches and a tag of code.
    fn new() -> Self {
        let env = Env::new();
        let hub = env.bare("hub.git");
        let team = Self { env, hub };
        team.env.git(team.env.root(), &["clone", "-q", "hub.git", "first"]);
        let first = team.env.path("first");
        team.env.commit(&first, &[("main.c", "int main;\n")]);
        team.env.git(&first, &["tag", "v1"]);
        team.env.git(&first, &["branch", "release"]);
        team.env.git(&first, &["push", "-q", "origin", "main", "release", "v1"]);
        team.env.git(&team.hub, &["symbolic-ref", "HEAD", "refs/heads/main"]);
        team
    }

    /// A teammate clones the code, and gets the knowledge by two commands.
    fn mate(&self, name: &str) -> Mate<'_> {
        self.env.git(self.env.root(), &["clone", "-q", "hub.git", name]);
        let host = self.env.path(name);
        let tree = host.join(".brv/context-tree");
        let mate = Mate { team: self, host, tree };
        mate.run(&["init", "-q"]);
        mate.run(&["vc", "remote", "add", "origin", "--host"]);
        mate
    }

    /// The refs that are not below `brv/`.
    fn code(&self) -> String {
        let refs = self.env.git(&self.hub, &["for-each-ref"]);
        refs.lines().filter(|line| !line.contains("refs/heads/brv/")).collect::<Vec<_>>().join("\n")
    }

    fn there(&self, reference: &str) -> String {
        self.env.try_git(&self.hub, &["rev-parse", "-q", "--verify", reference]).stdout.trim().to_owned()
    }
}

impl Mate<'_> {
    fn brv(&self, arguments: &[&str]) -> Ran {
        self.team.env.brv_in(&self.host, arguments)
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let ran = self.brv(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
        ran
    }

    fn refused(&self, arguments: &[&str], code: i32, words: &str) {
        let ran = self.brv(arguments);
        assert_eq!(ran.code, code, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(words), "{arguments:?}\n{}", ran.stderr);
    }

    fn commit(&self, path: &str, text: &str) -> String {
        write(&self.tree, &[(path, text)]);
        self.run(&["vc", "add", "--all"]);
        self.run(&["vc", "commit", "-m", "edit"]);
        self.head()
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.team.env.git(&self.tree, arguments)
    }

    fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    fn host_is_clean(&self) {
        assert_eq!(self.team.env.git(&self.host, &["status", "--porcelain"]), "");
    }
}

fn upstream(mate: &Mate<'_>) -> (String, u64, u64) {
    let status = json(&mate.run(&["vc", "status", "--json"]).stdout);
    let upstream = &status["data"]["upstream"];
    let number = |key: &str| upstream[key].as_u64().unwrap_or(99);
    (upstream["name"].as_str().unwrap_or_default().to_owned(), number("ahead"), number("behind"))
}

#[test]
fn two_developers_share_knowledge_beside_the_code_whose_branches_stay_as_they_are() {
    let team = Team::new();
    let code = team.code();
    let ada = team.mate("ada");
    let first = ada.commit("auth/a.md", "# A\n\nTokens live a day.\n");
    ada.run(&["vc", "push"]);
    assert_eq!(team.there("refs/heads/brv/main"), first);
    let ben = team.mate("ben");
    ben.run(&["vc", "pull"]);
    assert_eq!((ben.head(), upstream(&ben)), (first, ("origin/main".into(), 0, 0)));
    let objects = ben.git(&["rev-list", "--objects", "--all"]);
    assert!(!objects.contains("main.c"), "no object of the code: {objects}");
    assert_eq!(ben.git(&["tag"]), "");

    // both write; the second one merges
    ada.commit("auth/a.md", "# A\n\nTokens live a day.\n\n## Facts\n\n- **a**: one\n");
    ada.run(&["vc", "push"]);
    ben.commit("ops/b.md", "# B\n");
    ben.refused(&["vc", "push"], 6, "brv vc pull");
    ben.run(&["vc", "fetch"]);
    assert_eq!(upstream(&ben), ("origin/main".into(), 1, 1));
    ben.run(&["vc", "pull"]);
    ben.run(&["vc", "push"]);
    ada.run(&["vc", "pull"]);
    assert_eq!((ada.head(), team.there("refs/heads/brv/main")), (ben.head(), ben.head()));
    assert_eq!(team.code(), code);
    for mate in [&ada, &ben] {
        mate.host_is_clean();
        team.env.fsck(&mate.tree);
    }
}

#[test]
fn branches_come_and_go_by_the_names_that_they_have_here() {
    let team = Team::new();
    let code = team.code();
    let ada = team.mate("ada");
    ada.commit("a.md", "# A\n");
    ada.run(&["vc", "push"]);
    ada.git(&["switch", "-q", "-c", "release"]);
    let topic = ada.commit("t.md", "# T\n");
    let pushed = ada.run(&["vc", "push", "-u", "origin", "release"]);
    assert!(pushed.stdout.contains("now tracks origin/release"), "{}", pushed.stdout);
    assert_eq!(team.there("refs/heads/brv/release"), topic);
    assert_eq!(upstream(&ada), ("origin/release".into(), 0, 0));
    let ben = team.mate("ben");
    ben.run(&["vc", "pull"]);
    ben.run(&["vc", "pull", "origin", "release"]);
    assert_eq!(ben.head(), topic);
    ben.run(&["vc", "fetch", "origin", "release"]);
    ada.run(&["vc", "push", "origin", "HEAD"]);
    ada.run(&["vc", "push", "origin", "HEAD:other", "--force-with-lease=other:"]);
    assert_eq!(team.there("refs/heads/brv/other"), topic);
    ada.run(&["vc", "push", "origin", "--delete", "other"]);
    ada.run(&["vc", "push", "origin", "--delete", "brv/release"]);
    assert_eq!(
        (team.there("refs/heads/brv/other"), team.there("refs/heads/brv/release")),
        Default::default()
    );
    ben.run(&["vc", "fetch", "--prune"]);
    assert_eq!(ben.git(&["for-each-ref", "--format=%(refname)", "refs/remotes"]), "refs/remotes/origin/main");
    ada.run(&["vc", "push", "--all"]);
    assert_eq!(team.there("refs/heads/brv/release"), topic);
    assert_eq!(team.code(), code);
}

#[test]
fn a_push_without_names_sends_the_current_branch_and_no_other() {
    let team = Team::new();
    let ada = team.mate("ada");
    ada.commit("a.md", "# A\n");
    ada.git(&["branch", "private"]);
    let ran = ada.run(&["vc", "push"]);
    assert!(ran.stdout.contains("main -> brv/main"), "{}", ran.stdout);
    assert_eq!(team.there("refs/heads/brv/private"), "");
}

#[test]
fn what_is_the_codes_is_neither_pushed_to_nor_fetched() {
    let team = Team::new();
    let code = team.code();
    let ada = team.mate("ada");
    ada.commit("a.md", "# A\n");
    ada.git(&["tag", "v2"]);
    for arguments in [
        &["vc", "push", "origin", "main:refs/heads/main"][..],
        &["vc", "push", "--force", "origin", "main:refs/heads/main"],
        &["vc", "push", "origin", "--delete", "refs/heads/release"],
        &["vc", "push", "origin", "tag", "v2"],
        &["vc", "push", "--tags"],
        &["vc", "fetch", "origin", "refs/heads/main"],
        &["vc", "fetch", "origin", "refs/heads/*:refs/remotes/code/*"],
        &["vc", "pull", "origin", "refs/heads/main"],
    ] {
        ada.refused(arguments, 6, "only branches in `brv/` belong to the tree");
    }
    ada.refused(&["vc", "fetch", "--tags"], 6, "belong to the code");
    assert_eq!(team.code(), code);
    assert_eq!(team.there("refs/heads/brv/main"), "");
}

#[test]
fn plain_git_in_the_tree_moves_the_same_refs() {
    let team = Team::new();
    let code = team.code();
    let ada = team.mate("ada");
    let first = ada.commit("a.md", "# A\n");
    ada.git(&["push", "-q"]);
    assert_eq!(team.there("refs/heads/brv/main"), first);
    assert_eq!(upstream(&ada), ("origin/main".into(), 0, 0));
    let ben = team.mate("ben");
    ben.git(&["pull", "-q"]);
    assert_eq!(ben.head(), first);
    let second = team.env.commit(&ben.tree, &[("b.md", "# B\n")]);
    ben.git(&["push", "-q", "origin", "main"]);
    assert_eq!(team.there("refs/heads/brv/main"), second);
    ada.git(&["fetch", "-q", "--prune"]);
    assert_eq!(upstream(&ada), ("origin/main".into(), 0, 1));
    ada.run(&["vc", "pull"]);
    assert_eq!(ada.head(), second);
    assert_eq!(ada.git(&["tag"]), "");
    assert_eq!(team.code(), code);
}

#[test]
fn the_hosts_remote_is_the_one_that_its_branch_follows_then_origin_then_the_only_one() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q", "host"]);
    let host = env.path("host");
    env.brv_in(&host, &["init", "-q"]);
    let add = |arguments: &[&str]| {
        env.brv_in(&host, &[&["vc", "remote", "add", "team", "--json"], arguments].concat())
    };
    let url = |ran: &Ran| json(&ran.stdout)["data"]["remotes"][0]["url"].as_str().map(str::to_owned);
    let again = || assert_eq!(env.brv_in(&host, &["vc", "remote", "remove", "team"]).code, 0);

    let none = add(&["--host"]);
    assert_eq!(none.code, 2, "{}", none.stdout);
    assert!(
        json(&none.stdout)["error"]["hint"].as_str().unwrap().contains("git remote add"),
        "{}",
        none.stdout
    );
    env.git(&host, &["remote", "add", "one", "https://me:secret@git.example.org/one.git"]);
    let only = add(&["--host"]);
    assert_eq!(url(&only).as_deref(), Some("https://git.example.org/one.git"));
    assert!(!std::fs::read_to_string(host.join(".brv/context-tree/.git/config")).unwrap().contains("secret"));
    assert_eq!(json(&only.stdout)["data"]["remotes"][0]["host"]["remote"], "one");
    again();
    env.git(&host, &["remote", "add", "two", "../two.git"]);
    let several = add(&["--host"]);
    assert_eq!(
        (several.code, &json(&several.stdout)["error"]["details"]),
        (2, &serde_json::json!(["one", "two"]))
    );
    let named = add(&["--host=two"]);
    assert_eq!(
        url(&named),
        env.path("two.git").to_str().map(str::to_owned),
        "seen from the host's work tree"
    );
    again();
    env.git(&host, &["remote", "add", "origin", "https://git.example.org/origin.git"]);
    assert_eq!(url(&add(&["--host"])).as_deref(), Some("https://git.example.org/origin.git"));
    again();
    for (key, value) in [("branch.main.remote", "two"), ("branch.main.merge", "refs/heads/main")] {
        env.git(&host, &["config", key, value]);
    }
    assert_eq!(url(&add(&["--host"])), env.path("two.git").to_str().map(str::to_owned));
    again();
    assert_eq!(add(&["--host=three"]).code, 2);

    std::fs::create_dir(env.path("alone")).unwrap();
    env.brv_in(&env.path("alone"), &["init", "-q"]);
    let alone = env.brv_in(&env.path("alone"), &["vc", "remote", "add", "origin", "--host"]);
    assert_eq!(alone.code, 2);
    assert!(alone.stderr.contains("is not in a git repository"), "{}", alone.stderr);
}

#[test]
fn a_host_that_moved_is_told_and_followed() {
    let team = Team::new();
    let ada = team.mate("ada");
    ada.commit("a.md", "# A\n");
    ada.run(&["vc", "push"]);
    let moved = team.env.path("moved.git");
    std::fs::rename(&team.hub, &moved).unwrap();
    team.env.git(&ada.host, &["remote", "set-url", "origin", moved.to_str().unwrap()]);
    let listed = ada.run(&["vc", "remote", "--json"]);
    let listed = json(&listed.stdout);
    assert_eq!(listed["data"]["remotes"][0]["host"]["moved_to"], moved.to_str().unwrap());
    assert!(listed["warnings"][0].as_str().unwrap().contains("brv vc remote set-url origin --host"));
    ada.refused(&["vc", "pull"], 9, "brv vc remote set-url origin --host");
    ada.refused(&["vc", "push"], 9, "brv vc remote set-url origin --host");
    ada.refused(&["vc", "fetch"], 9, "brv vc remote set-url origin --host");
    ada.run(&["vc", "remote", "set-url", "origin", "--host"]);
    ada.run(&["vc", "pull"]);
    let listed = json(&ada.run(&["vc", "remote", "--json"]).stdout);
    assert_eq!(listed["warnings"], serde_json::json!([]));
    assert_eq!(Path::new(listed["data"]["remotes"][0]["url"].as_str().unwrap()), moved);
}

#[test]
fn a_remote_under_another_name_keeps_its_ways() {
    let team = Team::new();
    let ada = team.mate("ada");
    ada.commit("a.md", "# A\n");
    ada.run(&["vc", "push"]);
    ada.run(&["vc", "remote", "rename", "origin", "team"]);
    let second = ada.commit("b.md", "# B\n");
    ada.run(&["vc", "push"]);
    assert_eq!(team.there("refs/heads/brv/main"), second);
    assert_eq!(upstream(&ada), ("team/main".into(), 0, 0));
    ada.refused(&["vc", "push", "team", "main:refs/heads/main"], 6, "belong to the tree");
    ada.run(&["vc", "remote", "remove", "team"]);
    let config = std::fs::read_to_string(ada.tree.join(".git/config")).unwrap();
    assert!(!config.contains("team") && !config.contains("brv/"), "{config}");
}

#[test]
fn init_in_a_clone_of_the_code_says_how_to_take_the_knowledge_that_is_there() {
    let team = Team::new();
    let ada = team.mate("ada");
    ada.commit("auth/tokens.md", "# Tokens\n\nThey expire.\n");
    ada.run(&["vc", "push", "-u", "origin", "main"]);
    let bo = team.env.path("bo");
    team.env.git(team.env.root(), &["clone", "-q", "hub.git", "bo"]);
    let line = "The remote of the code has a tree in brv/main: `brv vc remote add origin --host` and `brv vc pull` take it.";
    let ran = team.env.brv_in(&bo, &["init"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.lines().any(|one| one == line), "{}", ran.stdout);
    // again, as long as nobody did
    let data = json(&team.env.brv_in(&bo, &["init", "--json"]).stdout);
    assert_eq!(data["data"]["shared"], "brv/main", "{data}");
    assert_eq!(data["next"], serde_json::json!(["brv vc remote add origin --host", "brv vc pull"]));
    for command in ["vc remote add origin --host", "vc pull"] {
        let ran = team.env.brv_in(&bo, &command.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
    }
    assert!(bo.join(".brv/context-tree/auth/tokens.md").is_file());
    assert!(json(&team.env.brv_in(&bo, &["init", "--json"]).stdout)["data"]["shared"].is_null());
}

#[test]
fn init_names_the_branch_of_a_tree_that_is_not_called_as_the_new_one() {
    let team = Team::new();
    let ada = team.mate("ada");
    ada.commit("auth/tokens.md", "# Tokens\n\nThey expire.\n");
    ada.run(&["vc", "push", "origin", "main:know"]);
    let bo = team.env.path("bo");
    team.env.git(team.env.root(), &["clone", "-q", "hub.git", "bo"]);
    let data = json(&team.env.brv_in(&bo, &["init", "--json"]).stdout);
    let commands = data["next"].as_array().unwrap();
    assert_eq!(commands[1], "brv vc pull origin know", "{data}");
    for command in commands {
        let ran = team.env.brv_in(&bo, &command.as_str().unwrap().split(' ').skip(1).collect::<Vec<_>>());
        assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
    }
    assert!(bo.join(".brv/context-tree/auth/tokens.md").is_file());
    // under the same name it is simply pulled
    let cy = team.env.path("cy");
    team.env.git(team.env.root(), &["clone", "-q", "hub.git", "cy"]);
    let data = json(&team.env.brv_in(&cy, &["init", "-b", "know", "--json"]).stdout);
    assert_eq!(data["next"][1], "brv vc pull", "{data}");
}
