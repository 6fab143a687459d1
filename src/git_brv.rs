//! `git-brv`, which git finds as `git brv`: starts the `brv` beside it and says that it did.
//!
//! Has nothing of the library inside, so that the second name costs no second copy of the program.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The word before the arguments by which `brv` knows that it was called by its second name. An argument and no
/// variable, since variables reach what `brv` starts, too.
const SECOND_NAME: &str = "__git-brv";

fn main() -> ExitCode {
    let program = neighbour().unwrap_or_else(|| PathBuf::from("brv"));
    #[expect(clippy::disallowed_methods, reason = "the library, which has the door, is not in this program")]
    let mut brv = Command::new(&program);
    brv.arg(SECOND_NAME).args(std::env::args_os().skip(1));
    become_or_run(brv).unwrap_or_else(|error| {
        // nobody may be there to read it
        let _ = writeln!(std::io::stderr(), "error: cannot start `{}`: {error}", program.display());
        ExitCode::FAILURE
    })
}

/// The `brv` in the folder of this program, or in the folder of the file that this program is a link to.
fn neighbour() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let behind_link = own.canonicalize().ok();
    let name = format!("brv{}", std::env::consts::EXE_SUFFIX);
    [Some(own), behind_link]
        .into_iter()
        .flatten()
        .map(|program| program.with_file_name(&name))
        .find(|file| file.is_file())
}

/// Where a process can become another program, it does: signals, the terminal and the way it ends are `brv`'s own.
#[cfg(unix)]
fn become_or_run(mut brv: Command) -> std::io::Result<ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(&mut brv))
}

/// Elsewhere `brv` runs below this process, with its streams and its console, whose Ctrl-C reaches both.
#[cfg(not(unix))]
fn become_or_run(mut brv: Command) -> std::io::Result<ExitCode> {
    let code = brv.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
