//! List the system calls of a command with `strace`, and inject a fault into one of them.

use crate::env::{Env, program};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The calls that change the disk or communicate with others. `openat` counts if it may write.
const WRITING: [&str; 26] = [
    "write",
    "pwrite64",
    "writev",
    "openat",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "fsync",
    "fdatasync",
    "syncfs",
    "ftruncate",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
    "chmod",
    "fchmod",
    "fchmodat",
    "copy_file_range",
    "sendfile",
    "fallocate",
];

/// Calls that are also listed, to know the offset of a write in its file.
const BESIDE: [&str; 2] = ["lseek", "read"];

/// One system call of a thread, as `strace` prints it.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// Its ordinal among the calls of this name by this thread, from 1.
    pub nth: usize,
    /// Its arguments, as printed.
    pub arguments: Vec<String>,
    /// Its result; `None` for an error.
    pub result: Option<i64>,
    /// The working directory of the thread, if known.
    pub folder: PathBuf,
}

/// The fault injected into a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The process is killed before the call.
    Killed,
    /// It fails with this error.
    Fails(&'static str),
}

/// Whether this machine supports it; if not, why.
pub fn is_possible() -> Result<(), String> {
    let Some(strace) = program("strace") else { return Err("there is no `strace` here".into()) };
    let mut probe = Command::new(strace);
    probe.args(["-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "inject=fsync:error=EIO:when=1", "true"]);
    match probe.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("`strace` cannot: {}", String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Err(format!("`strace` cannot be started: {error}")),
    }
}

fn traced(env: &Env, folder: &Path, options: &[String], arguments: &[&str]) -> Output {
    tracing(env, options, arguments).current_dir(folder).output().unwrap()
}

/// A run of brv in the root, below `strace` with these options. Its calls are listed in the file `calls`.
pub fn tracing(env: &Env, options: &[impl AsRef<OsStr>], arguments: &[&str]) -> Command {
    let mut command = Command::new(program("strace").expect("see `is_possible`"));
    env.prepare(&mut command);
    command.arg("-f").arg("-o").arg(env.path("calls")).args(options);
    // `strace` 6.1 sends no signal with this option
    let sends = options.iter().any(|option| option.as_ref().to_string_lossy().contains(":signal=KILL"));
    command
        .args((!sends).then_some("--seccomp-bpf"))
        .arg("--")
        .arg(env!("CARGO_BIN_EXE_brv"))
        .args(arguments);
    command.current_dir(env.root()).stdin(Stdio::null());
    command
}

/// Run a command and list its calls, in the order in which they ended.
pub fn record(env: &Env, folder: &Path, arguments: &[&str]) -> (Output, Vec<Call>) {
    let names = [WRITING.as_slice(), &BESIDE].concat().join(",");
    let options = ["-y", "-xx", "-s", "33554432", "-e"].map(str::to_string);
    let options =
        [options.as_slice(), &[format!("trace={names}"), "-e".into(), "signal=none".into()]].concat();
    let output = traced(env, folder, &options, arguments);
    let log = std::fs::read_to_string(env.path("calls")).unwrap();
    (output, parse(&log))
}

/// Run a command with a fault at one call.
pub fn inject(env: &Env, folder: &Path, arguments: &[&str], point: (&str, usize), fault: Fault) -> Output {
    let (name, nth) = point;
    let what = match fault {
        Fault::Killed => "signal=KILL".to_string(),
        Fault::Fails(error) => format!("error={error}"),
    };
    let options = ["-e".to_string(), format!("trace={name}"), "-e".into()];
    let options = [options.as_slice(), &[format!("inject={name}:{what}:when={nth}")]].concat();
    let output = traced(env, folder, &options, arguments);
    let log = std::fs::read_to_string(env.path("calls")).unwrap();
    let should_die = fault == Fault::Killed && nth == 1 && log.contains(&format!(" {name}("));
    assert!(!should_die || log.contains("+++ killed by SIGKILL"), "`strace` sent no signal");
    output
}

/// Whether the fault hit the error report: a child may have met it first, and its parent then met it while reporting.
pub fn took_words(env: &Env) -> bool {
    let log = std::fs::read_to_string(env.path("calls")).unwrap();
    let mut met = log.lines().filter(|line| line.contains("(INJECTED)"));
    met.any(|line| ["write(1,", "write(2,", "writev(1,", "writev(2,"].iter().any(|call| line.contains(call)))
}

/// Whether the fault hit a process that was killed.
pub fn is_killed(output: &Output) -> bool {
    output.status.signal() == Some(9)
}

fn parse(log: &str) -> Vec<Call> {
    let mut begun: HashMap<&str, String> = HashMap::new();
    let mut counts: HashMap<(String, String), usize> = HashMap::new();
    let (mut calls, mut folders) = (Vec::new(), HashMap::<String, PathBuf>::new());
    for line in log.lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        let whole = if let Some(begin) = rest.strip_suffix(" <unfinished ...>") {
            begun.insert(thread, begin.to_string());
            continue;
        } else if let Some(resumed) = rest.strip_prefix("<... ") {
            let begin = begun.remove(thread).expect("a call that goes on has begun");
            begin + resumed.split_once(" resumed>").expect("`strace` says so").1
        } else {
            rest.to_string()
        };
        let Some(mut call) = call(&whole) else { continue };
        let count = counts.entry((thread.to_string(), call.name.clone())).or_default();
        *count += 1;
        call.nth = *count;
        let shown = (0..call.arguments.len()).find(|at| call.arguments[*at].starts_with("AT_FDCWD<"));
        if let Some((_, folder)) = shown.and_then(|at| call.file(at)) {
            folders.insert(thread.to_string(), folder);
        }
        call.folder = folders.get(thread).cloned().unwrap_or_default();
        calls.push(call);
    }
    calls
}

/// Parse `name(argument, …) = result`.
fn call(line: &str) -> Option<Call> {
    let (name, rest) = line.split_once('(')?;
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return None;
    }
    let (mut arguments, mut argument) = (Vec::new(), String::new());
    let (mut quoted, mut depth, mut end) = (false, 0, None);
    for (at, char) in rest.char_indices() {
        match char {
            '"' => quoted = !quoted,
            '[' | '{' | '<' | '(' if !quoted => depth += 1,
            ')' if !quoted && depth == 0 => {
                end = Some(at);
                break;
            }
            ']' | '}' | '>' | ')' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                arguments.push(std::mem::take(&mut argument).trim().to_string());
                continue;
            }
            _ => {}
        }
        argument.push(char);
    }
    arguments.push(argument.trim().to_string());
    let result = rest[end?..].split_once("= ")?.1;
    let result: String = result.chars().take_while(|char| char.is_ascii_digit() || *char == '-').collect();
    let result = result.parse().ok().filter(|result| *result >= 0);
    Some(Call { name: name.into(), nth: 0, arguments, result, folder: PathBuf::new() })
}

impl Call {
    /// Whether a command can be stopped at this call.
    pub fn is_writing(&self) -> bool {
        let is_open = self.name == "openat";
        WRITING.contains(&self.name.as_str()) && (!is_open || self.is_open_for_writing())
    }

    fn is_open_for_writing(&self) -> bool {
        let how = self.arguments.get(2).map_or("", String::as_str);
        ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| how.contains(flag))
    }

    /// Whether a disk can make this call fail: a write, sync, rename, open or removal.
    pub fn can_fail(&self) -> bool {
        let class =
            ["write", "pwrite64", "writev", "fsync", "fdatasync", "syncfs", "openat", "mkdir", "rmdir"];
        let begins = ["rename", "unlink", "link"];
        let is_one = class.contains(&self.name.as_str());
        self.is_writing() && (is_one || begins.iter().any(|begin| self.name.starts_with(begin)))
    }

    /// For an `openat`: whether the file is truncated, and whether it must be new.
    pub fn has_flag(&self, flag: &str) -> bool {
        self.arguments.iter().any(|argument| argument.contains(flag))
    }

    /// The bytes of an argument between quotes.
    pub fn bytes(&self, argument: usize) -> Vec<u8> {
        let shown = self.arguments.get(argument).map_or("", String::as_str);
        assert!(!shown.ends_with("..."), "{} is cut off", self.name);
        unquoted(shown.trim_matches('"'))
    }

    /// The number and the file of an argument `3<…>`.
    pub fn file(&self, argument: usize) -> Option<(i64, PathBuf)> {
        let (number, path) = self.arguments.get(argument)?.split_once('<')?;
        let path = &path[..path.find('>')?];
        Some((number.parse().unwrap_or(-1), path_of(&unquoted(path))))
    }

    /// The path of an argument, below the folder in the argument before it if `at`.
    pub fn path(&self, argument: usize, at: bool) -> PathBuf {
        let path = path_of(&self.bytes(argument));
        match at.then(|| self.file(argument - 1)).flatten() {
            Some((_, folder)) => folder.join(path),
            None => self.folder.join(path),
        }
    }

    /// A short description of its target.
    pub fn shown(&self) -> String {
        let short = |argument: &String| {
            let text = argument.replace("\\x", "");
            let hex = text.len() > 8 && argument.contains("\\x");
            if !hex {
                return argument.clone();
            }
            let (before, rest) = argument.split_at(argument.find("\\x").unwrap_or_default());
            let bytes = unquoted(rest.trim_end_matches(['"', '>']));
            let bytes = String::from_utf8_lossy(&bytes).into_owned();
            let mut end = bytes.len().min(120);
            while !bytes.is_char_boundary(end) {
                end -= 1;
            }
            format!("{before}{}", bytes[..end].escape_default())
        };
        let arguments: Vec<String> = self.arguments.iter().map(short).collect();
        format!("{}#{}({})", self.name, self.nth, arguments.join(", "))
    }
}

fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// `\x61\x62` as `ab`; unescaped text is kept.
fn unquoted(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4);
    let mut rest = text;
    while let Some(byte) = rest.bytes().next() {
        if let Some(hex) = rest.strip_prefix("\\x") {
            bytes.push(u8::from_str_radix(&hex[..2], 16).expect("two digits"));
            rest = &hex[2..];
        } else {
            bytes.push(byte);
            rest = &rest[1..];
        }
    }
    bytes
}

#[test]
fn a_call_is_read_with_its_place_and_its_bytes() {
    let log = "7  openat(AT_FDCWD</x>, \"\\x2f\\x61\", O_RDWR|O_CREAT, 0666 <unfinished ...>\n\
               8  fsync(3</a>)    = 0\n\
               7  <... openat resumed>)    = 4</a>\n\
               7  write(4<\\x2f\\x61>, \"\\x2c\\x22\\x29\", 3) = 3\n\
               7  openat(AT_FDCWD</x>, \"\\x62\", O_RDONLY) = -1 ENOENT (No such file or directory)\n\
               7  +++ exited with 0 +++\n";
    let calls = parse(log);
    let names: Vec<_> = calls.iter().map(|call| (call.name.as_str(), call.nth, call.result)).collect();
    let expected =
        [("fsync", 1, Some(0)), ("openat", 1, Some(4)), ("write", 1, Some(3)), ("openat", 2, None)];
    assert_eq!(names, expected);
    assert_eq!(calls[1].path(1, true), Path::new("/a"));
    assert_eq!(calls[2].bytes(1), b",\")");
    assert_eq!(calls[2].file(0), Some((4, "/a".into())));
    assert_eq!(calls[3].path(1, true), Path::new("/x/b"));
    assert_eq!(calls.iter().map(Call::is_writing).collect::<Vec<_>>(), [true, true, true, false]);
}
