//! How fast brv is beside plain git: whole processes, equal trees, alternating order, ratios of medians.
//!
//! `cargo bench` measures everything on 23,867 entries; `cargo bench -- --entries 2000` is quick. No time is asserted:
//! the table is the result. `tests/bench/README.md` holds the last one.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a benchmark starts programs, writes files, prints its table, and may panic"
)]

mod corpus;
#[path = "../it/described.rs"]
mod described;
#[expect(dead_code, unused_macros, reason = "the tests use the rest")]
#[path = "../it/env.rs"]
mod env;
mod lab;
mod large;
mod pair;
mod rows;
#[expect(dead_code, reason = "the tests use the rest")]
#[path = "../it/servers.rs"]
mod servers;
mod soak;
mod table;
mod technical;
mod usage;
#[expect(dead_code, reason = "the tests use the rest")]
#[path = "../it/mcp/wire.rs"]
mod wire;
mod words;

use lab::{Lab, Options, Work};
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo bench -- [--entries N] [--tree DIR] [--rounds N] [--only NAME]...
       cargo bench -- large      every command once in a tree of a million entries, or --entries N
       cargo bench -- soak       clients of `brv mcp` for ten minutes, or BRV_SOAK_SECONDS
       cargo bench -- technical  how well questions are served, beside BM25 and MiniSearch; needs BRV_IT_SERVERS

  --entries N   size of the generated tree [default: 23867, or a million]
  --tree DIR    measure with the files of this folder instead
  --rounds N    repetitions of slow commands; quick ones take four times as many [default: 5]
  --only NAME   only rows whose names contain NAME
  --place DIR   work below this folder [default: /dev/shm, in memory; where there is none, or for more than 200,000
                entries, the folder of temporary files]
  --brv FILE    measure this program instead of the one just built";

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "soak") {
        return soak();
    }
    if std::env::args().any(|argument| argument == "technical") {
        technical::run();
        return ExitCode::SUCCESS;
    }
    let options = match options(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(wrong) => {
            eprintln!("{wrong}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let lab = Lab::new(options);
    let machine = machine(&lab);
    match lab.options.work {
        Work::Large => large::run(&lab),
        Work::Rows => {
            rows::run_all(&lab);
            println!("{}", table::HEAD);
            lab.rows().iter().for_each(|row| println!("{row}"));
        }
    }
    println!("\n{machine}");
    ExitCode::SUCCESS
}

/// A long run of several clients and plain git on one tree.
fn soak() -> ExitCode {
    let seconds = std::env::var("BRV_SOAK_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    let env = env::Env::new();
    let report = soak::start(&env, std::time::Duration::from_secs(seconds));
    println!("{report}");
    match report.faults().as_slice() {
        [] => ExitCode::SUCCESS,
        faults => {
            println!("{}", faults.join("\n"));
            ExitCode::FAILURE
        }
    }
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut options = Options {
        work: Work::Rows,
        entries: 0,
        tree: None,
        rounds: 5,
        only: Vec::new(),
        place: None,
        program: None,
    };
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("`{argument}` needs a value"));
        let number = |text: String| match text.parse() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("`{text}` is not a number above zero")),
        };
        match argument.as_str() {
            // what `cargo bench` itself passes on
            "--bench" => {}
            "large" => options.work = Work::Large,
            "--entries" => options.entries = number(value()?)?,
            "--rounds" => options.rounds = number(value()?)?,
            "--tree" => options.tree = Some(PathBuf::from(value()?)),
            "--only" => options.only.push(value()?),
            "--place" => options.place = Some(PathBuf::from(value()?)),
            "--brv" => options.program = Some(PathBuf::from(value()?)),
            "-h" | "--help" => return Ok(None),
            other => return Err(format!("unknown argument `{other}`")),
        }
    }
    if options.entries == 0 {
        options.entries = match options.work {
            Work::Rows => 23_867,
            Work::Large => 1_000_000,
        };
    }
    Ok(Some(options))
}

fn machine(lab: &Lab) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let says = |mut command: std::process::Command| {
        String::from_utf8_lossy(&command.output().unwrap().stdout).trim().to_owned()
    };
    let root = lab.env.root();
    let (brv, git) = (says(lab.brv(root, &["--version"])), says(lab.git(root, &["--version"])));
    let tree = match lab.options.work {
        Work::Large => format!("{} entries", lab.options.entries),
        Work::Rows => {
            let bytes: usize = lab.files().iter().map(|file| file.text.len()).sum();
            format!("{} files, {:.1} MB", lab.files().len(), bytes as f64 / 1e6)
        }
    };
    let place =
        if lab.is_in_memory() { "in memory" } else { "not in memory: what the disk does counts, too" };
    format!(
        "{cores} cores, {} {}; {brv}, {git}; {tree}; {place}",
        std::env::consts::OS,
        std::env::consts::ARCH
    )
}
