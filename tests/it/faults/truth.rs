//! What must hold after a fault: nothing is lost, git finds nothing wrong, and continuing leads to the same result as
//! without the fault.

use super::scenes::{Again, Scene, Stage};
use crate::env::Ran;
use brv_base::content::ContentId;
use brv_text::derive::stamp::{self, Stamp};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Names of blobs.
type Blobs = BTreeSet<String>;

/// Files with their bytes, refs with their targets, and so on.
type Picture = BTreeMap<String, String>;

/// The results of a scene without faults.
pub struct Reference {
    before: Picture,
    before_blobs: BTreeMap<String, Blobs>,
    after: Picture,
    after_blobs: BTreeMap<String, Blobs>,
    code: i32,
    derived: Picture,
}

/// How the process ended.
#[derive(Debug)]
pub enum Ending<'a> {
    /// Killed, or the power was lost.
    Cut,
    /// It exited by itself, although a call failed.
    Ended(&'a Ran),
    /// It reported success; then the power was lost.
    Done,
}

impl Reference {
    /// Capture the state before the command.
    pub fn begin(stage: &Stage) -> Self {
        Self {
            before: picture(stage),
            before_blobs: all_blobs(stage),
            after: Picture::new(),
            after_blobs: BTreeMap::new(),
            code: 0,
            derived: Picture::new(),
        }
    }

    /// Capture the state after the command.
    pub fn end(&mut self, stage: &Stage, ran: &Ran) -> Result<(), String> {
        self.after = picture(stage);
        self.after_blobs = all_blobs(stage);
        self.code = ran.code;
        contains(&self.before_blobs, &self.after_blobs)?;
        stage.in_project(|| stage.brv("project", &["derive"]));
        self.derived = derived(stage);
        Ok(())
    }

    /// Check everything that must hold. Continues with the scene as a user would.
    pub fn check(&self, stage: &Stage, scene: &Scene, ending: &Ending) -> Result<(), String> {
        contains(&self.before_blobs, &all_blobs(stage)).map_err(|why| format!("at once: {why}"))?;
        fsck(stage)?;
        self.check_word(stage, ending)?;
        stage.unlock_remote();
        self.check_next(stage)?;
        self.check_again(stage, scene)?;
        let blobs = all_blobs(stage);
        contains(&self.before_blobs, &blobs).map_err(|why| format!("in the end: {why}"))?;
        contains(&self.after_blobs, &blobs).map_err(|why| format!("of the result: {why}"))?;
        self.check_later(stage)?;
        fsck(stage)
    }

    /// Exit code and message are true.
    fn check_word(&self, stage: &Stage, ending: &Ending) -> Result<(), String> {
        match ending {
            Ending::Cut => Ok(()),
            Ending::Done => {
                differs(&self.after, &picture(stage)).map_err(|why| format!("was done, but {why}"))
            }
            Ending::Ended(ran) => {
                if ran.stderr.contains("panicked")
                    || ![0..=9, 129..=129].iter().any(|codes| codes.contains(&ran.code))
                {
                    return Err(format!("it ends with {}: {}", ran.code, ran.stderr));
                }
                if ran.code == self.code {
                    differs(&self.after, &picture(stage))
                        .map_err(|why| format!("it ends with {}, but {why}\n{}", ran.code, ran.stderr))?;
                } else if !ran.stderr.lines().any(|line| line.starts_with("error: ")) {
                    return Err(format!("it ends with {} and says: {}", ran.code, ran.stderr));
                }
                let is_denial = ["othing was written", "othing was changed", "othing was merged"];
                if is_denial.iter().any(|words| ran.stderr.contains(words)) {
                    differs(&self.before, &picture(stage))
                        .map_err(|why| format!("it says that nothing was changed, but {why}"))?;
                }
                Ok(())
            }
        }
    }

    /// The next command needs no help, and no file is half written.
    fn check_next(&self, stage: &Stage) -> Result<(), String> {
        let ran = stage.brv("project", &["vc", "status", "--json"]);
        let is_there = stage.is_tree("project/.brv/context-tree");
        if ran.code != 0 && (is_there || ran.code != 3) {
            return Err(format!("`brv vc status` ends with {}: {}{}", ran.code, ran.stdout, ran.stderr));
        }
        if ran.stdout.contains(".brv-tmp-") {
            return Err(format!("a half-written file is reported as the user's: {}", ran.stdout));
        }
        let pending = || stage.git("project/.brv/context-tree", &["for-each-ref", "refs/brv/pending"]);
        if is_there && !pending().is_empty() {
            // the next writing command continues from here, and status shows that
            let is_told =
                ran.stdout.contains("\"interrupted\":") && !ran.stdout.contains("\"interrupted\":null");
            return if is_told {
                Ok(())
            } else {
                Err(format!("`brv vc status` tells nothing of what is pending: {}", ran.stdout))
            };
        }
        for (name, bytes) in picture(stage).iter().filter(|(name, _)| name.starts_with("file ")) {
            let known = [&self.before, &self.after].map(|picture| picture.get(name));
            if !known.contains(&Some(bytes)) {
                return Err(format!("{name} is half written: {bytes:?}"));
            }
        }
        Ok(())
    }

    /// Running the same command again has the same result as without the fault.
    fn check_again(&self, stage: &Stage, scene: &Scene) -> Result<(), String> {
        let is_there = differs(&self.after, &picture(stage)).is_ok();
        if is_there && scene.again == Again::More {
            return Ok(());
        }
        let ran = stage.brv(scene.folder, scene.arguments);
        if !is_there && ran.code != self.code {
            let now = differs(&self.after, &picture(stage));
            // if the next command already finished the operation, there is nothing left to do
            if let Err(why) = now {
                return Err(format!("again, it ends with {}: {}{}\n{why}", ran.code, ran.stdout, ran.stderr));
            }
        }
        differs(&self.after, &picture(stage)).map_err(|why| {
            format!("again, it ends with {} and {why}\n{}{}", ran.code, ran.stdout, ran.stderr)
        })
    }

    /// Work continues: derived files are correct, an edit is committed, and git agrees.
    fn check_later(&self, stage: &Stage) -> Result<(), String> {
        if !stage.is_tree("project/.brv/context-tree") {
            return Ok(());
        }
        let ran = stage.brv("project", &["derive"]);
        if ran.code != 0 {
            return Err(format!("`brv derive` ends with {}: {}", ran.code, ran.stderr));
        }
        differs(&self.derived, &derived(stage)).map_err(|why| format!("derived again: {why}"))?;
        if self.after.keys().any(|name| name.contains("MERGE_HEAD")) {
            return Ok(());
        }
        let said = stage.git("project/.brv/context-tree", &["status", "--porcelain"]);
        stage.write("project/.brv/context-tree/later/note.md", "# Later\n");
        for words in [&["vc", "add", "later"][..], &["vc", "commit", "-m", "later"]] {
            let ran = stage.brv("project", words);
            if ran.code != 0 {
                return Err(format!("{words:?} ends with {}: {}", ran.code, ran.stderr));
            }
        }
        let now = stage.git("project/.brv/context-tree", &["status", "--porcelain"]);
        let unstaged = |text: &str| -> Vec<String> {
            text.lines().filter(|line| !line[1..].starts_with(' ')).map(str::to_string).collect()
        };
        left_over(stage)?;
        if unstaged(&said) != unstaged(&now) {
            return Err(format!("later, git says {now:?} where it said {said:?}"));
        }
        Ok(())
    }
}

/// A dead command leaves nothing that blocks others.
fn left_over(stage: &Stage) -> Result<(), String> {
    let files = super::scenes::files(&stage.path("project/.brv/context-tree"));
    let left = files.into_keys().find(|path| {
        let is_of_git = path.starts_with(".git/");
        if is_of_git { path.ends_with(".lock") } else { path.contains(".brv-tmp-") }
    });
    left.map_or(Ok(()), |left| Err(format!("{left} is left")))
}

fn contains(wanted: &BTreeMap<String, Blobs>, there: &BTreeMap<String, Blobs>) -> Result<(), String> {
    for (repository, blobs) in wanted {
        let there = there.get(repository).cloned().unwrap_or_default();
        if let Some(lost) = blobs.difference(&there).next() {
            return Err(format!("{lost} is lost in {repository}"));
        }
    }
    Ok(())
}

fn differs(wanted: &Picture, there: &Picture) -> Result<(), String> {
    let names: BTreeSet<&String> = wanted.keys().chain(there.keys()).collect();
    let differ: Vec<String> = names
        .into_iter()
        .filter(|name| wanted.get(*name) != there.get(*name))
        .map(|name| format!("{name}: {:?} is {:?}", wanted.get(name), there.get(name)))
        .collect();
    if differ.is_empty() { Ok(()) } else { Err(differ.join("\n")) }
}

fn fsck(stage: &Stage) -> Result<(), String> {
    for repository in stage.repositories() {
        let arguments = ["fsck", "--strict", "--full", "--no-progress", "--no-dangling"];
        let ran = stage.env.try_git(&stage.path(&repository), &arguments);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        if ran.code != 0 || ["error", "missing", "corrupt"].iter().any(|word| said.contains(word)) {
            return Err(format!("git fsck in {repository}: {said}"));
        }
    }
    Ok(())
}

/// Whether brv made the file and can regenerate it.
fn is_derived(path: &str, bytes: &[u8]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_named = ["_index.md", "_manifest.json"].contains(&name)
        || [".abstract.md", ".overview.md"].iter().any(|end| name.ends_with(end));
    // a full copy has no stamp: in the scenes brv made them all
    if path.contains("_archived/") && name.ends_with(".full.md") {
        return true;
    }
    let is_named = is_named || path.contains("_archived/") && name.ends_with(".stub.md");
    // an empty file after the power loss is not a user's file either
    is_named && (matches!(stamp::read(bytes), Stamp::Ours { .. }) || bytes.iter().all(|byte| *byte == 0))
}

fn derived(stage: &Stage) -> Picture {
    let files = super::scenes::files(&stage.root).into_iter();
    files
        .filter(|(path, bytes)| is_derived(path, bytes))
        .map(|(path, bytes)| (path, String::from_utf8_lossy(&bytes).into_owned()))
        .collect()
}

/// For each repository, the blobs in the work tree, the index, commits and operations.
fn all_blobs(stage: &Stage) -> BTreeMap<String, Blobs> {
    let mut all = BTreeMap::new();
    for repository in stage.repositories() {
        let arguments = [
            "rev-list",
            "--objects",
            "--all",
            "--indexed-objects",
            "--filter=object:type=blob",
            "--filter-provided-objects",
            "--no-object-names",
        ];
        let ran = stage.env.try_git(&stage.path(&repository), &arguments);
        all.insert(repository, ran.stdout.lines().map(str::to_string).collect::<Blobs>());
    }
    let tree = "project/.brv/context-tree";
    let here = super::scenes::files(&stage.path(tree)).into_iter();
    let here = here
        .filter(|(path, bytes)| {
            !path.starts_with(".git/") && !path.contains(".brv-tmp-") && !is_derived(path, bytes)
        })
        .map(|(_, bytes)| ContentId::of(&bytes).to_string());
    all.entry(tree.to_string()).or_insert_with(Blobs::new).extend(here);
    all
}

/// Everything in the scene that the user sees, except derived files and signals, which SQLite keeps whole.
fn picture(stage: &Stage) -> Picture {
    let mut picture = Picture::new();
    for (path, bytes) in super::scenes::files(&stage.root) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let inner = path.split_once(".git/").map(|(_, inner)| inner);
        let is_setting = |inner: &str| {
            let is_named = ["config", "info/exclude", "info/attributes", "SQUASH_MSG"].contains(&inner);
            is_named || ["HEAD", "CHERRY_PICK_HEAD"].contains(&inner) || inner.starts_with("MERGE_")
        };
        match inner {
            Some(inner) if is_setting(inner) => drop(picture.insert(format!("setting {path}"), text)),
            Some(_) => {}
            None if path.contains(".brv/state.db") => {}
            // what is kept of dreams for readers of files names operations, whose ids are random
            None if path.contains(".brv/dream") => {}
            None if path.contains(".brv/cache/") || path.contains(".brv-tmp-") => {}
            None if is_derived(&path, &bytes) => {}
            None => drop(picture.insert(format!("file {path}"), text)),
        }
    }
    for (repository, git_dir) in stage.repositories().into_iter().zip(stage.git_dirs()) {
        for (name, target) in refs(&git_dir) {
            picture.insert(format!("ref {repository} {name}"), described(stage, &repository, target));
        }
        if git_dir.join("index").exists() {
            let index = stage.env.try_git(&stage.path(&repository), &["ls-files", "--stage"]).stdout;
            picture.insert(format!("index {repository}"), index);
        }
    }
    picture
}

/// The target of a ref; of a commit that carries the random id of its operation, everything but that id.
fn described(stage: &Stage, repository: &str, target: String) -> String {
    static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = known().get(&target) {
        return text.clone();
    }
    let commit = stage.env.try_git(&stage.path(repository), &["cat-file", "commit", &target]);
    let text = match commit.stdout.contains("\nBrv-Op: ") {
        true => {
            // a dream that begins anew has another name
            let is_random = |line: &&str| line.starts_with("Brv-Op: ") || line.starts_with("Brv-Dream: ");
            commit.stdout.lines().filter(|line| !is_random(line)).collect::<Vec<_>>().join("\n")
        }
        false => target.clone(),
    };
    known().insert(target, text.clone());
    text
}

/// Every ref that is not brv's own, with its target, packed or not.
fn refs(git_dir: &Path) -> Picture {
    let packed = std::fs::read_to_string(git_dir.join("packed-refs")).unwrap_or_default();
    let lines = packed.lines().filter(|line| !line.starts_with(['#', '^']));
    let pairs = lines.filter_map(|line| line.split_once(' '));
    let mut refs: Picture = pairs.map(|(id, name)| (name.to_string(), id.to_string())).collect();
    let loose = super::scenes::files(&git_dir.join("refs")).into_iter();
    refs.extend(loose.filter(|(name, _)| !name.ends_with(".lock")).map(|(name, bytes)| {
        (format!("refs/{name}"), String::from_utf8_lossy(&bytes).trim_end().to_string())
    }));
    refs.retain(|name, _| !name.starts_with("refs/brv/"));
    refs
}

/// Whether the folder is a repository that git can read.
pub fn is_repository(folder: &Path) -> bool {
    ["HEAD", "objects", "refs"].iter().all(|name| folder.join(name).exists())
}
