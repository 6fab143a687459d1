//! Another program saves a file while brv writes it. The save is on disk afterwards, and a command that reports success
//! has its own change on disk, too, and in `HEAD`.

use crate::env::{Env, Ran, program, tree};
use crate::init::{commit, json, project};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn start(env: &Env, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command
        .current_dir(env.root())
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// How a program saves a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Save {
    /// It opens the file, appends to it and closes it.
    Append,
    /// It writes the whole file under another name, and renames that.
    Rename,
}

impl Save {
    /// Append a line. Returns what was written: for a rename the text that was read, and the line.
    pub fn run(self, file: &Path, line: &str) -> String {
        match self {
            Self::Append => {
                let mut file = std::fs::OpenOptions::new().append(true).open(file).unwrap();
                file.write_all(line.as_bytes()).unwrap();
                line.to_owned()
            }
            Self::Rename => {
                let beside = file.with_extension("swp");
                // as editors do: what came while it was written is read first
                let text = loop {
                    let text = std::fs::read_to_string(file).unwrap();
                    std::fs::write(&beside, text.clone() + line).unwrap();
                    if std::fs::read_to_string(file).unwrap() == text {
                        break text;
                    }
                };
                std::fs::rename(beside, file).unwrap();
                text + line
            }
        }
    }
}

/// What became of a fact that was curated while another program saved the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Curated {
    Filed,
    Refused,
    /// It is in `HEAD`, and a program that had looked at the file right before it was written has replaced it right after.
    Replaced,
}

/// Curate a fact while another program saves the entry a moment later.
fn curate_beside(env: &Env, number: u64, save: Save) -> Curated {
    let tree = tree(env);
    let file = tree.join("auth/tokens.md");
    commit_by_hand(env, &tree);
    let head = env.git(&tree, &["rev-parse", "HEAD"]);
    let (fact, line) = (format!("ttl {number}: {number} hours"), format!("\nSaved {number}.\n"));
    let arguments =
        ["curate", "--into", "auth", "--title", "Tokens", "--reason", "audit", "--fact", &fact, "--json"];
    let child = start(env, &arguments);
    std::thread::sleep(Duration::from_micros(number * 7_919 % 60_000));
    let saved = save.run(&file, &line);
    let ran = Ran::of(&child.wait_with_output().unwrap());
    let data = &json(&ran.stdout)["data"];
    let what = format!("{save:?} {number}: {}", ran.stdout);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(line.trim()), "the save is lost: {what}");
    let filed = format!("- **ttl {number}**: {number} hours");
    let committed = env.git(&tree, &["show", "HEAD:auth/tokens.md"]);
    let row = &data["applied"][0];
    match ran.code {
        0 if save == Save::Rename && text == saved && !saved.contains(&filed) => {
            assert!(committed.contains(&filed), "{what}");
            return Curated::Replaced;
        }
        0 => {
            assert!(text.contains(&filed), "the fact is not on disk: {what}");
            // who saved before brv read the file has edited it, and an edited file is not committed
            let is_dirty = data["uncommitted"].as_array().is_some_and(|paths| !paths.is_empty());
            assert_eq!(committed.contains(&filed), !is_dirty, "{what}");
        }
        1 => {
            assert_eq!((&row["status"], &row["code"]), (&"failed".into(), &"changed".into()), "{what}");
            // a program that read what brv had written, before brv took it back, saves it
            assert!(!text.contains(&filed) || saved.contains(&filed), "{what}");
            assert_eq!(env.git(&tree, &["rev-parse", "HEAD"]), head, "{what}");
        }
        _ => panic!("{what}"),
    }
    assert!(no_temporary_files(&tree), "{what}");
    if ran.code == 0 { Curated::Filed } else { Curated::Refused }
}

pub fn commit_by_hand(env: &Env, tree: &Path) {
    env.git(
        tree,
        &[
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@example.com",
            "commit",
            "-qam",
            "saved",
            "--allow-empty",
        ],
    );
}

pub fn no_temporary_files(tree: &Path) -> bool {
    let folders = [tree.to_path_buf(), tree.join("auth")];
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let mut names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    !names.any(|name| name.starts_with(brv_base::fs::TEMPORARY_PREFIX))
}

/// How often the other program saves: `BRV_RACES` says more, and so does `.ci/run`.
fn tries() -> u64 {
    std::env::var("BRV_RACES").ok().and_then(|number| number.parse().ok()).unwrap_or(200)
}

#[test]
fn a_save_beside_a_curation_is_never_lost_and_no_success_is_reported_that_is_not_on_disk_and_in_head() {
    let mut all = Vec::new();
    for save in [Save::Append, Save::Rename] {
        let env = project(&[("auth/tokens.md", "# Tokens\n\nThey expire.\n")]);
        commit(&env, "first");
        all.extend((0..tries() / 2).map(|number| curate_beside(&env, number, save)));
        env.fsck(&tree(&env));
    }
    let count = |wanted: Curated| all.iter().filter(|one| **one == wanted).count();
    assert!(count(Curated::Filed) > 0);
    // no command can see that; it takes a look and a replacement with brv's write between them
    assert!(count(Curated::Replaced) <= all.len() / 100, "{} of {}", count(Curated::Replaced), all.len());
}

/// A command during which another program saves a file.
struct Scene {
    name: &'static str,
    /// What happens before, as arguments of brv.
    before: &'static [&'static [&'static str]],
    command: &'static [&'static str],
    /// The exit code.
    code: i32,
    /// Where the saved line is afterwards; `None`: only in the operation, since the command discards edits.
    saved_in: Option<&'static str>,
    /// What is written anew before the save, in conflict with the command.
    file: &'static str,
}

const fn scene(
    name: &'static str,
    before: &'static [&'static [&'static str]],
    command: &'static [&'static str],
    code: i32,
    saved_in: Option<&'static str>,
) -> Scene {
    Scene { name, before, command, code, saved_in, file: "auth/a.md" }
}

const FACT: &[&str] = &["curate", "--into", "auth", "--title", "A", "--reason", "r", "--fact", "x: y"];

const SCENES: [Scene; 13] = [
    scene("curate", &[], FACT, 1, Some("auth/a.md")),
    scene("archive run", &[], &["archive", "run", "auth/a.md"], 1, Some("auth/a.md")),
    scene("mv", &[], &["vc", "mv", "auth/a.md", "auth/moved.md"], 0, Some("auth/moved.md")),
    scene("rm", &[], &["vc", "rm", "auth/a.md"], 6, Some("auth/a.md")),
    scene("undo", &[FACT], &["undo"], 0, Some("auth/a.md")),
    scene("revert", &[FACT], &["vc", "revert", "HEAD"], 6, Some("auth/a.md")),
    scene("merge", &[], &["vc", "merge", "other"], 6, Some("auth/a.md")),
    scene("pull", &[], &["vc", "pull", ".brv/context-tree", "other"], 6, Some("auth/a.md")),
    scene("switch", &[], &["vc", "switch", "other"], 6, Some("auth/a.md")),
    scene("checkout", &[], &["vc", "checkout", "other"], 6, Some("auth/a.md")),
    scene("restore", &[], &["vc", "restore", "--source", "other", "auth/a.md"], 0, None),
    scene("reset --hard", &[], &["vc", "reset", "--hard", "other"], 0, None),
    scene(
        "resolve",
        &[&["vc", "switch", "other"], &["vc", "merge", "against"]],
        &["vc", "resolve", "auth/a.md", "--ours"],
        0,
        Some("auth/a.md"),
    ),
];

/// A tree with branches that change `auth/a.md`: `other` goes on from `main`, and `against` conflicts with it.
pub fn stage() -> Env {
    let env = project(&[("auth/a.md", "# A\n\nOne.\n\nTwo.\n"), ("auth/b.md", "# B\n")]);
    commit(&env, "first");
    let tree = tree(&env);
    let change = |branch: &str, text: &str| {
        env.git(&tree, &["checkout", "-q", "-B", branch, "main"]);
        std::fs::write(tree.join("auth/a.md"), text).unwrap();
        commit_by_hand(&env, &tree);
    };
    change("other", "# A\n\nOne of theirs.\n\nTwo.\n");
    change("against", "# A\n\nAgainst.\n\nTwo.\n");
    env.git(&tree, &["checkout", "-q", "main"]);
    env
}

/// Run a command slowly enough that a save comes right after it has looked at the file the last time.
fn run_beside_a_save(env: &Env, scene: &Scene) -> Option<Ran> {
    let tree = tree(env);
    let file = tree.join(scene.file);
    let mut command = Command::new(program("strace")?);
    env.prepare(&mut command);
    let delay = |call: &str| format!("inject={call}:delay_enter=60000");
    command.args(["-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=rename,renameat2"]);
    command.args(["-e", &delay("renameat2"), "-e", &delay("rename"), "--", env!("CARGO_BIN_EXE_brv")]);
    command.args(scene.command).current_dir(env.root()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    while no_temporary_files(&tree) && Instant::now() < end && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(!no_temporary_files(&tree), "{}: nothing was moved aside", scene.name);
    Save::Append.run(&file, "\nSaved.\n");
    Some(Ran::of(&child.wait_with_output().unwrap()))
}

fn check(scene: &Scene) -> Result<(), String> {
    let env = stage();
    let tree = tree(&env);
    for arguments in scene.before {
        assert!([0, 5].contains(&env.brv(arguments).code));
    }
    let head = env.git(&tree, &["rev-parse", "HEAD"]);
    let Some(ran) = run_beside_a_save(&env, scene) else {
        println!("skipped: there is no `strace` here");
        return Ok(());
    };
    let mut wrong = String::new();
    if ran.code != scene.code {
        let _ = write!(wrong, "code {} ", ran.code);
    }
    let saved = |path: &PathBuf| std::fs::read_to_string(path).is_ok_and(|text| text.contains("Saved."));
    match scene.saved_in {
        Some(path) if !saved(&tree.join(path)) => wrong.push_str("the save is lost "),
        None if env
            .git(&tree, &["log", "--all", "-m", "--format=%h", "-S", "Saved.", "--", scene.file])
            .is_empty() =>
        {
            wrong.push_str("the save is in no operation ");
        }
        _ => {}
    }
    if ran.code != 0 && env.git(&tree, &["rev-parse", "HEAD"]) != head {
        wrong.push_str("HEAD has moved ");
    }
    if !no_temporary_files(&tree) || tree.join(".git/index.lock").exists() {
        wrong.push_str("something is left ");
    }
    // what a later command finishes was not put back
    if env.try_git(&tree, &["rev-parse", "-q", "--verify", "refs/brv/pending"]).code == 0 {
        wrong.push_str("the operation is pending ");
    }
    env.fsck(&tree);
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("{}: {wrong}{} {}", scene.name, ran.stdout, ran.stderr)),
    }
}

#[test]
fn a_save_right_before_a_file_is_replaced_or_removed_counts_as_one_before_the_command() {
    let wrong: Vec<String> = SCENES.iter().filter_map(|scene| check(scene).err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Run `brv vc rm` and let another program save the file once `rm` has judged it and reads the other entries.
#[cfg(target_os = "linux")]
fn remove_beside_a_save(save: Save, flags: &[&str]) -> Option<(Env, Ran)> {
    use rustix::fs::inotify;
    let env = project(&[("auth/a.md", "# A\n"), ("auth/b.md", "# B\n\nSee [a](a.md).\n")]);
    let tree = tree(&env);
    for path in ["auth/a.md", "auth/b.md"] {
        // older than the index, so that their times tell that nothing changed, and nobody opens them for that
        let file = std::fs::File::options().append(true).open(tree.join(path)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
    }
    commit(&env, "first");
    let (saved, watched) = (tree.join("auth/a.md"), tree.join("auth/b.md"));
    let events = inotify::init(inotify::CreateFlags::CLOEXEC).unwrap();
    inotify::add_watch(&events, &watched, inotify::WatchFlags::OPEN).unwrap();
    let mut command = Command::new(program("strace")?);
    env.prepare(&mut command);
    command.args(["-f", "-o", "/dev/null", "-P", watched.to_str().unwrap(), "-e", "trace=openat"]);
    command.args(["-e", "inject=openat:delay_exit=400000", "--", env!("CARGO_BIN_EXE_brv"), "vc", "rm"]);
    command.args(flags).arg("auth/a.md").current_dir(env.root());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut room = [std::mem::MaybeUninit::uninit(); 512];
    inotify::Reader::new(&events, &mut room).next().unwrap();
    save.run(&saved, "\nSaved.\n");
    Some((env, Ran::of(&child.wait_with_output().unwrap())))
}

#[test]
#[cfg(target_os = "linux")]
fn a_save_while_rm_looks_at_the_other_entries_is_not_what_was_to_be_removed() {
    for save in [Save::Append, Save::Rename] {
        let Some((env, ran)) = remove_beside_a_save(save, &[]) else {
            println!("skipped: there is no `strace` here");
            return;
        };
        assert_eq!(ran.code, 6, "{save:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("auth/a.md"), "{save:?}: {}", ran.stderr);
        let text = std::fs::read_to_string(tree(&env).join("auth/a.md")).unwrap();
        assert_eq!(text, "# A\n\nSaved.\n", "{save:?}");
        // who forces it gets it back from the operation, save and all
        let (env, ran) = remove_beside_a_save(save, &["--force"]).unwrap();
        assert_eq!((ran.code, tree(&env).join("auth/a.md").exists()), (0, false), "{save:?}: {}", ran.stderr);
        assert_eq!(env.brv(&["undo"]).code, 0);
        assert_eq!(std::fs::read_to_string(tree(&env).join("auth/a.md")).unwrap(), "# A\n\nSaved.\n");
    }
}
