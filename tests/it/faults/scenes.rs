//! The scenes: each writing command, with the state it is made for. A new command gets one entry in [`SCENES`].

use super::truth::is_repository;
use crate::env::{Env, Ran};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A command with its setup.
pub struct Scene {
    /// Its name in the README.
    pub name: &'static str,
    /// Sets up the state before the command.
    pub set: fn(&Stage),
    /// The working directory of the command, below the root.
    pub folder: &'static str,
    /// The arguments of `brv`.
    pub arguments: &'static [&'static str],
    /// Who owns the result.
    pub result: Keeper,
    /// The effect of running it again after it succeeded.
    pub again: Again,
}

/// The effect of running a command again after it succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// Nothing more.
    Same,
    /// Something else: it undoes one more thing.
    More,
}

/// Which program guarantees the result of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeper {
    /// brv: after success, the power may be lost.
    Brv,
    /// git, which only requested a file and syncs none itself.
    Git,
}

const fn scene(
    name: &'static str,
    set: fn(&Stage),
    folder: &'static str,
    arguments: &'static [&'static str],
) -> Scene {
    Scene { name, set, folder, arguments, result: Keeper::Brv, again: Again::Same }
}

const fn step(
    name: &'static str,
    set: fn(&Stage),
    folder: &'static str,
    arguments: &'static [&'static str],
) -> Scene {
    Scene { again: Again::More, ..scene(name, set, folder, arguments) }
}

const IN: &str = "project";

/// A new entry in a new folder, with the overviews of the folders; the second time nothing changes.
const CURATE: &[&str] =
    &["curate", "Keys rotate weekly.", "--into", "ops/keys", "--title", "Rotation", "--reason", "audit"];

/// A file that is there, and one in a folder that is not.
const CONNECT: &[&str] = &["connectors", "install", "claude", "cursor", "--type", "mcp"];

/// All scenes.
pub const SCENES: &[Scene] = &[
    scene("init", empty_host, IN, &["init"]),
    scene("init, taking over a tree", of_another_tool, IN, &["init"]),
    scene("vc clone", only_remote, "", &["vc", "clone", "team.git", "project"]),
    scene("vc add", edited, IN, &["vc", "add", "--all"]),
    scene("vc commit", staged, IN, &["vc", "commit", "-m", "new words"]),
    scene("vc commit -a", edited, IN, &["vc", "commit", "-a", "-m", "new words"]),
    scene("vc commit --amend", staged, IN, &["vc", "commit", "--amend", "-m", "new words"]),
    scene("vc commit, ending a merge", decided, IN, &["vc", "commit", "-m", "both"]),
    scene("vc commit, ending a pick", picked, IN, &["vc", "commit", "-m", "both"]),
    scene("vc fetch", behind, IN, &["vc", "fetch"]),
    scene("vc pull, fast-forward", behind, IN, &["vc", "pull"]),
    scene("vc pull, merging", apart, IN, &["vc", "pull"]),
    scene("vc pull, in conflict", contrary, IN, &["vc", "pull"]),
    scene("vc push", ahead, IN, &["vc", "push", "-u", "origin", "main"]),
    scene("vc push -u", ahead, IN, &["vc", "push", "-u", "origin", "main:shared"]),
    scene("vc merge", topic, IN, &["vc", "merge", "topic"]),
    scene("vc merge --squash", topic, IN, &["vc", "merge", "--squash", "topic"]),
    scene("vc merge --abort", in_conflict, IN, &["vc", "merge", "--abort"]),
    scene("vc merge --continue", decided, IN, &["vc", "merge", "--continue"]),
    scene("vc resolve", in_conflict, IN, &["vc", "resolve", "auth/jwt/token.md", "--ours"]),
    scene("vc repair", merged_by_line, IN, &["vc", "repair", "auth/jwt/token.md"]),
    scene("vc check --fix", flawed, IN, &["vc", "check", "--all", "--fix"]),
    scene("curate", plain, IN, CURATE),
    scene("curate, of a commit", with_code, IN, &["curate", "--commit", "HEAD"]),
    scene("vc sync, merging", apart, IN, &["vc", "sync"]),
    scene("vc branch", plain, IN, &["vc", "branch", "side"]),
    scene("vc branch, renaming", topic, IN, &["vc", "branch", "--move", "main", "trunk"]),
    scene("vc tag, moving", tagged, IN, &["vc", "tag", "-f", "-m", "again", "v1"]),
    scene("vc switch", topic, IN, &["vc", "switch", "topic"]),
    scene("vc switch --force", changed_beside_topic, IN, &["vc", "switch", "--force", "topic"]),
    scene("vc restore", staged, IN, &["vc", "restore", "--source", "HEAD", "--staged", "--worktree", "."]),
    scene("vc reset --hard", staged, IN, &["vc", "reset", "--hard"]),
    scene("vc mv", linked, IN, &["vc", "mv", TOKEN, "auth/token.md"]),
    scene("vc rm --force", staged, IN, &["vc", "rm", "--force", TOKEN]),
    step("vc revert", ahead, IN, &["vc", "revert", "HEAD"]),
    step("undo", committed, IN, &["undo"]),
    step("undo, of a reset", was_reset, IN, &["undo"]),
    scene("dream", doubled, IN, &["dream", "--force"]),
    scene("review reject", marked, IN, &["review", "reject", "0a1b2c3d"]),
    scene("op prune", committed, IN, &["op", "prune", "--path", TOKEN]),
    scene("vc gc", loose, IN, &["vc", "gc", "--prune", "now"]),
    scene("vc remote add", plain, IN, &["vc", "remote", "add", "origin", "../team.git"]),
    scene("vc remote rename", ahead, IN, &["vc", "remote", "rename", "origin", "team"]),
    scene("vc config", plain, IN, &["vc", "config", "user.name", "Grace"]),
    scene("config set", plain, IN, &["config", "set", "--project", "lock.timeout", "5"]),
    scene("archive run", plain, IN, &["archive", "run", "bread/old", "auth/jwt/token"]),
    scene("archive restore", archived, IN, &["archive", "restore", "bread/old"]),
    scene("stale confirm", with_code, IN, &["stale", "confirm", "bread", "auth"]),
    scene("connectors install", connectable, IN, CONNECT),
    scene("derive", underived, IN, &["derive"]),
    Scene {
        result: Keeper::Git,
        ..scene(
            "merge-driver",
            three_files,
            "files",
            &["merge-driver", "base.md", "ours.md", "theirs.md", "a/b.md"],
        )
    },
];

/// The place where a scene is played.
pub struct Stage {
    /// Its environment.
    pub env: Env,
    /// The folder that contains everything.
    pub root: PathBuf,
}

/// Every file below a folder, with its bytes, without following links.
pub fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

impl Stage {
    /// Set up a scene.
    pub fn set(scene: &Scene) -> Self {
        let env = Env::in_memory();
        let root = env.path("run");
        let stage = Self { env, root };
        std::fs::create_dir_all(stage.path(IN)).unwrap();
        (scene.set)(&stage);
        stage
    }

    /// A path in the scene.
    pub fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    /// Run the program.
    pub fn brv(&self, folder: &str, arguments: &[&str]) -> Ran {
        let folder = self.path(folder);
        let folder = if folder.is_dir() { folder } else { self.root.clone() };
        self.env.brv_in(&folder, arguments)
    }

    fn done(&self, folder: &str, arguments: &[&str]) {
        let ran = self.brv(folder, arguments);
        assert_eq!(ran.code, 0, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
    }

    /// Run plain git.
    pub fn git(&self, folder: &str, arguments: &[&str]) -> String {
        self.env.git(&self.path(folder), arguments)
    }

    /// Write a file.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn entry(&self, path: &str, text: &str) {
        self.write(&format!("project/.brv/context-tree/{path}"), text);
    }

    /// Whether brv recognises the folder as a tree.
    pub fn is_tree(&self, folder: &str) -> bool {
        is_repository(&self.path(folder).join(".git"))
    }

    fn known(&self) -> impl Iterator<Item = (&'static str, PathBuf)> {
        let known =
            [(TREE, ".git"), ("team.git", "")].map(|(folder, inner)| (folder, self.path(folder).join(inner)));
        known.into_iter().filter(|(_, git_dir)| is_repository(git_dir))
    }

    /// The folders of the repositories.
    pub fn repositories(&self) -> Vec<String> {
        self.known().map(|(folder, _)| folder.to_string()).collect()
    }

    /// The git directories of the repositories.
    pub fn git_dirs(&self) -> Vec<PathBuf> {
        self.known().map(|(_, git_dir)| git_dir).collect()
    }

    /// The remote's own git met the fault, too; the remote's owner removes its left-over locks.
    pub fn unlock_remote(&self) {
        for name in files(&self.path("team.git")).into_keys().filter(|name| name.ends_with(".lock")) {
            std::fs::remove_file(self.path("team.git").join(name)).unwrap();
        }
    }

    /// Do it if there is a tree.
    pub fn in_project<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        self.is_tree(TREE).then(work)
    }
}

const TREE: &str = "project/.brv/context-tree";
const TOKEN: &str = "auth/jwt/token.md";

fn token(life: &str, note: &str) -> String {
    format!(
        "---\ntitle: Token\nsummary: How long a token lives.\ntags: [auth, jwt]\nkeywords: []\nrelated: []\n\
         createdAt: 2023-01-01T00:00:00Z\nupdatedAt: 2023-01-01T00:00:00Z\n---\n\n## Narrative\n\n{note}\n\n\
         ## Facts\n\n- **access token**: lives {life} [project]\n"
    )
}

fn empty_host(stage: &Stage) {
    stage.git(IN, &["init", "-q"]);
}

fn of_another_tool(stage: &Stage) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees/older");
    for (path, bytes) in files(&from) {
        stage.write(&format!("project/{path}"), &String::from_utf8(bytes).unwrap());
    }
    stage.git(TREE, &["init", "-q"]);
    stage.git(TREE, &["add", "-A"]);
    stage.git(TREE, &["commit", "-q", "-m", "of another tool"]);
}

/// A tree with a few entries, committed.
fn plain(stage: &Stage) {
    stage.done(IN, &["init"]);
    stage.entry(TOKEN, &token("24 hours", "Tokens are short."));
    stage.entry("auth/context.md", "# Auth\n\n## Purpose\n\nWho may do what.\n");
    stage.entry("bread/dough.md", "# Dough\n\nFlour, water, salt.\n");
    stage.entry("bread/old.md", "# Old\n\nNobody needs it.\n");
    stage.done(IN, &["vc", "add", "--all"]);
    stage.done(IN, &["vc", "commit", "-m", "first"]);
}

/// An agent of the project has servers of its own.
fn connectable(stage: &Stage) {
    plain(stage);
    let servers = "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n";
    stage.write("project/.mcp.json", servers);
}

/// The code around the tree has a commit that states something.
fn with_code(stage: &Stage) {
    plain(stage);
    stage.git(IN, &["init", "-q"]);
    stage.git(IN, &["commit", "-q", "--allow-empty", "-m", "keys\n\nFact: rotation: weekly"]);
}

/// An operation of another clone deleted an entry, and marked that for review.
fn marked(stage: &Stage) {
    plain(stage);
    stage.git(TREE, &["rm", "-q", "bread/old.md"]);
    let trailers = "Brv-Op: 20260102T030405.678Z-0a1b2c3d\nBrv-Reason: bread/old.md: stale\nBrv-Review: bread/old.md deleted";
    stage.git(TREE, &["commit", "-q", "-m", &format!("stale\n\n- DELETE bread/old.md: stale\n\n{trailers}")]);
}

/// Two entries that say the same, and a link to the one that goes.
fn doubled(stage: &Stage) {
    plain(stage);
    let text =
        "The dough rests overnight in the cold, so that it rises slowly and tastes of more than yeast.";
    stage.entry("bread/rest.md", &format!("# Rest\n\n{text}\n"));
    stage.entry("bread/cold/rest.md", &format!("# Rest\n\n{text}\n"));
    stage.entry(
        "auth/bakery.md",
        "# Bakery\n\nSee [rest](../bread/rest.md) and [cold](../bread/cold/rest.md).\n",
    );
    stage.done(IN, &["vc", "add", "--all"]);
    stage.done(IN, &["vc", "commit", "-m", "twice"]);
}

fn tagged(stage: &Stage) {
    plain(stage);
    stage.git(TREE, &["tag", "-m", "first", "v1"]);
}

fn edited(stage: &Stage) {
    plain(stage);
    stage.entry(TOKEN, &token("12 hours", "Tokens are short."));
    stage.entry("bread/new.md", "# New\n\nRye.\n");
    std::fs::remove_file(stage.path(TREE).join("bread/old.md")).unwrap();
}

fn staged(stage: &Stage) {
    edited(stage);
    stage.done(IN, &["vc", "add", "--all"]);
    stage.entry("bread/dough.md", "# Dough\n\nNot recorded yet.\n");
}

/// A remote with the content of `plain`, and a project that tracks it.
fn shared(stage: &Stage) {
    plain(stage);
    stage.git("", &["init", "-q", "--bare", "team.git"]);
    stage.git("team.git", &["symbolic-ref", "HEAD", "refs/heads/main"]);
    stage.done(IN, &["vc", "remote", "add", "origin", "../team.git"]);
    stage.done(IN, &["vc", "push", "-u", "origin", "main"]);
}

/// A commit that a colleague pushes.
fn pushed(stage: &Stage, life: &str) {
    stage.git("", &["clone", "-q", "team.git", "colleague"]);
    stage.write(&format!("colleague/{TOKEN}"), &token(life, "Tokens are short."));
    stage.write("colleague/bread/theirs.md", "# Theirs\n\nSpelt.\n");
    std::fs::remove_file(stage.path("colleague/bread/old.md")).unwrap();
    stage.git("colleague", &["add", "-A"]);
    stage.git("colleague", &["commit", "-q", "-m", "theirs"]);
    stage.git("colleague", &["push", "-q", "origin", "main"]);
    std::fs::remove_dir_all(stage.path("colleague")).unwrap();
}

fn only_remote(stage: &Stage) {
    shared(stage);
    std::fs::remove_dir_all(stage.path(IN)).unwrap();
    std::fs::create_dir(stage.path(IN)).unwrap();
}

fn behind(stage: &Stage) {
    shared(stage);
    pushed(stage, "12 hours");
    stage.entry("bread/dough.md", "# Dough\n\nNot recorded.\n");
}

fn apart(stage: &Stage) {
    behind(stage);
    stage.entry(TOKEN, &token("24 hours", "Tokens are short, and signed."));
    stage.entry("bread/ours.md", "# Ours\n\nRye.\n");
    stage.done(IN, &["vc", "add", "auth", "bread/ours.md"]);
    stage.done(IN, &["vc", "commit", "-m", "ours"]);
}

fn contrary(stage: &Stage) {
    shared(stage);
    pushed(stage, "12 hours");
    stage.entry(TOKEN, &token("24 hours", "Tokens are long."));
    stage.done(IN, &["vc", "commit", "-a", "-m", "ours"]);
    stage.git("", &["clone", "-q", "team.git", "colleague"]);
    stage.write(&format!("colleague/{TOKEN}"), &token("12 hours", "Tokens are wide."));
    stage.git("colleague", &["commit", "-q", "-a", "-m", "theirs, too"]);
    stage.git("colleague", &["push", "-q", "origin", "main"]);
    std::fs::remove_dir_all(stage.path("colleague")).unwrap();
    stage.entry("bread/dough.md", "# Dough\n\nNot recorded.\n");
}

fn in_conflict(stage: &Stage) {
    contrary(stage);
    let ran = stage.brv(IN, &["vc", "pull"]);
    assert_eq!(ran.code, 5, "{}{}", ran.stdout, ran.stderr);
}

fn decided(stage: &Stage) {
    in_conflict(stage);
    stage.done(IN, &["vc", "resolve", TOKEN, "--both"]);
}

fn picked(stage: &Stage) {
    contrary(stage);
    stage.done(IN, &["vc", "fetch"]);
    stage.env.try_git(&stage.path(TREE), &["cherry-pick", "origin/main"]);
    assert!(stage.path(TREE).join(".git/CHERRY_PICK_HEAD").exists());
    stage.entry(TOKEN, &token("24 hours", "Tokens are long, and wide."));
    stage.done(IN, &["vc", "add", TOKEN]);
}

fn ahead(stage: &Stage) {
    shared(stage);
    stage.entry("bread/ours.md", "# Ours\n\nRye.\n");
    stage.done(IN, &["vc", "add", "--all"]);
    stage.done(IN, &["vc", "commit", "-m", "ours"]);
}

fn topic(stage: &Stage) {
    plain(stage);
    stage.git(TREE, &["checkout", "-q", "-b", "topic"]);
    stage.entry(TOKEN, &token("12 hours", "Tokens are short."));
    stage.entry("bread/theirs.md", "# Theirs\n\nSpelt.\n");
    std::fs::remove_file(stage.path(TREE).join("bread/old.md")).unwrap();
    stage.done(IN, &["vc", "add", "--all"]);
    stage.done(IN, &["vc", "commit", "-m", "theirs"]);
    stage.git(TREE, &["checkout", "-q", "main"]);
    stage.entry(TOKEN, &token("24 hours", "Tokens are short, and signed."));
    stage.done(IN, &["vc", "commit", "-a", "-m", "ours"]);
    stage.done(IN, &["derive"]);
    stage.entry("bread/dough.md", "# Dough\n\nNot recorded.\n");
}

fn changed_beside_topic(stage: &Stage) {
    topic(stage);
    stage.entry(TOKEN, &token("36 hours", "Nobody recorded this."));
}

fn linked(stage: &Stage) {
    plain(stage);
    stage.entry("bread/dough.md", "# Dough\n\nSee [tokens](../auth/jwt/token.md).\n");
    stage.done(IN, &["vc", "commit", "-a", "-m", "linked"]);
    stage.entry("bread/dough.md", "# Dough\n\nSee [tokens](../auth/jwt/token.md), edited.\n");
}

fn committed(stage: &Stage) {
    staged(stage);
    stage.done(IN, &["vc", "commit", "-m", "second"]);
}

fn archived(stage: &Stage) {
    plain(stage);
    stage.done(IN, &["archive", "run", "bread/old", "auth/jwt/token"]);
}

fn was_reset(stage: &Stage) {
    staged(stage);
    stage.done(IN, &["vc", "reset", "--hard"]);
}

fn merged_by_line(stage: &Stage) {
    plain(stage);
    let base = token("24 hours", "Tokens are short.");
    let tags = |tags: &str| base.replace("tags: [auth, jwt]\n", tags);
    stage.git(TREE, &["checkout", "-q", "-b", "topic"]);
    stage.env.commit(&stage.path(TREE), &[(TOKEN, &tags("tags: [auth, jwt, theirs]\n"))]);
    stage.git(TREE, &["checkout", "-q", "main"]);
    stage.env.commit(&stage.path(TREE), &[(TOKEN, &tags("tags: [auth, jwt, ours]\n"))]);
    stage.git(TREE, &["merge", "-q", "-s", "ours", "-m", "merged by line", "topic"]);
    let marked = "<<<<<<< HEAD\ntags: [auth, jwt, ours]\n=======\ntags: [auth, jwt, theirs]\n>>>>>>> topic\n";
    stage.entry(TOKEN, &tags(marked));
    stage.git(TREE, &["commit", "-q", "-a", "--amend", "--no-edit"]);
    stage.done(IN, &["derive"]);
}

/// A link with one likely target, a character that nobody sees, and a derived file that is committed.
fn flawed(stage: &Stage) {
    plain(stage);
    stage.entry("bread/link.md", "# Link\n\nSee [tokens](token.md).\n");
    stage.entry("bread/hidden.md", "# Hidden\n\nzero\u{200b}width\n");
    stage.entry("_index.md", "# Written by hand\n");
    stage.git(TREE, &["add", "-f", "-A"]);
    stage.git(TREE, &["commit", "-q", "-m", "flaws"]);
}

fn loose(stage: &Stage) {
    ahead(stage);
    stage.git(TREE, &["repack", "-q", "-a", "-d"]);
    stage.entry("bread/more.md", "# More\n\nOats.\n");
    stage.done(IN, &["vc", "add", "--all"]);
    stage.done(IN, &["vc", "commit", "-m", "more"]);
    stage.entry("bread/more.md", "# More\n\nStaged oats.\n");
    stage.done(IN, &["vc", "add", "--all"]);
    stage.git(TREE, &["branch", "side"]);
}

fn underived(stage: &Stage) {
    edited(stage);
    std::fs::remove_file(stage.path(TREE).join("auth/_index.md")).unwrap();
}

fn three_files(stage: &Stage) {
    stage.write("files/base.md", &token("24 hours", "Tokens are short."));
    stage.write("files/ours.md", &token("24 hours", "Tokens are short, and signed."));
    stage.write("files/theirs.md", &token("12 hours", "Tokens are short."));
}
