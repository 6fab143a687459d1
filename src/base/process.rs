//! Start other programs, and control which of our environment variables they see.
//!
//! Knows nothing of what the programs are for. No other module starts one.

use crate::environment::Environment;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Variables that bind git to one repository. git exports them into hooks, so a nested repository that heeded them
/// would write into its host. The list is that of `git rev-parse --local-env-vars`.
const REPOSITORY_VARIABLES: [&str; 17] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
];

/// Remove the caller's repository from our own environment, for this process and for every program started later.
///
/// Call it first in `main`, while there is only one thread.
pub fn forget_callers_repository() {
    for name in REPOSITORY_VARIABLES {
        #[expect(clippy::disallowed_methods, reason = "runs before anything else has read it")]
        let is_set = std::env::var_os(name).is_some();
        if is_set {
            // SAFETY: called before any thread is started.
            #[expect(unsafe_code, reason = "the environment must change before gitoxide reads it")]
            unsafe {
                std::env::remove_var(name);
            }
        }
    }
}

/// A command ready for arguments; it sees the caller's environment.
#[expect(clippy::disallowed_methods, reason = "the only place that starts other programs")]
pub fn command(program: impl AsRef<OsStr>, environment: &Environment) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(environment.iter());
    command
}

/// The variables a program needs to run at all, and those that set where its own files may go.
const SURROUNDINGS: [&str; 10] =
    ["PATH", "PATHEXT", "COMSPEC", "SYSTEMROOT", "SYSTEMDRIVE", "TMPDIR", "TEMP", "TMP", "BRV_CLOCK", "TZ"];

/// A command that sees none of the caller's settings, for git and for brv: its home is `home`, the system configuration
/// is ignored, and it never prompts.
pub fn hermetic(program: impl AsRef<OsStr>, home: &Path, environment: &Environment) -> Command {
    let kept = SURROUNDINGS.iter().filter_map(|name| Some((name, environment.get_os(name)?)));
    let mut command = command(program, &kept.collect());
    command.stdin(Stdio::null());
    for name in ["HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"] {
        command.env(name, home);
    }
    command
        .env("XDG_CONFIG_HOME", home.join(".config"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("NO_COLOR", "1");
    command
}

/// A command line of the user's own, such as a pager's, run by the system's shell.
pub fn shell(command_line: &str, environment: &Environment) -> Command {
    #[cfg(windows)]
    {
        let mut command = command("cmd", environment);
        // its rules of quoting are its own: it gets the line as it is, within the quotes that it removes
        let line = format!("/S /C \"{command_line}\"");
        std::os::windows::process::CommandExt::raw_arg(&mut command, line);
        command
    }
    #[cfg(not(windows))]
    {
        let mut command = sh(environment);
        command.args(["-c", command_line]);
        command
    }
}

/// The shell that git's settings and hooks are written for, ready for arguments. On Windows it comes with git, usually in
/// a folder that is not in `PATH`.
pub fn sh(environment: &Environment) -> Command {
    let found = || find_on_path("sh", environment).or_else(|| sh_of_git(environment));
    let program = if cfg!(windows) { found() } else { None };
    command(program.unwrap_or_else(|| "sh".into()), environment)
}

/// `sh` in the installation whose `git` is on `PATH`: that is in `cmd`, or in `mingw64/bin`.
fn sh_of_git(environment: &Environment) -> Option<PathBuf> {
    let git = find_on_path("git", environment)?;
    let name = format!("sh{}", std::env::consts::EXE_SUFFIX);
    let folders = git.ancestors().skip(2).take(2);
    let files = folders.flat_map(|folder| ["bin", "usr/bin"].map(|below| folder.join(below).join(&name)));
    files.into_iter().find(|file| file.is_file())
}

/// A path as one word for `sh`.
pub fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.into_owned() };
    format!("'{}'", path.replace('\'', r"'\''"))
}

/// From here on, Ctrl-C does not end this process: a child program, such as a pager, handles it.
pub fn leave_interrupts_to_child() {
    // if this fails, Ctrl-C ends us as before
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::new(AtomicBool::new(false)));
}

/// Make `command` the leader of its own process group, so that [`end`] can also end the processes it starts. Such a
/// group cannot prompt on the terminal.
pub fn lead_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Whether a program leads its own process group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Led {
    /// [`lead_group`] was called.
    Yes,
    /// It belongs to our group.
    No,
}

impl From<bool> for Led {
    fn from(leads: bool) -> Self {
        if leads { Self::Yes } else { Self::No }
    }
}

/// End a program now, and its whole process group if it leads one. Where the system supports it, the program first gets
/// a request to end and a second to clean up.
pub fn end(child: &mut Child, led: Led) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process, kill_process_group};
        let id = Pid::from_child(child);
        // a process that has already ended is not an error
        let signal = |signal| match led {
            Led::Yes => drop(kill_process_group(id, signal)),
            Led::No => drop(kill_process(id, signal)),
        };
        signal(Signal::TERM);
        for _ in 0..100 {
            if !matches!(child.try_wait(), Ok(None)) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        // a leader that has ended may have left other processes running
        if led == Led::Yes || matches!(child.try_wait(), Ok(None)) {
            signal(Signal::KILL);
        }
    }
    #[cfg(not(unix))]
    let _ = led;
    let _ = child.kill();
    let _ = child.wait();
}

/// Let the user edit a file in `editor`, a command line (`:` does nothing). Returns whether the editor succeeded.
///
/// # Errors
/// The editor cannot be started.
pub fn edit(editor: &OsStr, file: &Path, environment: &Environment) -> std::io::Result<bool> {
    if editor == ":" {
        return Ok(true);
    }
    leave_interrupts_to_child();
    Ok(command_line(editor, environment).arg(file).status()?.success())
}

/// Start a program that goes on when this process ends: it has no standard streams, and no other descriptor that was
/// handed to us, such as a pipe or a lock of our caller. It should call [`lead_session`].
///
/// # Errors
/// The program cannot be started.
pub fn detach(command: &mut Command) -> std::io::Result<()> {
    keep_descriptors();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(windows)]
    {
        const DETACHED: u32 = 0x0000_0008 | 0x0000_0200;
        std::os::windows::process::CommandExt::creation_flags(command, DETACHED);
    }
    command.spawn().map(drop)
}

/// Whether a process with this id lives; one of another user counts. Where the system cannot tell, it does.
pub fn is_alive(process: u32) -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, test_kill_process};
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        process.is_some_and(|process| test_kill_process(process) != Err(rustix::io::Errno::SRCH))
    }
    #[cfg(not(unix))]
    {
        let _ = process;
        true
    }
}

/// End this process at once, as a crash would: for work that cannot be ended any other way.
pub fn end_at_once() -> ! {
    #[expect(clippy::disallowed_methods, reason = "another thread is stuck, and cannot return")]
    std::process::exit(1)
}

/// Leave the session of the caller: closing its terminal, or Ctrl-C there, does not end this process.
pub fn lead_session() {
    #[cfg(unix)]
    // the leader of a group cannot, and then nothing is lost
    let _ = rustix::process::setsid();
}

/// Hand none of our descriptors but the standard streams to programs that are started from now on. The standard library
/// opens its own that way; what our caller left open is not.
fn keep_descriptors() {
    #[cfg(unix)]
    {
        use rustix::fd::BorrowedFd;
        use rustix::io::{FdFlags, fcntl_setfd};
        let listed = std::fs::read_dir("/dev/fd").into_iter().flatten().flatten();
        let numbers: Vec<i32> = listed
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|fd| *fd > 2)
            .collect();
        for number in numbers {
            // SAFETY: the descriptor is only given a flag; if it is closed already, that fails and changes nothing.
            #[expect(
                unsafe_code,
                reason = "the number of a descriptor that our caller left open is all there is"
            )]
            let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
            let _ = fcntl_setfd(descriptor, FdFlags::CLOEXEC);
        }
    }
}

/// The first file called `program` in the folders of `PATH`. Those that are relative to the current folder do not count:
/// anybody may have put a program there.
pub fn find_on_path(program: &str, environment: &Environment) -> Option<PathBuf> {
    all_on_path(program, environment).into_iter().next()
}

fn all_on_path(program: &str, environment: &Environment) -> Vec<PathBuf> {
    let name = OsString::from(format!("{program}{}", std::env::consts::EXE_SUFFIX));
    let folders = environment.get_os("PATH").into_iter().flat_map(std::env::split_paths);
    let files = folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(&name));
    files.filter(|file| file.is_file()).collect()
}

/// The file that `PATH` finds as `brv` before it finds this program; `None` if this program is first, or not there.
pub fn shadowing(environment: &Environment) -> Option<PathBuf> {
    let own = own_program()?.canonicalize().ok()?;
    let is_own = |file: &PathBuf| file.canonicalize().is_ok_and(|real| real == own);
    let mut found = all_on_path("brv", environment).into_iter();
    let first = found.next().filter(|first| !is_own(first))?;
    found.any(|file| is_own(&file)).then_some(first)
}

/// The path of this program for files that stay, such as hooks and settings; `None` if brv is embedded in another program.
///
/// A `brv` on `PATH` that leads to this very file is named, not resolved: Homebrew and Nix link from a folder that stays
/// to one that an upgrade removes, and pipx links to one that stays as well. What starts this program in another way,
/// such as npm's script, is not named: it needs node, which an editor or a host may not have on its `PATH`.
pub fn lasting_program(environment: &Environment) -> Option<PathBuf> {
    let own = own_program()?;
    let real = own.canonicalize().ok();
    let is_own = |file: &PathBuf| real.is_some() && file.canonicalize().ok() == real;
    Some(all_on_path("brv", environment).into_iter().find(is_own).unwrap_or(own))
}

/// The executable of this program, to start it now; `None` if brv is embedded in another program.
pub fn own_program() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    (program.file_stem()? == "brv").then_some(program)
}

/// A command ready for arguments from a setting's value: a program, or a command line for the shell.
pub fn command_line(line: &OsStr, environment: &Environment) -> Command {
    let plain = !line.as_encoded_bytes().iter().any(|byte| b"|&;<>()$`\\\"' \t\n*?[#~=%".contains(byte));
    if plain || std::path::Path::new(line).is_file() {
        return command(line, environment);
    }
    let mut shell = sh(environment);
    let mut script = line.to_owned();
    script.push(" \"$@\"");
    shell.arg("-c").arg(script).arg(line);
    shell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_of_git_is_found_from_both_places_of_its_program() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let file = |path: &str| root.join(format!("{path}{}", std::env::consts::EXE_SUFFIX));
        for path in ["cmd/git", "mingw64/bin/git", "usr/bin/sh"] {
            crate::fs::replace(&file(path), b"", crate::fs::Durability::Later).unwrap();
        }
        let found = |below: &str| sh_of_git(&[("PATH", root.join(below))].into_iter().collect());
        assert_eq!(found("cmd"), Some(file("usr/bin/sh")));
        assert_eq!(found("mingw64/bin"), Some(file("usr/bin/sh")));
        crate::fs::replace(&file("bin/sh"), b"", crate::fs::Durability::Later).unwrap();
        assert_eq!(found("cmd"), Some(file("bin/sh")), "it sets what programs of git need");
        assert_eq!(found("usr"), None);
    }
}
