//! Who is let in: names of hosts, sites of pages, keys, cookies, and requests that nobody means well.

use super::{Site, project};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

const ENTRY: &str = "---\ntitle: Token lifetime\n---\n## Facts\n\n- **lifetime**: 24 hours\n";

#[test]
fn only_this_machine_and_who_is_signed_in_is_answered() {
    let env = project(&[("auth/tokens.md", ENTRY)]);
    let site = Site::start(&env, &[]);
    let visitor = site.sign_in();
    let host = site.address();
    let tree = format!("/{}/home", visitor.base);
    let cookie = &*visitor.cookie;
    let (local, other) = (format!("http://{host}"), "http://127.0.0.1:1");
    for (method, path, headers, expected) in [
        ("GET", "/", vec![("Host", &*host)], 200),
        ("HEAD", "/style.css", vec![("Host", &*host)], 200),
        // through a forwarded port
        ("GET", "/", vec![("Host", "localhost:9999"), ("Origin", "http://localhost:9999")], 200),
        ("GET", "/", vec![], 403),
        ("GET", "/", vec![("Host", "evil.example")], 403),
        ("GET", "/", vec![("Host", "127.0.0.1.evil.example:80")], 403),
        ("GET", "/", vec![("Host", &*host), ("Host", "evil.example")], 400),
        ("GET", "/", vec![("Host", &*host), ("Origin", "null")], 403),
        ("GET", "/", vec![("Host", &*host), ("Origin", other)], 403),
        ("GET", "/", vec![("Host", &*host), ("Origin", &*local)], 200),
        ("PUT", "/", vec![("Host", &*host)], 405),
        ("OPTIONS", "/", vec![("Host", &*host)], 405),
        ("GET", "/nothing", vec![("Host", &*host)], 404),
        ("GET", &*tree, vec![("Host", &*host)], 401),
        ("GET", &*tree, vec![("Host", &*host), ("Cookie", "brv=1")], 401),
        ("GET", &*tree, vec![("Host", &*host), ("Cookie", cookie)], 200),
        ("GET", &*tree, vec![("Host", &*host), ("Cookie", cookie), ("Sec-Fetch-Site", "none")], 200),
        ("GET", &*tree, vec![("Host", &*host), ("Cookie", cookie), ("Sec-Fetch-Site", "same-origin")], 200),
        // another server of this machine
        ("GET", &*tree, vec![("Host", &*host), ("Cookie", cookie), ("Sec-Fetch-Site", "same-site")], 401),
        ("GET", &*tree, vec![("Host", &*host), ("Cookie", cookie), ("Sec-Fetch-Site", "cross-site")], 401),
        ("POST", "/session", vec![("Host", &*host)], 401),
        ("POST", "/session", vec![("Host", &*host), ("Authorization", "Bearer 0")], 401),
        ("POST", "/key", vec![("Host", &*host), ("Authorization", "Bearer 0")], 401),
    ] {
        let answer = site.send(method, path, &headers, b"");
        // two names of hosts are refused by the parser, or by us
        let is_refused_anyway = expected == 400 && answer.status == 403;
        assert!(answer.status == expected || is_refused_anyway, "{method} {path} {headers:?}: {answer:?}");
        assert!(answer.header("access-control-allow-origin").is_none());
        if answer.status != 400 {
            assert!(answer.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
            assert_eq!(answer.header("referrer-policy"), Some("same-origin"));
            assert_eq!(answer.header("cache-control"), Some("no-store"));
        }
        if expected != 200 {
            assert!(!answer.body.contains("Token"), "{answer:?}");
        }
    }
}

#[test]
fn a_key_is_used_once_and_its_cookie_is_of_this_run_alone() {
    let env = project(&[("auth/tokens.md", ENTRY)]);
    let site = Site::start(&env, &["auth/tokens"]);
    let url = site.data["url"].as_str().unwrap();
    assert!(url.ends_with("&to=/entry/auth/tokens.md"), "{url}");
    let key = url.split_once("#key=").unwrap().1.split('&').next().unwrap();
    let bearer = format!("Bearer {key}");
    let headers = [("Host", &*site.address()), ("Authorization", &*bearer)];
    let first = site.send("POST", "/session", &headers, b"");
    assert_eq!(first.status, 200, "{first:?}");
    let base = first.body.trim().trim_start_matches("{\"base\":\"").trim_end_matches("\"}").to_owned();
    let cookie = first.header("set-cookie").unwrap();
    assert!(cookie.ends_with(&format!("; httponly; samesite=strict; path={base}/")), "{cookie}");
    assert_eq!(site.send("POST", "/session", &headers, b"").status, 401);
    // where no page may be, the way is not followed
    let second = env.brv(&["ui", "--no-open", "--json"]);
    let second: serde_json::Value = serde_json::from_str(&second.stdout).unwrap();
    assert_eq!((&second["data"]["reused"], &second["data"]["port"]), (&true.into(), &site.data["port"]));
    let without = second["data"]["without_script"].as_str().unwrap();
    let path = without.split_once(&site.address()).unwrap().1.split('?').next().unwrap();
    let answer = site.send("GET", &format!("{path}?to=//evil.example/"), &[("Host", &*site.address())], b"");
    assert_eq!(answer.header("location"), Some(&*format!("{base}/home")));
}

#[test]
fn what_is_sent_in_bad_faith_is_refused_and_the_server_goes_on() {
    let env = project(&[("auth/tokens.md", ENTRY)]);
    let site = Site::start(&env, &[]);
    let visitor = site.sign_in();
    let long = format!("/entry/{}", "a".repeat(70_000));
    for path in [
        "/entry/..%2f..%2fetc%2fpasswd",
        "/entry/../../../etc/passwd",
        "/entry/%2e%2e/%2e%2e/x.md",
        "/entry/auth%00.md",
        "/entry/auth/%ff.md",
        "/entry/.git/config",
        "/tree/..",
        "/entry/_manifest.json",
        "/nothing",
        &long,
    ] {
        let answer = visitor.get(path);
        assert!(matches!(answer.status, 400 | 404 | 414 | 431), "{path}: {}", answer.status);
        assert!(!answer.body.contains("root:"), "{path}");
    }
    let mut garbage = TcpStream::connect(site.address()).unwrap();
    garbage.write_all(b"\x16\x03\x01\0\xff nothing of HTTP\r\n\r\n").unwrap();
    drop(garbage.read(&mut [0; 64]));
    let slow: Vec<TcpStream> = (0..60)
        .map(|_| {
            let mut stream = TcpStream::connect(site.address()).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: 127").unwrap();
            stream
        })
        .collect();
    assert!(visitor.page("/tree/").contains("auth"));
    drop(slow);
    // more than are served at a time, which send nothing and leave
    let many: Vec<TcpStream> = (0..200).map(|_| TcpStream::connect(site.address()).unwrap()).collect();
    drop(many);
    assert!(visitor.page("/tree/").contains("auth"));
}

#[test]
fn a_taken_port_an_unknown_name_and_no_tree_are_told() {
    let env = project(&[("auth/tokens.md", ENTRY)]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ran = env.brv(&["ui", "--no-open", "--port", &port]);
    assert_eq!((ran.code, &*ran.stderr), (1, &*format!("error: port {port} is taken\n")));
    let ran = env.brv(&["ui", "--no-open", "auth/token"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("auth/tokens"), "{}", ran.stderr);
    let bare = crate::env::Env::new();
    assert_eq!(bare.brv(&["ui", "--no-open"]).code, 3);
    let ran = env.brv(&["ui", "--no-open", "--detach", "--port", &port]);
    assert_eq!((ran.code, &*ran.stderr), (1, &*format!("error: port {port} is taken\n")));
    let ran = env.brv_with(&[("HOME", ""), ("XDG_STATE_HOME", "")], &["ui", "--no-open", "--detach"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("the server cannot be noted"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn in_the_background_it_serves_until_it_is_ended() {
    let env = project(&[("auth/tokens.md", ENTRY)]);
    let ran = env.brv(&["ui", "--detach", "--no-open", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let envelope: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(envelope["data"]["reused"], false);
    let second = env.brv(&["ui", "--no-open", "--json"]);
    let second: serde_json::Value = serde_json::from_str(&second.stdout).unwrap();
    assert_eq!(
        (&second["data"]["reused"], &second["data"]["port"]),
        (&true.into(), &envelope["data"]["port"])
    );
    let mut notes =
        std::fs::read_dir(env.path("home/.local/state/brv/ui")).unwrap().map(|file| file.unwrap().path());
    let note = notes.find(|file| file.extension().is_some_and(|extension| extension == "json")).unwrap();
    let noted: serde_json::Value = serde_json::from_slice(&std::fs::read(note).unwrap()).unwrap();
    let process = i32::try_from(noted["process"].as_i64().unwrap()).unwrap();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(process).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    // a note of a process that is gone counts as none
    let site = Site::start(&env, &[]);
    assert_eq!(site.data["reused"], false);
}

#[test]
fn the_address_leads_to_what_is_named() {
    let env = project(&[("auth/tokens.md", ENTRY), ("HEAD.md", ENTRY)]);
    let site = Site::start(&env, &["review"]);
    let leads = |what: &str| {
        let ran = env.brv(&["ui", what, "--no-open", "--json"]);
        let envelope: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let url = envelope["data"]["url"].as_str().map(str::to_owned);
        url.map(|url| url.split_once("&to=").unwrap().1.to_owned())
    };
    assert!(site.data["url"].as_str().unwrap().ends_with("&to=/review"), "{}", site.data);
    for (what, expected) in [
        ("auth", Some("/tree/auth")),
        ("why", Some("/why")),
        ("auth/tokens", Some("/entry/auth/tokens.md")),
        ("HEAD", Some("/entry/HEAD.md")),
        ("main", Some("/commit/main")),
        ("main..main", Some("/diff/main..main")),
        ("nothing", None),
        ("main..nothing", None),
    ] {
        assert_eq!(leads(what).as_deref(), expected, "{what}");
    }
}

#[test]
fn a_strange_name_is_found_through_both_doors() {
    let env = project(&[("c#/100%/ü x.md", ENTRY), ("auth.md", ENTRY), ("auth/keys.md", ENTRY)]);
    let site = Site::start(&env, &["c#/100%/ü x"]);
    let visitor = site.sign_in();
    let strange = "/entry/c%23/100%25/%C3%BC%20x.md";
    assert!(visitor.page(strange).contains("brv read &#39;c#/100%/ü x&#39;"), "{}", visitor.page(strange));
    let second = env.brv(&["ui", "c#/100%/ü x", "--no-open", "--json"]);
    let second: serde_json::Value = serde_json::from_str(&second.stdout).unwrap();
    let path = second["data"]["without_script"].as_str().unwrap().split_once(&site.address()).unwrap().1;
    let host = site.address();
    assert_eq!(site.send("HEAD", path, &[("Host", &*host)], b"").status, 404, "a look spends no key");
    let answer = site.send("GET", path, &[("Host", &*host)], b"");
    assert_eq!(answer.header("location"), Some(&*format!("/{}{}", visitor.base, strange.to_lowercase())));
    // a folder and an entry of one name
    assert!(visitor.page("/tree/auth").contains("keys.md"));
    assert!(visitor.page("/entry/auth.md").contains("Token lifetime"));
    assert_eq!(visitor.get("/tree//auth").status, 404);
    let cookie = format!("other=\u{fc}; brv=0; {}", visitor.cookie);
    let answer =
        site.send("GET", &format!("/{}/tree/", visitor.base), &[("Host", &*host), ("Cookie", &cookie)], b"");
    assert_eq!(answer.status, 200, "another server of this machine set cookies, too");
}

#[cfg(unix)]
#[test]
fn the_first_signal_ends_a_server_that_showed_every_page_though_a_browser_is_still_connected() {
    use std::os::unix::process::ExitStatusExt as _;
    let env = project(&[("auth/tokens.md", ENTRY)]);
    for (signal, number) in [("-INT", 2), ("-TERM", 15)] {
        let mut site = Site::start(&env, &[]);
        let visitor = site.sign_in();
        for page in ["/home", "/tree", "/entry/auth/tokens", "/review", "/why", "/search?q=token", "/changed"]
        {
            assert_ne!(visitor.get(page).status, 500, "{page}");
        }
        let host = site.address();
        let mut kept = TcpStream::connect(&host).unwrap();
        let request = format!(
            "GET /{}/home HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\n\r\n",
            visitor.base, visitor.cookie
        );
        kept.write_all(request.as_bytes()).unwrap();
        assert!(kept.read(&mut [0; 64]).unwrap() > 0);
        let id = site.child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        let ended = (0..600).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            site.child.try_wait().unwrap()
        });
        assert_eq!(ended.expect("a server that goes on ends after half an hour").signal(), Some(number));
    }
}
