//! What a program took, its children included: wall-clock time, processor time, and the most memory.
//!
//! Processor time comes from the system when the program ends, so Unix only. Memory is that of the largest process, not
//! their sum, asked of `/proc` while the program runs, so Linux only: what the system tells at the end counts the memory
//! of whoever started the program. What a process held is there until it ends, therefore only what it takes in its last
//! moments can be missed.

use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// From one request to the next.
const PAUSE: Duration = Duration::from_micros(500);
/// The same of a program that takes minutes, or a fiftieth of what it took so far: nothing else shall notice.
const LONG_PAUSE: Duration = Duration::from_millis(20);

/// What is asked for while the program runs, which costs both a little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watch {
    /// Only times.
    Times,
    /// Memory, by a short run.
    Memory,
    /// Memory, by a long run.
    LongRun,
}

/// What a program took.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// Seconds from start to end.
    pub wall: f64,
    /// Seconds of processor time, of the user and of the system; `None` where the system does not tell.
    pub processor: Option<f64>,
    /// Bytes; `None` where the system does not tell, or nobody asked.
    pub memory: Option<u64>,
}

/// Run the program to its end.
pub fn of(command: &mut Command, watch: Watch) -> std::io::Result<(ExitStatus, Usage)> {
    let begun = Instant::now();
    let mut child = command.spawn()?;
    let mut memory = None;
    loop {
        if watch != Watch::Times {
            memory = memory.max(family(&child));
        }
        if let Some((status, processor)) = ended(&mut child, watch == Watch::Times)? {
            let wall = begun.elapsed().as_secs_f64();
            return Ok((status, Usage { wall, processor, memory }));
        }
        std::thread::sleep(match watch {
            Watch::LongRun => (begun.elapsed() / 50).clamp(PAUSE, LONG_PAUSE),
            Watch::Times | Watch::Memory => PAUSE,
        });
    }
}

/// Whether it ended, and the processor time of it and of the children that it waited for.
#[cfg(unix)]
fn ended(child: &mut Child, is_patient: bool) -> std::io::Result<Option<(ExitStatus, Option<f64>)>> {
    use std::os::unix::process::ExitStatusExt as _;
    let process = libc::pid_t::try_from(child.id()).expect("the system gave it");
    let flags = if is_patient { 0 } else { libc::WNOHANG };
    let mut status = 0;
    // SAFETY: both are plain numbers that live until the call returns; nobody else waits for this child.
    #[expect(unsafe_code, reason = "the standard library waits without asking what was used")]
    let (ended, used) = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        (libc::wait4(process, &raw mut status, flags, &raw mut used), used)
    };
    match ended {
        0 => Ok(None),
        ended if ended == process => {
            let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
            let processor = seconds(used.ru_utime) + seconds(used.ru_stime);
            Ok(Some((ExitStatus::from_raw(status), Some(processor))))
        }
        _ => Err(std::io::Error::last_os_error()),
    }
}

#[cfg(not(unix))]
fn ended(child: &mut Child, is_patient: bool) -> std::io::Result<Option<(ExitStatus, Option<f64>)>> {
    let status = if is_patient { Some(child.wait()?) } else { child.try_wait()? };
    Ok(status.map(|status| (status, None)))
}

fn family(child: &Child) -> Option<u64> {
    let (mut most, mut open) = (None, vec![child.id()]);
    while let Some(process) = open.pop() {
        most = most.max(high_water(process));
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        for thread in threads {
            let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            open.extend(children.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
        }
    }
    most
}

/// `VmHWM:     12345 kB`
fn high_water(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
