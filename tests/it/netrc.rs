//! `.netrc`: sent with the first request as git sends it through curl, and nowhere else.

use crate::credentials::{ADA, read, tried, world};
use crate::network::World;
use crate::servers::{Http, ServerMode};
use brv_git::network;

/// The user's `.netrc`, in the home of the test.
fn netrc(world: &World, text: &str) {
    std::fs::write(world.env.path("home/.netrc"), text).unwrap();
}

const WRONG: &str = "Basic YWRhOndyb25n";

#[test]
fn a_netrc_is_sent_with_the_first_request_as_git_sends_it() {
    let (world, server) = world();
    netrc(&world, "machine 127.0.0.1 login ada password \"secret\"\n");
    #[cfg(unix)]
    std::fs::set_permissions(
        world.env.path("home/.netrc"),
        std::os::unix::fs::PermissionsExt::from_mode(0o644),
    )
    .unwrap();
    let log = world.telling("username=ada\\npassword=secret\\n");
    world.fetch();
    let ours = server.seen();
    assert!(ours.iter().all(|request| request.authorization.as_deref() == Some(&format!("Basic {ADA}"))));
    world.env.git(world.ours(), &["ls-remote", "-q", "origin"]);
    // git lets curl ask without credentials before
    let gits = &server.seen()[ours.len()..];
    assert_eq!(gits.last().unwrap().authorization, ours[0].authorization);
    assert_eq!(read(&log), "", "no helper was needed, and none gets the password");
    // the variable names another file
    let other = world.env.path("other-netrc");
    std::fs::write(&other, "default login ada password secret\n").unwrap();
    netrc(&world, "machine 127.0.0.1 login ada password wrong\n");
    let env = world.env.with("NETRC", other.as_os_str());
    let url = server.url("bare.git");
    let cloned = env.brv(&["vc", "clone", &url, "copy"]);
    assert_eq!(cloned.code, 0, "{}", cloned.stderr);
    assert!(!tried(&server).contains(&WRONG.to_owned()));
}

#[test]
fn the_user_of_the_url_selects_the_entry_and_a_rejected_one_leaves_the_helpers() {
    let (world, server) = world();
    netrc(&world, "machine 127.0.0.1 login bob password x\nmachine 127.0.0.1 login ada password secret\n");
    let url = server.url("bare.git");
    world.config(&["remote.origin.url", &url.replace("//", "//ada@")]);
    world.fetch();
    assert_eq!(tried(&server), [format!("Basic {ADA}")]);
    // an entry of another user is not sent
    world.config(&["remote.origin.url", &url.replace("//", "//eve@")]);
    assert_eq!(world.reason(), "no credentials are set");
    assert_eq!(tried(&server), [format!("Basic {ADA}")]);
    world.config(&["remote.origin.url", &url]);
    netrc(&world, "machine 127.0.0.1 login ada password wrong\n");
    let error = world.refusal();
    assert!(error.to_string().ends_with(": the server rejected the credentials in `.netrc`"), "{error}");
    assert!(!format!("{error} {error:?}").contains("wrong"), "{error:?}");
    let log = world.telling("username=ada\\npassword=secret\\n");
    world.fetch();
    assert!(read(&log).contains("[store]\n") && !read(&log).contains("wrong"), "{}", read(&log));
    assert!(tried(&server).contains(&WRONG.to_owned()));
}

#[test]
fn a_netrc_is_not_sent_to_where_a_redirect_leads_nor_in_clear_text_to_other_machines() {
    let (world, end) = world();
    let start = Http::start(world.env.root(), ServerMode::Redirect(format!("http://{}", end.address())));
    netrc(&world, "default login ada password secret\n");
    world.config(&["remote.origin.url", &start.url("bare.git")]);
    assert!(matches!(world.refusal(), network::Error::Redirected { .. }));
    assert_eq!((tried(&start), tried(&end)), (vec![format!("Basic {ADA}")], Vec::new()));
    // what looks like another machine is reached through a proxy
    let proxy = Http::start(world.env.root(), ServerMode::Open);
    world.config(&["http.proxy", &format!("http://{}", proxy.address())]);
    world.config(&["remote.origin.url", "http://git.invalid/bare.git"]);
    world.fetch();
    assert!(!proxy.seen().is_empty() && tried(&proxy).is_empty());
    world.config(&["http.allowInsecureCredentials", "true"]);
    world.fetch();
    assert_eq!(tried(&proxy), [format!("Basic {ADA}")]);
}
