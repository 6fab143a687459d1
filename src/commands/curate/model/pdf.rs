//! The text of a PDF, by `pdftotext`, in a process of its own with limits of time and memory: a PDF is a program's input that
//! anybody may have made.

use brv_base::environment::Environment;
use brv_base::process::{self, Led};
use brv_engine::{FailureKind, Stop};
use brv_git as git;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The most pages.
pub const MOST_PAGES: usize = 50;

/// How long the program may take, and how much memory it may use, in KiB.
const TIME: Duration = Duration::from_secs(30);
const MEMORY: u64 = 1 << 20;

/// The most bytes that are read of what it says.
const MOST_TEXT: u64 = 4 << 20;
const MOST_ERRORS: u64 = 4 << 10;

const PROGRAM: &str = "pdftotext";

/// The text of a PDF, its pages separated by blank lines.
///
/// # Errors
/// No program to read it; a PDF that is encrypted, scanned, damaged, or over a limit.
pub fn text(file: &Path, name: &str, environment: &Environment) -> Result<String, Stop> {
    if process::find_on_path(PROGRAM, environment).is_none() {
        let hint =
            "install it (Debian, Ubuntu: `poppler-utils`; Homebrew: `poppler`), or give the text itself";
        return Err(Stop::usage(format!("`{name}` is a PDF, and `{PROGRAM}` is not installed")).hint(hint));
    }
    let refused = |why: String| Stop::usage(format!("`{name}` {why}"));
    let mut command = command(file, environment);
    let said =
        run(&mut command).map_err(|error| refused(format!("cannot be read by `{PROGRAM}`: {error}")))?;
    let PdfToolOutput { text, errors, end } = said;
    let first = errors.lines().next().unwrap_or("it says nothing").to_owned();
    match end {
        PdfToolEnd::Interrupted => return Err(Stop::new(FailureKind::Interrupted, "interrupted")),
        PdfToolEnd::Late => return Err(refused(format!("cannot be read in {} s", TIME.as_secs()))),
        PdfToolEnd::Done => {}
        PdfToolEnd::Failed(_) if errors.contains("password") => {
            return Err(refused("is encrypted: remove the password, or give the text itself".to_owned()));
        }
        PdfToolEnd::Failed(Some(3)) => {
            return Err(refused("is protected: its text may not be copied".to_owned()));
        }
        PdfToolEnd::Failed(_) => return Err(refused(format!("cannot be read by `{PROGRAM}`: {first}"))),
    }
    let pages = text.matches('\u{c}').count();
    if pages > MOST_PAGES {
        let why = format!("has more than {MOST_PAGES} pages, which is the limit");
        return Err(refused(why).hint("split it, or give the text itself"));
    }
    let text = text.replace('\u{c}', "\n\n").trim().to_owned();
    if text.is_empty() {
        let why = "has no text: it is probably scanned, and brv does not recognise characters";
        return Err(refused(why.to_owned()));
    }
    Ok(text)
}

/// The program, with a limit of memory where the system has one. One page more than the limit shows that there are more.
fn command(file: &Path, environment: &Environment) -> Command {
    let mut command = if cfg!(unix) {
        let script =
            format!("ulimit -v {MEMORY} 2>/dev/null; ulimit -t {} 2>/dev/null; exec \"$@\"", TIME.as_secs());
        let mut shell = process::sh(environment);
        shell.args(["-c", &script, "sh", PROGRAM]);
        shell
    } else {
        process::command(PROGRAM, environment)
    };
    let last = (MOST_PAGES + 1).to_string();
    command.args(["-enc", "UTF-8", "-eol", "unix", "-l", &last]).arg(file).arg("-");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    process::lead_group(&mut command);
    command
}

/// What a program said.
struct PdfToolOutput {
    text: String,
    errors: String,
    end: PdfToolEnd,
}

enum PdfToolEnd {
    Done,
    Failed(Option<i32>),
    Late,
    Interrupted,
}

fn run(command: &mut Command) -> io::Result<PdfToolOutput> {
    let mut child = command.spawn()?;
    let text = child.stdout.take().map(|pipe| reading(pipe, MOST_TEXT));
    let errors = child.stderr.take().map(|pipe| reading(pipe, MOST_ERRORS));
    let end = ended(&mut child)?;
    let said = |thread: Option<JoinHandle<Vec<u8>>>| {
        let bytes = thread.and_then(|thread| thread.join().ok()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(PdfToolOutput { text: said(text), errors: said(errors), end })
}

/// Read the start of a pipe, and the rest of it away.
fn reading(mut pipe: impl Read + Send + 'static, most: u64) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.by_ref().take(most).read_to_end(&mut bytes);
        let _ = io::copy(&mut pipe, &mut io::sink());
        bytes
    })
}

fn ended(child: &mut Child) -> io::Result<PdfToolEnd> {
    let start = Instant::now();
    let interrupt = git::interrupt();
    while start.elapsed() < TIME && !interrupt.load(Ordering::Relaxed) {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() { PdfToolEnd::Done } else { PdfToolEnd::Failed(status.code()) });
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    process::end(child, Led::Yes);
    Ok(if interrupt.load(Ordering::Relaxed) { PdfToolEnd::Interrupted } else { PdfToolEnd::Late })
}
