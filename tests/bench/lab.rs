//! Where measuring happens: a hermetic environment, the trees, and duels between brv and git in alternating order.
//!
//! Knows how to measure, not what: the rows are in `rows/`.

use crate::corpus::{self, File};
use crate::env::Env;
use crate::table::{Row, Sample, Side};
use crate::usage::{self, Usage, Watch};
use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What there is to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// The rows of the table, beside git.
    Rows,
    /// Every command once, in a tree of any size.
    Large,
}

/// What was asked for on the command line.
#[derive(Debug, Clone)]
pub struct Options {
    /// What to measure.
    pub work: Work,
    /// How many entries a generated tree has.
    pub entries: usize,
    /// A tree to use instead.
    pub tree: Option<PathBuf>,
    /// How often slow commands run; quick ones run four times as often.
    pub rounds: usize,
    /// Only rows whose names contain one of these.
    pub only: Vec<String>,
    /// The folder to work below, instead of memory.
    pub place: Option<PathBuf>,
    /// The program to measure, instead of the one that was built with this benchmark.
    pub program: Option<PathBuf>,
}

/// Where the trees are, so that no disk is measured: ext4 is slow to make files for minutes after many were removed.
const MEMORY: &str = "/dev/shm";

/// The largest trees that are made in memory, unless told otherwise.
const MOST_IN_MEMORY: usize = 200_000;

/// How long a command takes, roughly.
#[derive(Debug, Clone, Copy)]
pub enum Pace {
    /// Below a second.
    Quick,
    /// Seconds.
    Slow,
    /// Gives the same number every time.
    Once,
}

/// The surroundings of all measurements.
pub struct Lab {
    /// Home, identity, temporary folder.
    pub env: Env,
    /// What was asked for.
    pub options: Options,
    files: OnceCell<Vec<File>>,
    rows: RefCell<Vec<Row>>,
    verbs: String,
    discarded: Cell<usize>,
}

impl Lab {
    /// A new one.
    pub fn new(options: Options) -> Self {
        let env = match &options.place {
            None if options.entries > MOST_IN_MEMORY => Env::new(),
            None => Env::in_memory(),
            Some(place) => Env::within(place).unwrap(),
        };
        // repacking in the background would disturb what is measured next
        let settings = "[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[pull]\n\tff = only\n";
        std::fs::write(env.path("home").join(".gitconfig"), settings).unwrap();
        let mut lab = Self {
            env,
            options,
            files: OnceCell::new(),
            rows: RefCell::default(),
            verbs: String::new(),
            discarded: Cell::new(0),
        };
        let help = lab.brv(lab.env.root(), &["vc", "--help"]).output().unwrap();
        lab.verbs = String::from_utf8_lossy(&help.stdout).into_owned();
        lab
    }

    /// Whether the trees are in memory.
    pub fn is_in_memory(&self) -> bool {
        self.env.root().starts_with(MEMORY)
    }

    /// The files of the tree.
    pub fn files(&self) -> &[File] {
        self.files.get_or_init(|| match &self.options.tree {
            None => corpus::files(self.options.entries),
            Some(tree) => read_tree(tree),
        })
    }

    /// Whether `brv vc` has this verb.
    pub fn has(&self, verb: &str) -> bool {
        self.verbs.lines().any(|line| line.split_whitespace().next() == Some(verb))
    }

    /// Whether one of these rows was asked for.
    pub fn wants(&self, names: &[&str]) -> bool {
        let only = &self.options.only;
        only.is_empty() || names.iter().any(|name| only.iter().any(|part| name.contains(part.as_str())))
    }

    /// A command of brv in a folder.
    pub fn brv(&self, folder: &Path, arguments: &[&str]) -> Command {
        let built = Path::new(env!("CARGO_BIN_EXE_brv"));
        let mut command = Command::new(self.options.program.as_deref().unwrap_or(built));
        self.env.prepare(&mut command);
        command.current_dir(folder).args(arguments);
        command
    }

    /// A command of git in a folder.
    pub fn git(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = self.env.git_command(folder);
        command.args(arguments);
        command
    }

    /// The times of a whole process, which must succeed.
    pub fn time(&self, command: &mut Command) -> Sample {
        self.usage(command, Watch::Times).into()
    }

    /// Wait until the disk has what was written so far, so that no side pays for the other.
    pub fn settle(&self) {
        #[cfg(unix)]
        rustix::fs::sync();
    }

    /// Give back the memory of trees that are measured.
    pub fn tidy(&self) {
        for entry in std::fs::read_dir(self.env.root()).unwrap().flatten() {
            let is_kept = ["home", "empty"].iter().any(|kept| entry.file_name() == *kept);
            if !is_kept && self.is_in_memory() && entry.path().is_dir() {
                std::fs::remove_dir_all(entry.path()).unwrap();
            }
        }
        self.forget();
    }

    /// Remove what is derived for other clones of this user: the next clone is the first on its machine.
    pub fn forget(&self) {
        self.discard(&self.env.path("home").join(".cache"));
    }

    /// Put a folder out of the way, if it is there. On disk it is removed only when all is measured: ext4 is slow to make
    /// files while many were removed in the last minutes, which would count against whoever comes next.
    pub fn discard(&self, folder: &Path) {
        if self.is_in_memory() {
            let _ = std::fs::remove_dir_all(folder);
        } else if folder.exists() {
            let number = self.discarded.replace(self.discarded.get() + 1);
            std::fs::rename(folder, self.env.path(format!("discarded-{number}"))).unwrap();
        }
    }

    /// The most memory of a program and its children, which must succeed.
    pub fn memory(&self, command: &mut Command) -> Sample {
        Sample::Bytes(self.usage(command, Watch::Memory).memory.unwrap_or_default())
    }

    fn usage(&self, command: &mut Command, watch: Watch) -> Usage {
        self.quiet(command);
        let (status, usage) = usage::of(command, watch).unwrap();
        assert!(status.success(), "{command:?}\n{}", self.errors());
        usage
    }

    /// Run without measuring.
    pub fn run(&self, mut command: Command) {
        self.time(&mut command);
    }

    /// Let a command have no input and no output; what it says of errors is for [`Lab::errors`].
    pub fn quiet(&self, command: &mut Command) {
        let errors = std::fs::File::create(self.env.path("errors")).unwrap();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
    }

    /// What the last command wrote to standard error.
    pub fn errors(&self) -> String {
        std::fs::read_to_string(self.env.path("errors")).unwrap_or_default()
    }

    /// Let both sides do the same in turns, the first one changing; each turn gives a sample for each name.
    pub fn duel<const ROWS: usize>(
        &self,
        names: [&str; ROWS],
        pace: Pace,
        mut turn: impl FnMut(Side, usize) -> [Sample; ROWS],
    ) {
        if !self.wants(&names) {
            return;
        }
        eprintln!("measuring: {}", names.join(", "));
        let rounds = match pace {
            Pace::Quick => 4 * self.options.rounds,
            Pace::Slow => self.options.rounds,
            Pace::Once => 1,
        };
        let mut rows = names.map(Row::new);
        for round in 0..rounds {
            let order = if round % 2 == 0 { [Side::Brv, Side::Git] } else { [Side::Git, Side::Brv] };
            for side in order {
                for (row, sample) in rows.iter_mut().zip(turn(side, round)) {
                    row.add(side, sample);
                }
            }
        }
        self.keep(rows);
    }

    /// What git has no counterpart of.
    pub fn solo(&self, name: &str, rounds: usize, mut turn: impl FnMut() -> Sample) {
        if !self.wants(&[name]) {
            return;
        }
        eprintln!("measuring: {name}");
        let mut row = Row::new(name);
        for _ in 0..rounds {
            row.add(Side::Brv, turn());
        }
        self.keep([row]);
    }

    fn keep(&self, rows: impl IntoIterator<Item = Row>) {
        for row in rows {
            eprintln!("{row}");
            self.rows.borrow_mut().push(row);
        }
    }

    /// All rows so far.
    pub fn rows(self) -> Vec<Row> {
        self.rows.into_inner()
    }
}

fn read_tree(root: &Path) -> Vec<File> {
    let (mut files, mut open) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let text = std::fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                files.push(File { path, text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Copy a folder with all that is in it.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().unwrap().is_dir() {
            copy(&source, &target);
        } else {
            std::fs::copy(&source, &target).unwrap();
        }
    }
}

/// The folders of a project's cache by name, with what their files weigh.
pub fn caches(project: &Path) -> Vec<(String, u64)> {
    let entries = std::fs::read_dir(project.join(".brv/cache")).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut caches: Vec<(String, u64)> = folders
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), weight(&entry.path())))
        .collect();
    caches.sort();
    caches
}

/// What all files below a folder weigh, in bytes.
pub fn weight(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let one = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() => weight(&entry.path()),
        Ok(about) => about.len(),
        Err(_) => 0,
    };
    entries.map(one).sum()
}
