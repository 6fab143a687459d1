//! The most memory that a program held, its children included: the largest of the processes, not their sum.
//!
//! Asked of `/proc` while the program runs, so Linux only. What a process held is there until it ends, therefore only
//! what it takes in its last moments can be missed.

use std::process::{Child, Command};
use std::time::Duration;

/// How many requests.
const PAUSE: Duration = Duration::from_micros(500);

/// Run the program to its end. Bytes, `None` where the system does not tell.
pub fn peak(command: &mut Command) -> std::io::Result<(std::process::ExitStatus, Option<u64>)> {
    let mut child = command.spawn()?;
    let mut most = None;
    loop {
        most = most.max(family(&child));
        if let Some(status) = child.try_wait()? {
            return Ok((status, most));
        }
        std::thread::sleep(PAUSE);
    }
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
