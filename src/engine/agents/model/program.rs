//! Runs a program of the user's to its end: its input and output, within a time, up to a size, and ended with all that it
//! started on an interrupt.

use super::line::LOOK;
use brv_base::process::{self, Led};
use std::io::{self, Read as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

/// The most bytes of standard error that are kept.
const LONGEST_COMPLAINT: usize = 4 << 10;

#[derive(Debug)]
pub(super) struct ProgramOutput {
    pub status: ExitStatus,
    pub bytes: Vec<u8>,
    /// The beginning of what it wrote to standard error.
    pub complaint: Vec<u8>,
}

#[derive(Debug)]
pub(super) enum Fault {
    Unstarted(io::Error),
    Late,
    TooLong,
    Interrupted,
}

/// Run `command` in a process group of its own.
///
/// # Errors
/// It did not come to its end; then it is ended.
pub(super) fn run(
    mut command: Command,
    input: &[u8],
    longest: usize,
    time: Duration,
    interrupt: &AtomicBool,
) -> Result<ProgramOutput, Fault> {
    process::lead_group(&mut command);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(Fault::Unstarted)?;
    write_to(&mut child, input.to_vec());
    let output = read_from(child.stdout.take(), longest);
    let complaint = read_from(child.stderr.take(), LONGEST_COMPLAINT);
    let end = Instant::now() + time;
    let mut bytes = None;
    let fault = loop {
        if bytes.is_none() {
            bytes = output.recv_timeout(LOOK).ok();
        } else {
            std::thread::sleep(LOOK / 4);
        }
        match (&bytes, child.try_wait()) {
            (Some(bytes), _) if bytes.len() > longest => break Fault::TooLong,
            (Some(_), Ok(Some(status))) => {
                let complaint = complaint.recv_timeout(LOOK).unwrap_or_default();
                return Ok(ProgramOutput { status, bytes: bytes.unwrap_or_default(), complaint });
            }
            (_, Err(error)) => break Fault::Unstarted(error),
            _ if interrupt.load(Ordering::Relaxed) => break Fault::Interrupted,
            _ if Instant::now() >= end => break Fault::Late,
            _ => {}
        }
    };
    process::end(&mut child, Led::Yes);
    Err(fault)
}

/// On a thread: a program may answer before it has read everything, and may read nothing.
fn write_to(child: &mut Child, input: Vec<u8>) {
    if let Some(mut pipe) = child.stdin.take() {
        std::thread::spawn(move || pipe.write_all(&input));
    }
}

/// The beginning of what it writes, one byte more than `longest` if there is more. It can write on.
fn read_from(pipe: Option<impl io::Read + Send + 'static>, longest: usize) -> Receiver<Vec<u8>> {
    let (sender, receiver) = sync_channel(1);
    if let Some(mut pipe) = pipe {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.by_ref().take(longest as u64 + 1).read_to_end(&mut bytes);
            // nobody may wait any more
            let _ = sender.send(bytes);
            let _ = io::copy(&mut pipe, &mut io::sink());
        });
    }
    receiver
}
