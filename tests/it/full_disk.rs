//! A full disk: the error names the path and the cause and blames no one else, nothing is lost, and once there is room
//! the same command succeeds.

use crate::env::{Env, Ran, program};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Two clones of a remote with new commits: `behind`, and `apart`, which has its own commit.
struct Lab {
    env: Env,
    /// The size in KiB of the remote's new commits as a pack.
    pack: usize,
}

impl Lab {
    fn new() -> Self {
        let env = Env::new();
        env.bare("team.git");
        env.git(env.root(), &["clone", "-q", "team.git", "author"]);
        let author = env.path("author");
        env.commit(&author, &[("auth/a.md", "# A\n\nTokens live a day.\n")]);
        env.git(&author, &["push", "-q", "origin", "HEAD:main"]);
        env.git(&env.path("team.git"), &["symbolic-ref", "HEAD", "refs/heads/main"]);
        let team = env.path("team.git").display().to_string();
        for name in ["behind", "apart"] {
            assert_eq!(env.brv(&["vc", "clone", "-q", &team, name]).code, 0);
        }
        std::fs::write(env.path("apart/.brv/context-tree/auth/mine.md"), "# Mine\n").unwrap();
        for arguments in [&["vc", "add", "--all"][..], &["vc", "commit", "-m", "mine"]] {
            assert_eq!(env.brv_in(&env.path("apart"), arguments).code, 0);
        }
        let entries: Vec<(String, String)> =
            (0..24).map(|number| (format!("auth/jwt/n{number}.md"), noise(number))).collect();
        let entries: Vec<_> = entries.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        env.commit(&author, &entries);
        env.git(&author, &["push", "-q", "origin", "HEAD:main"]);
        env.git(&env.path("team.git"), &["repack", "-q", "-a", "-d"]);
        let packs = env.path("team.git/objects/pack");
        let packs = std::fs::read_dir(packs).unwrap().map(|entry| entry.unwrap());
        let pack = packs.map(|entry| entry.metadata().unwrap().len()).max().unwrap();
        Self { env, pack: usize::try_from(pack).unwrap() / 1024 }
    }

    /// Run a command in a copy of a project on a disk of this size; `None` if no disk can be mounted. Then make room
    /// and run it again. Returns both results.
    fn run(&self, project: &str, free: usize, arguments: &[&str]) -> Option<[Ran; 2]> {
        let (disk, told) = (self.env.path("disk"), self.env.path("told"));
        for folder in [&disk, &told, &self.env.path("empty")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let words: String = arguments.iter().fold(String::new(), |words, word| words + " " + word);
        let mut script = String::new();
        let _ = write!(
            script,
            "mount -t tmpfs -o size=4m none {disk} || exit 125
             cp -r {project} {disk}/p && cd {disk}/p || exit 125
             room=$(df --output=avail {disk} | tail -n 1)
             head -c $(((room - {free}) * 1024)) /dev/zero >{disk}/filler
             {brv}{words} >{told}/out0 2>{told}/err0; echo $? >{told}/code0
             rm {disk}/filler
             {brv}{words} >{told}/out1 2>{told}/err1; echo $? >{told}/code1
             git -C .brv/context-tree fsck --strict --no-progress >>{told}/err1 2>&1 || echo 99 >{told}/code1",
            disk = disk.display(),
            project = self.env.path(project).display(),
            brv = env!("CARGO_BIN_EXE_brv"),
            told = told.display(),
        );
        let mut command = Command::new(program("unshare")?);
        self.env.prepare(&mut command);
        let done = command.args(["--map-root-user", "--mount", "sh", "-c", &script]).output().unwrap();
        let read = |name: &str| std::fs::read_to_string(told.join(name)).unwrap_or_default();
        if done.status.code() == Some(125) || read("code1").is_empty() {
            println!("skipped: no disk can be mounted: {}", String::from_utf8_lossy(&done.stderr));
            return None;
        }
        let ran = |number: usize| Ran {
            code: read(&format!("code{number}")).trim().parse().unwrap(),
            stdout: read(&format!("out{number}")),
            stderr: read(&format!("err{number}")),
        };
        Some([ran(0), ran(1)])
    }
}

/// A text that does not compress well.
fn noise(seed: u32) -> String {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let mut text = format!("# Entry {seed}\n\n");
    for at in 1..=6_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.push(char::from(b'a' + u8::try_from((state >> 24) % 26).unwrap()));
        if at % 70 == 0 {
            text.push('\n');
        }
    }
    text + "\n"
}

/// The error about a full disk; `None` if there was enough room.
fn cause<'a>(ran: &'a Ran, disk: &Path, what: &str) -> Option<&'a str> {
    let Some(told) = ran.stderr.lines().find(|line| line.contains("No space left on device")) else {
        assert_eq!(ran.code, 0, "{what}: {}{}", ran.stdout, ran.stderr);
        return None;
    };
    assert!(told.contains(&disk.display().to_string()), "{what} names no path: {told}");
    let is_warning = told.starts_with("warning: not all derived files were updated");
    assert_eq!(ran.code, i32::from(!is_warning), "{what}: {}", ran.stderr);
    Some(told)
}

#[test]
fn a_pull_or_sync_on_a_full_disk_names_path_and_cause_and_is_done_once_there_is_room() {
    let lab = Lab::new();
    let mut told = Vec::new();
    for (project, verb) in [("behind", "pull"), ("apart", "sync")] {
        let close = (0..8).map(|step| lab.pack + 4 * step);
        for free in [0, 16, lab.pack / 2].into_iter().chain(close).chain([lab.pack * 2, lab.pack * 4]) {
            let what = format!("{verb} with {free} KiB");
            let Some([full, again]) = lab.run(project, free, &["vc", verb]) else { return };
            told.extend(cause(&full, &lab.env.path("disk"), &what).map(ToOwned::to_owned));
            assert_eq!(again.code, 0, "{what}, again: {}{}", again.stdout, again.stderr);
        }
    }
    assert!(told.iter().any(|line| line.contains("tmp_idx")), "no room for the index of the pack: {told:#?}");
    assert!(told.iter().any(|line| line.contains("references") || line.contains("refs")), "{told:#?}");
    assert!(told.iter().any(|line| line.contains("auth/jwt/n")), "{told:#?}");
}

#[test]
fn a_clone_on_a_full_disk_leaves_nothing_or_says_what_it_could_not_derive() {
    let lab = Lab::new();
    let team = lab.env.path("team.git").display().to_string();
    let mut warned = 0;
    let growing = (4..14).map(|step| lab.pack + 60 * step);
    for free in [0, 40, lab.pack].into_iter().chain(growing) {
        let what = format!("clone with {free} KiB");
        let Some([full, again]) = lab.run("empty", free, &["vc", "clone", &team, "."]) else { return };
        let told = cause(&full, &lab.env.path("disk"), &what);
        if told.is_some() && full.code == 0 {
            warned += 1;
            assert!(full.stderr.contains("next: brv derive"), "{what}: {}", full.stderr);
        }
        // if it succeeded, a second clone to the same place must fail
        assert_eq!(again.code, if full.code == 0 { 6 } else { 0 }, "{what}, again: {}", again.stderr);
    }
    assert!(warned > 0, "no room for derived files");
}

#[test]
fn a_curation_that_failed_on_a_full_disk_does_not_land_later() {
    let lab = Lab::new();
    let arguments =
        ["curate", "Words.", "--into", "auth/new", "--title", "T", "--reason", "r", "--type", "ADD"];
    let (mut failed, mut filed) = (0, 0);
    for free in (0..60).step_by(6).chain((72..132).step_by(12)) {
        let Some([full, again]) = lab.run("apart", free, &arguments) else { return };
        let what =
            format!("{free} KiB: {}{}, again: {}{}", full.stdout, full.stderr, again.stdout, again.stderr);
        assert_eq!(again.stderr.contains("interrupted"), full.stderr.contains("completes it"), "{what}");
        match full.code {
            0 => {
                filed += 1;
                assert!(again.stderr.contains("is there already"), "{what}");
            }
            1 if full.stderr.contains("completes it") => {}
            1 => {
                failed += 1;
                assert_eq!(again.code, 0, "{what}");
            }
            _ => panic!("{what}"),
        }
    }
    assert!(failed > 2 && filed > 0, "{failed} failed, {filed} filed");
}

#[test]
fn a_search_on_a_full_disk_finds_the_same_and_keeps_its_index_once_there_is_room() {
    let lab = Lab::new();
    for free in [0, 4, 8, 12, 16, 24, 40] {
        let Some([full, later]) = lab.run("apart", free, &["search", "tokens", "--no-hits"]) else { return };
        for ran in [&full, &later] {
            assert_eq!(ran.code, 0, "{free} {}", ran.stderr);
            assert!(ran.stdout.contains("auth/a.md"), "{free} {}", ran.stdout);
        }
        assert!(full.stderr.is_empty() || full.stderr.contains("No space left"), "{free} {}", full.stderr);
        assert!(later.stderr.is_empty(), "{free} {}", later.stderr);
        assert_eq!(full.stdout, later.stdout, "{free}");
    }
}
