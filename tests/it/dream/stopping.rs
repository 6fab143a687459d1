//! A dream that ends early, by the clock or by Ctrl-C: what it did stays, and can be taken back.

use super::*;
use brv_commands::dream::work::{self, DreamStatus, Gates, Halt, Request, RowStatus, Writer};
use brv_engine::dream::Trigger;
use brv_engine::write::overriding::Allowed;
use std::cell::Cell;

/// Dream without a writer, until it looked so many times whether it is to end.
fn halted(env: &Env, (halt, looks): (Halt, usize)) -> work::Outcome {
    let environment = env.environment();
    let cx = crate::env::context_of(env.root(), &environment);
    let opened = cx.open().unwrap();
    let asked = Cell::new(0);
    let halt = || {
        asked.set(asked.get() + 1);
        (asked.get() > looks).then_some(halt)
    };
    let request = Request {
        gates: Gates::Open,
        mode: brv_engine::Mode::Write,
        branch: None,
        writer: Writer::Nobody,
        trigger: Trigger::Manual,
        job: None,
        limit: 50,
        allowed: &Allowed::default(),
        halt: &halt,
    };
    work::run(cx.parts(&opened), &request).unwrap()
}

#[test]
fn what_was_done_until_then_stays_and_is_undone_and_redone() {
    for (halt, is_cancelled) in [(Halt::Time, false), (Halt::Cancelled, true)] {
        let env = dreaming();
        let [one, other] = ["ops/nights.md", "ops/nights-notes.md"];
        let text = "---\ntitle: Nights\n---\n\nWhoever is on call looks at the copies at nine and writes down what is missing among them.\n";
        crate::init::write(&env, &[(one, text), (other, text)]);
        commit(&env, "twins");
        // until the second decision
        let outcome = halted(&env, (halt, 1));
        assert_eq!(
            (outcome.status, outcome.is_cancelled),
            (DreamStatus::Partial, is_cancelled),
            "{outcome:#?}"
        );
        let failure = brv::say::dream::failure(&outcome).unwrap();
        let exit = if is_cancelled { brv::say::Exit::Interrupted } else { brv::say::Exit::Failed };
        assert_eq!(failure.exit, exit);
        let of = |status| outcome.operations.iter().filter(|row| row.status == status).count();
        assert_eq!((of(RowStatus::Applied), of(RowStatus::Deferred)), (1, 1), "{outcome:#?}");
        let gone = || [COPY, one, other].iter().filter(|path| read(&env, path).is_none()).count();
        assert_eq!(gone(), 1);
        let id = value!(outcome.id.unwrap().to_string());
        let is_told = |status: &str, total: usize| {
            assert_eq!(
                (&log(&env, &id)["status"], &state(&env)["totalDreams"]),
                (&value!(status), &value!(total))
            );
        };
        is_told("partial", 1);
        assert_eq!(dream(&env, &["--undo"], 0)["id"], id);
        is_told("undone", 0);
        assert_eq!((gone(), env.brv(&["undo", &crate::undo::last(&env)]).code), (0, 0));
        is_told("partial", 1);
        // what was put off comes again
        assert_eq!(dream(&env, &["--force"], 0)["summary"]["consolidated"], 1);
        assert_eq!(gone(), 2);
    }
}

#[test]
fn a_dream_that_finds_nothing_to_do_is_cancelled_as_well() {
    let env = project(&[("a/one.md", "# One\n\nText.\n")]);
    commit(&env, "start");
    let outcome = halted(&env, (Halt::Cancelled, 0));
    assert!(outcome.is_cancelled && outcome.operations.is_empty(), "{outcome:#?}");
    assert_eq!(brv::say::dream::failure(&outcome).unwrap().exit, brv::say::Exit::Interrupted);
    assert_eq!(dream(&env, &[], 0)["gate"], "activity", "it was no dream");
    // no time is needed where nothing is left to do
    assert_eq!(halted(&env, (Halt::Time, 0)).status, DreamStatus::Completed);
}

#[cfg(unix)]
#[test]
fn ctrl_c_is_answered_in_the_words_of_the_seed() {
    use std::process::Stdio;
    let env = crate::scripted::with_model(dreaming(), "slow", "time.sleep(60)");
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command.args(["dream", "--model", "--force"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    while crate::scripted::prompts(&env, "slow").is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("Cancelling task... (Ctrl-C again to force exit)"), "{said}");
    assert!(read(&env, COPY).is_some() && !env.path(".brv/dream.lock").exists());
    assert_eq!(dream(&env, &["--force"], 0)["status"], "completed");
}
