//! Trees that are too large for the time of one call.

use super::{added, project, start};
use crate::env::tree;

/// So many that a build for tests does not read them in the time of a hook.
const ENTRIES: usize = 2_500;

#[test]
fn a_hook_that_runs_out_of_time_says_so_and_the_next_one_goes_on() {
    let env = project();
    for number in 0..ENTRIES {
        let body = format!(
            "Calls to `src/retry.rs` are repeated {number} times by `retry_all`, and nobody waits for `src/net/`.\n"
        )
        .repeat(20);
        let file = tree(&env).join(format!("d{}/e{number}.md", number % 40));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, format!("# Entry {number}\n\n{body}")).unwrap();
    }
    // as another program brings them: brv has derived nothing
    env.git(&tree(&env), &["add", "-A"]);
    env.git(&tree(&env), &["commit", "-q", "-m", "many"]);
    let files = ["ahead", "ahead-more"].map(|name| env.path(".brv/cache/brain-8").join(name));
    let kept = || files.iter().filter_map(|file| Some(file.metadata().ok()?.len())).sum::<u64>();
    let (mut before, mut text) = (0, String::new());
    for session in 0..60 {
        let mut input = start(&env, "startup");
        input["session_id"] = format!("s{session}").into();
        let ran = env.brv_reading(&["agent-hook", "claude"], input.to_string().as_bytes());
        assert_eq!(ran.code, 0);
        text = added(&ran.stdout, "SessionStart");
        if !text.is_empty() {
            break;
        }
        assert!(ran.stderr.starts_with("brv: no context added: "), "{}", ran.stderr);
        // on a busy machine the process may be ended before
        if ran.stderr.contains("what was read is kept") {
            let now = kept();
            assert!(now > before, "{now} after {before}");
            before = now;
        }
    }
    assert!(text.contains("`d0` 63"), "{text}");
    assert_eq!(kept(), 0, "all are in the digests");
}
