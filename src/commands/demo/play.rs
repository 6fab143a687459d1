//! The script of the demo: sharing, joining, edits on both sides, and the check that both end with the same files.
//!
//! Knows the tree that is shown and what each command should do with it.

use super::DemoPerson::{Alice, Bob};
use super::stage::{DemoStage, differences, is_derived};
use super::{DemoPerson, DemoTree, Outcome, Scene};
use brv_engine::{FailureKind, Stop};
use brv_git as git;

/// The entry that both people edit.
const SHARED: &str = "decisions/git/native_push.md";
/// The edit by Alice: the second line is inserted after the first.
const ALICES_EDIT: (&str, &str) = (
    "- **second git library**: none is linked [convention]",
    "- **upstream**: written only after the server has confirmed the branch [convention]",
);
/// The edit by Bob: the first text is replaced by the second.
const BOBS_EDIT: (&str, &str) =
    ("belong to continuous integration.", "run on every change, not only at night.");

/// The entry that Bob adds.
const NEW: &str = "traps/git_environment/file_times.md";
const NEW_TEXT: &str = include_str!("new_entry.md");

/// The edits that Bob proposes: each first text is replaced by the second.
const PROPOSED: [(&str, &str); 2] = [
    ("never has a meaning of its own in brv", "only decides whether a file is read again"),
    ("identity/reproducible_bytes.md]", "identity/reproducible_bytes.md, git/native_push.md]"),
];

/// How many lines of an index are shown: enough for its frontmatter and the first domains.
const LINES_SHOWN: usize = 40;

/// The exit code of a push that was refused because the remote has newer commits.
const REFUSED: i32 = 6;

/// The whole demo, in order.
pub(super) fn play(stage: &mut DemoStage<'_>, tree: DemoTree) -> Result<Outcome, Stop> {
    share(stage, tree)?;
    join(stage)?;
    edit_first(stage)?;
    edit_second(stage)?;
    look(stage)?;
    let outcome = prove(stage)?;
    review(stage)?;
    Ok(outcome)
}

fn share(stage: &mut DemoStage<'_>, tree: DemoTree) -> Result<(), Stop> {
    stage.show(Scene::Part { title: "Alice shares what she knows" });
    let made = git::init_bare(&stage.folder().join("team.git"), "main");
    made.map_err(|error| Stop::because(FailureKind::Failed, &error))?;
    stage.tell("A bare repository, team.git, stands in for a git host.");
    stage.brv(Alice, &["init"])?;
    for (path, bytes) in tree {
        stage.write(Alice, path, bytes)?;
    }
    stage.tell(format!("Alice puts {} files into her tree: knowledge about brv.", tree.len()));
    stage.brv(Alice, &["vc", "add", "."])?;
    stage.brv(Alice, &["vc", "commit", "-m", "What a new developer reads first"])?;
    stage.brv(Alice, &["vc", "remote", "add", "origin", "../team.git"])?;
    stage.brv(Alice, &["vc", "push", "-u", "origin", "main"])
}

fn join(stage: &mut DemoStage<'_>) -> Result<(), Stop> {
    stage.show(Scene::Part { title: "Bob joins: summaries are not sent; his machine generates them" });
    stage.brv_deriving(Bob, &["vc", "clone", "../team.git"])?;
    excerpt(stage, Bob, "_index.md")
}

fn edit_first(stage: &mut DemoStage<'_>) -> Result<(), Stop> {
    stage.show(Scene::Part { title: "Both edit; Alice pushes first" });
    let text = stage.text(Alice, SHARED)?;
    stage.write(Alice, SHARED, with_line_after(&text, ALICES_EDIT).as_bytes())?;
    stage.tell(format!("Alice adds a fact to {SHARED}."));
    stage.brv(Alice, &["vc", "diff"])?;
    stage.brv(Alice, &["vc", "commit", "-a", "-m", "push: when the upstream is written"])?;
    stage.brv(Alice, &["vc", "push"])
}

fn edit_second(stage: &mut DemoStage<'_>) -> Result<(), Stop> {
    let text = stage.text(Bob, SHARED)?;
    stage.write(Bob, SHARED, text.replacen(BOBS_EDIT.0, BOBS_EDIT.1, 1).as_bytes())?;
    stage.write(Bob, NEW, NEW_TEXT.as_bytes())?;
    stage.tell(format!("Bob, without her commit, changes another line of it and writes {NEW}."));
    stage.brv(Bob, &["vc", "add", "."])?;
    stage.brv(Bob, &["vc", "commit", "-m", "traps: file times; push: tested on every change"])?;
    stage.brv_ending(Bob, &["vc", "push"], REFUSED)?;
    stage.tell("Nothing is overwritten: Bob merges her work first.");
    stage.brv_deriving(Bob, &["vc", "pull"])?;
    stage.brv(Bob, &["vc", "push"])
}

fn look(stage: &mut DemoStage<'_>) -> Result<(), Stop> {
    stage.show(Scene::Part { title: "Alice pulls Bob's work and looks at it" });
    stage.brv_deriving(Alice, &["vc", "pull"])?;
    stage.brv(Alice, &["vc", "diff", "--format", "words", "HEAD^2..HEAD", "--", SHARED])?;
    stage.brv(Alice, &["vc", "log", "--oneline"])
}

fn prove(stage: &mut DemoStage<'_>) -> Result<Outcome, Stop> {
    stage.show(Scene::Part { title: "Both have the same files, including the derived ones" });
    for person in [Alice, Bob] {
        stage.brv(person, &["derive", "--check"])?;
    }
    let files = stage.files(Alice)?;
    let paths = differences(&files, &stage.files(Bob)?);
    let folder = stage.folder();
    if !paths.is_empty() {
        let differ = format!("the trees in `{}` differ: {}", folder.display(), paths.join(", "));
        return Err(Stop::failed(differ));
    }
    let derived = files.keys().filter(|path| is_derived(path)).count();
    let folder = folder.to_string_lossy().into_owned();
    Ok(Outcome { folder, files: files.len(), derived, steps: Vec::new() })
}

fn review(stage: &mut DemoStage<'_>) -> Result<(), Stop> {
    stage.show(Scene::Part { title: "Bob proposes a change, and Alice reviews it by meaning" });
    stage.brv(Bob, &["vc", "switch", "-c", "file-times"])?;
    let text = PROPOSED.iter().fold(NEW_TEXT.to_owned(), |text, (old, new)| text.replacen(old, new, 1));
    stage.write(Bob, NEW, text.as_bytes())?;
    stage.tell(format!("Bob corrects a fact of {NEW}, and mistypes a link."));
    stage.brv(Bob, &["vc", "commit", "-a", "-m", "traps: what a file time may decide"])?;
    stage.brv(Bob, &["vc", "push", "-u", "origin", "file-times"])?;
    stage.brv(Bob, &["vc", "switch", "main"])?;
    stage.brv(Alice, &["vc", "fetch"])?;
    stage.brv(Alice, &["vc", "check", "main...origin/file-times"])
}

fn excerpt(stage: &mut DemoStage<'_>, person: DemoPerson, path: &'static str) -> Result<(), Stop> {
    let text = stage.text(person, path)?;
    let lines = text.lines().take(LINES_SHOWN).map(Into::into).collect();
    stage.show(Scene::Shown { person: person.name(), path, lines });
    Ok(())
}

/// `text` with `new` inserted after `line`.
fn with_line_after(text: &str, (line, new): (&str, &str)) -> String {
    text.replacen(line, &format!("{line}\n{new}"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edits_fit_the_tree_and_do_not_touch_each_other() {
        let tree = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/trees/brv");
        let text = std::fs::read_to_string(tree.join(SHARED)).unwrap();
        let line_of = |words: &str| text.lines().position(|line| line.contains(words)).unwrap();
        assert!(line_of(ALICES_EDIT.0).abs_diff(line_of(BOBS_EDIT.0)) > 1);
        assert!(text.matches(ALICES_EDIT.0).count() == 1 && text.matches(BOBS_EDIT.0).count() == 1);
        assert!(!tree.join(NEW).exists());
        assert!(PROPOSED.iter().all(|(old, _)| NEW_TEXT.matches(old).count() == 1));
    }
}
