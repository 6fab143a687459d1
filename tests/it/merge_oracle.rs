//! git as the oracle of line merges: thousands of generated files, merged by one process of git and by brv.
//!
//! The process is `git checkout --conflict`, which recreates the conflicts of an unfinished merge and calls the same
//! code as `git merge-file`. `git merge` itself is different: it uses the histogram algorithm, whatever its options.
//! The style is `zdiff3`, and where brv finds that both sides of a conflict are equal, the plain one, which does so,
//! too.

use crate::env::Env;
use brv_text::merge::{Additions, Disputes, Format, Names, Outcome, Rules, Undecided, Versions, merge};
use bstr::ByteSlice as _;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

/// The number of files of ordinary length.
const SHORT: usize = 2000;
/// The number of short files with similar lines.
const ALIKE: usize = 1000;
/// The number of files long enough for every shortcut of the search.
const LONG: usize = 24;
/// One in this many is also merged by `git merge-file`, which takes a process each.
const BY_FILE: usize = 100;
/// The folder of git's repository.
const REPOSITORY: &str = "oracle";

#[test]
fn lines_are_merged_as_git_merges_them() {
    let triples = triples();
    let env = Env::new();
    let git = Oracle::new(&env, &triples);
    let mut merged = git.merged("zdiff3", &git.all());
    let outcomes: Vec<Outcome> = triples.iter().map(Triple::merged).collect();
    let marked: Vec<usize> = git.all().into_iter().filter(|&number| has_markers(&merged[number])).collect();
    let agreed: Vec<usize> = marked.iter().copied().filter(|&number| outcomes[number].is_clean()).collect();
    assert!(agreed.contains(&0), "the first is such a case");
    for (&number, plain) in agreed.iter().zip(git.merged("merge", &agreed)) {
        merged[number] = plain;
    }

    let mut faults = String::new();
    for (number, (outcome, git)) in outcomes.iter().zip(&merged).enumerate() {
        let conflicted = has_markers(git);
        let (mut brv, mut git) = (outcome.bytes.clone(), git.clone());
        if conflicted {
            (brv, git) = (without_returns(&brv), without_agreed(without_returns(&git)));
        }
        if outcome.is_clean() == conflicted || brv != git {
            let [git, brv] = [git, brv].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            writeln!(faults, "{number}: git has\n{git}brv has\n{brv}").unwrap();
        }
    }
    assert!(faults.is_empty(), "{faults}");
    let (all, marked) = (triples.len(), marked.len());
    assert!(
        marked > all / 5 && marked < all * 4 / 5,
        "{marked} of {all} conflicts have content on both sides"
    );
}

#[test]
fn the_process_that_merges_all_files_is_as_good_as_merge_file() {
    let triples: Vec<Triple> = triples().into_iter().step_by(BY_FILE).collect();
    let env = Env::new();
    let git = Oracle::new(&env, &triples);
    let merged = git.merged("zdiff3", &git.all());
    for (triple, merged) in triples.iter().zip(merged) {
        for (name, bytes) in [("base", &triple.base), ("ours", &triple.ours), ("theirs", &triple.theirs)] {
            std::fs::write(env.path(name), bytes).unwrap();
        }
        let labels = ["-Lours", "-Lbase", "-Ltheirs", "ours", "base", "theirs"];
        let mut command = env.git_command(env.root());
        let output = command.args(["merge-file", "-p", "--zdiff3"]).args(labels).output().unwrap();
        assert_eq!(output.stdout, merged);
    }
}

/// Generated lines contain no `<`.
fn has_markers(bytes: &[u8]) -> bool {
    bytes.contains(&b'<')
}

/// In a CRLF file git ends its markers with CRLF, too; the ending of a marker does not matter for the comparison.
fn without_returns(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().filter(|byte| *byte != b'\r').collect()
}

/// Remove conflicts between two empty sides.
fn without_agreed(mut bytes: Vec<u8>) -> Vec<u8> {
    const MARKERS: [&[u8]; 2] = [b"<<<<<<< ours\n||||||| base\n", b"=======\n>>>>>>> theirs\n"];
    let mut from = 0;
    while let Some(start) = bytes[from..].find(MARKERS[0]).map(|at| from + at) {
        let middle = start + bytes[start..].find("=======\n").unwrap();
        if bytes[middle..].starts_with(MARKERS[1]) {
            bytes.drain(start..middle + MARKERS[1].len());
            from = start;
        } else {
            from = middle;
        }
    }
    bytes
}

fn triples() -> Vec<Triple> {
    let mut random = Random(4);
    let mut triples = vec![Triple {
        base: b"c\nc\nc\nc\nb\n".to_vec(),
        ours: b"c\na\nc\na\nc\nb\n".to_vec(),
        theirs: b"c\na\nc\na\nc\nb\nb\nc\n".to_vec(),
    }];
    triples.extend((0..SHORT).map(|_| Triple::short(&mut random)));
    triples.extend((0..ALIKE).map(|_| Triple::alike(&mut random)));
    triples.extend((0..LONG).map(|_| Triple::long(&mut random)));
    triples
}

/// Three versions of one file.
pub struct Triple {
    pub base: Vec<u8>,
    pub ours: Vec<u8>,
    pub theirs: Vec<u8>,
}

impl Triple {
    fn merged(&self) -> Outcome {
        self.merged_as(Format::Lines)
    }

    /// The merge by brv, with the labels of git's result.
    pub fn merged_as(&self, format: Format) -> Outcome {
        let versions = Versions { base: Some(&self.base), ours: &self.ours, theirs: &self.theirs };
        let rules = Rules {
            names: Names { base: "base", ours: "ours", theirs: "theirs" },
            committed: [0, 0],
            undecided: Undecided::Mark,
            disputes: Disputes::Keep,
            additions: Additions::Sorted,
            format,
        };
        merge(&versions, &rules)
    }

    /// Notes of up to about eighty lines, with a few edits of each side.
    fn short(random: &mut Random) -> Self {
        let lines = if random.one_in(20) { Vec::new() } else { random.notes(12) };
        let edits = 1 + random.below(4);
        Self::edited(random, lines, edits)
    }

    /// Lines of three kinds, so that there are many ways to align them; the sides agree on the first lines.
    fn alike(random: &mut Random) -> Self {
        let mut text =
            |most| (0..random.below(most)).map(|_| ["a\n", "b\n", "\n"][random.below(3)]).collect();
        let (base, begin): (String, String) = (text(24), text(12));
        let [ours, theirs] = [begin.clone() + &text(8), begin + &text(8)].map(String::into_bytes);
        Self { base: base.into_bytes(), ours, theirs }
    }

    /// Notes of thousands of lines, rewritten in hundreds of places.
    fn long(random: &mut Random) -> Self {
        let lines = random.notes(700);
        let edits = 20 + random.below(400);
        Self::edited(random, lines, edits)
    }

    fn edited(random: &mut Random, base: Vec<String>, edits: usize) -> Self {
        let (mut ours, mut theirs) = (base.clone(), base.clone());
        for _ in 0..edits {
            match random.below(8) {
                0 => {
                    let seed = random.next();
                    Random(seed).edit(&mut ours);
                    Random(seed).edit(&mut theirs);
                }
                1..=4 => random.edit(&mut ours),
                _ => random.edit(&mut theirs),
            }
            if random.one_in(2) {
                random.edit(&mut theirs);
            }
        }
        let end = if random.one_in(12) { "\r\n" } else { "\n" };
        let mut bytes = |lines: &[String]| {
            let mut bytes = lines.iter().fold(String::new(), |text, line| text + line + end).into_bytes();
            if random.one_in(12) {
                bytes.truncate(bytes.len().saturating_sub(end.len()));
            }
            if random.one_in(40) {
                bytes.iter_mut().filter(|byte| **byte == b'z').for_each(|byte| *byte = 0xe9);
            }
            bytes
        };
        Self { base: bytes(&base), ours: bytes(&ours), theirs: bytes(&theirs) }
    }
}

/// SplitMix64: the same files on every machine.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap()
    }

    pub fn one_in(&mut self, chance: usize) -> bool {
        self.below(chance) == 0
    }

    pub fn words(&mut self, most: usize) -> String {
        const WORDS: [&str; 16] = [
            "the", "cache", "is", "zero", "tokens", "expire", "after", "a", "retry", "of", "each", "queue",
            "and", "never", "key", "holds",
        ];
        let count = 1 + self.below(most);
        (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }

    fn line(&mut self) -> String {
        match self.below(12) {
            0 => String::new(),
            1 => format!("- {}", self.words(2)),
            2 => format!("  - {}", self.words(2)),
            3 => "- [ ] open".to_owned(),
            4 => "---".to_owned(),
            5 => format!("## {}", self.words(1)),
            6 => "\tindented".to_owned(),
            _ => self.words(9),
        }
    }

    /// Paragraphs, lists and headings, with repeated lines.
    fn notes(&mut self, paragraphs: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for _ in 0..1 + self.below(paragraphs) {
            if self.one_in(4) {
                lines.push(format!("## {}", self.words(2)));
                lines.push(String::new());
            }
            let is_list = self.one_in(3);
            for _ in 0..1 + self.below(6) {
                lines.push(if is_list { format!("- {}", self.words(3)) } else { self.words(9) });
            }
            lines.push(String::new());
            if self.one_in(8) {
                lines.push(String::new());
            }
        }
        lines
    }

    /// A random edit that people and tools make in notes.
    fn edit(&mut self, lines: &mut Vec<String>) {
        let at = self.below(lines.len() + 1);
        let some = (at + 1 + self.below(4)).min(lines.len());
        match self.below(9) {
            0 => lines.extend(["".to_owned(), self.line()]),
            1 => lines.insert(at, self.line()),
            2 => drop(lines.drain(at..some)),
            3 => {
                let block = lines[at..some].to_vec();
                lines.splice(at..at, block);
            }
            4 => {
                let block: Vec<String> = lines.drain(at..some).collect();
                let to = self.below(lines.len() + 1);
                lines.splice(to..to, block);
            }
            5 => {
                let block = vec![String::new(), self.line(), self.line()];
                lines.splice(at..at, block);
            }
            6 => {
                let replaced = vec![self.line(), self.line()];
                lines.splice(at..some, replaced);
            }
            _ => {
                if let Some(line) = lines.get_mut(at) {
                    line.push(' ');
                    line.push_str(&self.words(2));
                }
            }
        }
    }
}

/// A repository whose index has the three versions of every file, as after a merge with conflicts.
pub struct Oracle<'e> {
    env: &'e Env,
    count: usize,
}

impl<'e> Oracle<'e> {
    pub fn new(env: &'e Env, triples: &[Triple]) -> Self {
        env.git(env.root(), &["init", "-q", REPOSITORY]);
        let mut stream = Vec::new();
        for (number, triple) in triples.iter().enumerate() {
            for (version, bytes) in [&triple.base, &triple.ours, &triple.theirs].into_iter().enumerate() {
                write!(stream, "blob\nmark :{}\ndata {}\n", number * 3 + version + 1, bytes.len()).unwrap();
                stream.extend_from_slice(bytes);
                stream.push(b'\n');
            }
        }
        let oracle = Self { env, count: triples.len() };
        oracle.feed(&["fast-import", "--quiet", "--export-marks=marks"], stream);
        let marks = std::fs::read_to_string(env.path(REPOSITORY).join("marks")).unwrap();
        let staged = marks.lines().fold(String::new(), |staged, line| {
            let (mark, id) = line[1..].split_once(' ').unwrap();
            let mark = mark.parse::<usize>().unwrap() - 1;
            staged + &format!("100644 {id} {}\t{}\n", mark % 3 + 1, mark / 3)
        });
        oracle.feed(&["update-index", "--index-info"], staged.into_bytes());
        oracle
    }

    pub fn all(&self) -> Vec<usize> {
        (0..self.count).collect()
    }

    /// The files as git merges them, all in one process, which recreates the conflicts of an unfinished merge.
    pub fn merged(&self, style: &str, files: &[usize]) -> Vec<Vec<u8>> {
        let names = files.iter().fold(String::new(), |names, number| names + &format!("{number}\n"));
        let style = format!("--conflict={style}");
        self.feed(&["checkout", "-q", &style, "--pathspec-from-file=-"], names.into_bytes());
        let folder = self.env.path(REPOSITORY);
        files.iter().map(|number| std::fs::read(folder.join(number.to_string())).unwrap()).collect()
    }

    fn feed(&self, arguments: &[&str], input: Vec<u8>) {
        let mut command = self.env.git_command(&self.env.path(REPOSITORY));
        command.args(["-c", "core.fsync=none", "-c", "core.compression=0"]).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut git = command.spawn().unwrap();
        let mut stdin = git.stdin.take().unwrap();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = git.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
