//! A hermetic environment: its own home, its own configuration, fixed identity and dates, a chosen `PATH`.
//!
//! Tests of the program use [`Env::brv`]. Tests of the library pass it [`environment`], or that of an [`Env`]; whatever
//! gitoxide reads from its process is the same for all of them. Tests that need other values begin with `alone!()` and
//! run in their own process.

use brv_base::clock::Clock;
use brv_base::config::Config;
use brv_base::environment::Environment;
use brv_base::progress::Silent;
use brv_engine::{Actor, Audience, BrokenRefs, Context, Preceding};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{LazyLock, OnceLock};

/// In a process that runs one test alone: the `PATH` that the tests were started with.
const FULL_PATH: &str = "BRV_IT_FULL_PATH";

/// Run the rest of the test in a process of its own, with a clean environment. `alone!(without git)` removes every
/// program from `PATH` except built-in ones.
macro_rules! alone {
    () => {
        alone!(@ $crate::env::Programs::All)
    };
    (without git) => {
        alone!(@ $crate::env::Programs::NoGit)
    };
    (@ $programs:expr) => {{
        fn here() {}
        if $crate::env::ran_alone(std::any::type_name_of_val(&here), $programs) {
            return;
        }
    }};
}

/// The content of `PATH`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Programs {
    /// The programs of the machine.
    All,
    /// Nothing.
    NoGit,
}

/// The context of a command without a surface.
pub fn context(cwd: &Path) -> Context<'static> {
    context_of(cwd, environment())
}

/// As [`context`], for a caller with its own variables.
pub fn context_of(cwd: &Path, environment: &Environment) -> Context<'static> {
    Context {
        cwd: cwd.to_path_buf(),
        environment: environment.clone(),
        clock: Clock::from_environment(environment),
        config: Config::default(),
        progress: &Silent,
        actor: Actor::default(),
        audience: Audience::Headless,
        input: None,
        preceding: Preceding::default(),
        broken_refs: BrokenRefs::default(),
        kept: OnceLock::new(),
        ends_with_process: false,
        ends_at: None,
    }
}

/// A clean environment for commands and repositories opened in this process.
pub fn environment() -> &'static Environment {
    static CLEAN: LazyLock<Environment> = LazyLock::new(|| {
        let home = Box::leak(Box::new(Env::new()));
        home.seen_by_libraries();
        home.variables()
    });
    &CLEAN
}

/// The result of a program.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code.
    pub code: i32,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// A folder with a home, and the variables for programs that run in it.
pub struct Env {
    folder: tempfile::TempDir,
    variables: Vec<(OsString, OsString)>,
    programs: Programs,
}

/// See [`alone!`]. Returns whether the test ran in a process that this one waited for.
pub fn ran_alone(name: &str, programs: Programs) -> bool {
    if std::env::var_os(FULL_PATH).is_some() {
        return false;
    }
    let name = name.trim_end_matches("::here").split_once("::").expect("a path in this crate").1;
    let env = Env::new().with_programs(programs);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--nocapture", "--include-ignored", "--test-threads=1"]);
    env.prepare(&mut command);
    command.env(FULL_PATH, full_path());
    let output = command.output().unwrap();
    let ran = Ran::of(&output);
    print!("{}", ran.stdout);
    assert!(output.status.success(), "{name}\n{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("1 passed"), "{name} did not run\n{}", ran.stdout);
    true
}

/// Write git's settings of the user whom the libraries see. The process must run one test alone: any other has the home
/// of whoever runs the tests, or one that tests share.
pub fn settings_of_this_process(text: &str) {
    assert!(
        std::env::var_os(FULL_PATH).is_some(),
        "a test that needs its own settings begins with `alone!()`"
    );
    let home = std::env::var_os("HOME").expect("it was given");
    std::fs::write(Path::new(&home).join(".gitconfig"), text).unwrap();
}

fn full_path() -> OsString {
    std::env::var_os(FULL_PATH).or_else(|| std::env::var_os("PATH")).unwrap_or_default()
}

/// The context tree of the project in the root.
pub fn tree(env: &Env) -> PathBuf {
    env.path(".brv/context-tree")
}

/// The file of a program that the machine has, whatever `PATH` a test was given.
pub fn program(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&full_path())
        .chain(["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from))
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file())
}

impl Env {
    /// A clean environment.
    pub fn new() -> Self {
        Self::below(tempfile::Builder::new().prefix("brv-it-").tempdir().unwrap())
    }

    fn below(folder: tempfile::TempDir) -> Self {
        for name in ["home", "empty"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder, variables: Vec::new(), programs: Programs::All }
    }

    /// A clean environment in memory, if the machine has such a place: for tests that sync often.
    pub fn in_memory() -> Self {
        Self::within(Path::new("/dev/shm")).unwrap_or_else(|_| Self::new())
    }

    /// A clean environment below a folder.
    pub fn within(place: &Path) -> std::io::Result<Self> {
        tempfile::Builder::new().prefix("brv-it-").tempdir_in(place).map(Self::below)
    }

    /// The environment with other programs on `PATH`.
    pub fn with_programs(mut self, programs: Programs) -> Self {
        self.programs = programs;
        self
    }

    /// The environment with one more variable.
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// The folder that the test may use freely.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// A path in the folder.
    pub fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.root().join(below)
    }

    /// The variables that a program in this environment sees; see [`environment()`] for libraries.
    pub fn environment(&self) -> Environment {
        environment();
        self.variables()
    }

    fn variables(&self) -> Environment {
        let mut command = Command::new("");
        self.prepare(&mut command);
        command.get_envs().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// Apply this environment to the process, for libraries that read it: they find git's settings by it.
    fn seen_by_libraries(&self) {
        if std::env::var_os(FULL_PATH).is_some() {
            return;
        }
        let environment = self.variables();
        let ours = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let foreign: Vec<String> = ours
            .filter(|name| {
                let name = name.to_ascii_uppercase();
                ["GIT_", "SSH_", "SSL_", "XDG_"].iter().any(|prefix| name.starts_with(prefix))
                    || name.ends_with("_PROXY")
                    || name == "EMAIL"
            })
            .collect();
        // SAFETY: every test that reads the environment calls this first, and waits for it.
        #[expect(unsafe_code, reason = "gitoxide asks for the home and the settings of its process")]
        unsafe {
            foreign.iter().for_each(|name| std::env::remove_var(name));
            for (name, value) in environment.iter().filter(|(name, _)| *name != "PATH") {
                std::env::set_var(name, value);
            }
        }
    }

    /// Give a command this environment, and nothing of ours.
    pub fn prepare(&self, command: &mut Command) {
        self.prepare_with(command, self.programs);
    }

    fn prepare_with(&self, command: &mut Command, programs: Programs) {
        let path = match programs {
            Programs::All => full_path(),
            Programs::NoGit => self.path("empty").into_os_string(),
        };
        command.env_clear().current_dir(self.root()).env("PATH", path);
        for name in ["SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "RUST_BACKTRACE", "LLVM_PROFILE_FILE"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        let home = self.path("home");
        command
            .env("HOME", &home)
            .env("USERPROFILE", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_AUTHOR_NAME", "Ada")
            .env("GIT_AUTHOR_EMAIL", "ada@example.com")
            .env("GIT_AUTHOR_DATE", "1700000000 +0000")
            .env("GIT_COMMITTER_NAME", "Ada")
            .env("GIT_COMMITTER_EMAIL", "ada@example.com")
            .env("GIT_COMMITTER_DATE", "1700000000 +0000")
            .env("BRV_CLOCK", "2023-11-14T22:13:20Z")
            .env("NO_COLOR", "1")
            .env("LC_ALL", "C")
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
    }

    /// Run the program in the root.
    pub fn brv(&self, arguments: &[&str]) -> Ran {
        self.brv_in(self.root(), arguments)
    }

    /// Run the program in a folder.
    pub fn brv_in(&self, folder: &Path, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        self.prepare(&mut command);
        let ran = Ran::of(&command.current_dir(folder).args(arguments).output().unwrap());
        if let Some(envelope) = ran.envelope() {
            crate::described::check(&envelope, arguments);
        }
        ran
    }

    /// This program in a folder of its own: the same file, so that it costs no space.
    pub fn brv_at(&self, folder: &str) -> PathBuf {
        let (brv, place) = (env!("CARGO_BIN_EXE_brv"), self.path(folder));
        std::fs::create_dir_all(&place).unwrap();
        let file = place.join(Path::new(brv).file_name().unwrap());
        if std::fs::hard_link(brv, &file).is_err() {
            assert!(Command::new("cp").arg(brv).arg(&file).status().unwrap().success());
        }
        file
    }

    /// Run the program in the root, with these variables besides those of the environment.
    pub fn brv_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        self.prepare(&mut command);
        command.envs(variables.iter().copied()).args(arguments);
        Ran::of(&command.output().unwrap())
    }

    /// Run the program in the root, with this standard input.
    pub fn brv_reading(&self, arguments: &[&str], input: &[u8]) -> Ran {
        use std::io::Write as _;
        use std::process::Stdio;
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        self.prepare(&mut command);
        command.current_dir(self.root()).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        let writing = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let ran = Ran::of(&child.wait_with_output().unwrap());
        writing.join().unwrap();
        if let Some(envelope) = ran.envelope() {
            crate::described::check(&envelope, arguments);
        }
        ran
    }

    /// A command for plain git, even if `PATH` does not have it.
    pub fn git_command(&self, folder: &Path) -> Command {
        let mut command = Command::new(program("git").expect("these tests compare with git"));
        self.prepare_with(&mut command, Programs::All);
        command.current_dir(folder).args([
            "-c",
            "init.defaultBranch=main",
            "-c",
            "protocol.file.allow=always",
        ]);
        command
    }

    /// Run plain git; returns its output without the last line ending.
    pub fn git(&self, folder: &Path, arguments: &[&str]) -> String {
        let ran = self.try_git(folder, arguments);
        assert_eq!(ran.code, 0, "git {arguments:?} in {}\n{}{}", folder.display(), ran.stdout, ran.stderr);
        ran.stdout.trim_end_matches('\n').to_owned()
    }

    /// Run plain git, which may fail.
    pub fn try_git(&self, folder: &Path, arguments: &[impl AsRef<OsStr>]) -> Ran {
        Ran::of(&self.git_command(folder).args(arguments).output().unwrap())
    }

    /// Write files, add all, commit with plain git. Returns the id of the commit.
    pub fn commit(&self, work_tree: &Path, files: &[(&str, &str)]) -> String {
        for (path, text) in files {
            let path = work_tree.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        self.git(work_tree, &["add", "-A"]);
        self.git(work_tree, &["commit", "-q", "--allow-empty", "-m", "edit"]);
        self.git(work_tree, &["rev-parse", "HEAD"])
    }

    /// A bare repository that accepts pushes over http and checks received objects.
    pub fn bare(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        self.git(self.root(), &["init", "-q", "--bare", path.to_str().unwrap()]);
        for (key, value) in [
            ("http.receivepack", "true"),
            ("receive.fsckObjects", "true"),
            ("uploadpack.allowAnySHA1InWant", "true"),
        ] {
            self.git(&path, &["config", key, value]);
        }
        path
    }

    /// Check that git finds nothing wrong with the repository.
    pub fn fsck(&self, repository: &Path) {
        let said = self.git(repository, &["fsck", "--strict", "--full", "--no-progress"]);
        assert!(!said.contains("missing") && !said.contains("error"), "{said}");
    }

    /// The kind and id of every object reachable from the branches and tags of the repository.
    pub fn objects(&self, repository: &Path) -> Vec<String> {
        let listed = self.git(repository, &["rev-list", "--objects", "--branches", "--tags"]);
        let mut ids: Vec<String> = listed.lines().map(|line| line[..40].to_owned()).collect();
        ids.sort();
        ids.dedup();
        ids
    }
}

impl Ran {
    /// The result of a finished program.
    pub fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The envelope, if that is the output.
    fn envelope(&self) -> Option<serde_json::Value> {
        let line = self
            .stdout
            .strip_suffix('\n')
            .filter(|line| line.starts_with("{\"schema\":") && !line.contains('\n'))?;
        serde_json::from_str(line).ok()
    }
}
