//! `--mine` leaves out what the caller's git credentials cannot read.

use super::super::client;
use super::{Organisation, envelope, places};
use crate::servers::{accept, answer, read_head};
use serde_json::{Value, json};
use std::io::{BufReader, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const SOON: (&str, &str) = ("BRV_CLOCK", "2023-11-14T22:23:19Z");
const LATER: (&str, &str) = ("BRV_CLOCK", "2023-11-14T22:23:20Z");

impl Organisation {
    fn mine_at(&self, time: &[(&str, &str)], text: &str) -> Value {
        let ran = self.env.brv_with(time, &["index", "search", text, "--mine", "--json"]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        envelope(&ran)["data"].clone()
    }

    /// Let the mark of a tree name another remote, as whoever may write the index can.
    fn move_remote(&self, tree: &str, remote: &str) {
        let documents = self.engine.documents("brv");
        let (id, _, mut mark) = documents
            .into_iter()
            .find(|(_, _, sent)| sent["kind"] == "mark" && sent["tree"] == tree)
            .unwrap();
        mark["remote"] = remote.into();
        self.write(&id, &mark);
    }

    /// Write a document as another program does.
    pub fn write(&self, id: &str, document: &Value) {
        let target = format!("/brv/_doc/{id}?refresh=true");
        let body = document.to_string();
        let answer = client::ask(&self.engine.url, "PUT", &target, Some((client::JSON, &body))).unwrap();
        assert!(answer.status < 300, "{answer:?}");
    }
}

#[test]
fn trees_whose_remote_is_gone_are_left_out_counted_and_asked_again_after_ten_minutes() {
    let organisation = Organisation::small();
    let text = "retried carts minute";
    let all = organisation.search(&[text]);
    assert_eq!(organisation.mine_at(&[], text)["results"], all["results"]);
    let (there, elsewhere) = (organisation.remote("shop"), organisation.env.path("elsewhere"));
    std::fs::rename(&there, &elsewhere).unwrap();
    // remembered
    assert_eq!(organisation.mine_at(&[SOON], text)["results"].as_array().unwrap().len(), places(&all).len());
    let less = organisation.mine_at(&[LATER], text);
    let kept: Vec<String> = places(&all).into_iter().filter(|place| place.starts_with("payments/")).collect();
    assert!(!kept.is_empty() && kept.len() < places(&all).len());
    assert_eq!(
        (places(&less), less["unreadable"].as_u64()),
        (kept.clone(), Some((places(&all).len() - kept.len()) as u64))
    );
    let ran = organisation.env.brv_with(&[LATER], &["index", "search", text, "--mine"]);
    assert!(ran.stdout.contains("left out: you cannot read"), "{}", ran.stdout);
    // without `--mine` nobody looks
    assert_eq!(places(&organisation.search(&[text])), places(&all));
    // also that something cannot be read is remembered
    std::fs::rename(&elsewhere, &there).unwrap();
    assert_eq!(places(&organisation.mine_at(&[LATER], text)), kept);
    let back = organisation.mine_at(&[("BRV_CLOCK", "2023-11-14T22:33:20Z")], text);
    assert_eq!((places(&back), back.get("unreadable")), (places(&all), None));
}

#[test]
fn what_was_found_readable_is_private_and_damage_is_no_fault() {
    let organisation = Organisation::small();
    let all = organisation.mine_at(&[], "carts");
    let file = organisation.env.path("home/.cache/brv/readable-1.json");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let kept = std::fs::read_to_string(&file).unwrap();
    let far = kept.replace("1700000000", "9223372036854775807").replace("true", "false");
    for damaged in ["", "{", "[1]", &far] {
        std::fs::write(&file, damaged).unwrap();
        assert_eq!(organisation.mine_at(&[], "carts")["results"], all["results"], "{damaged}");
    }
}

#[test]
fn limits_count_what_is_left() {
    let organisation = Organisation::small();
    let text = "retried carts minute";
    std::fs::remove_dir_all(organisation.remote("shop")).unwrap();
    let ran = organisation.env.brv(&["index", "search", text, "--mine", "--limit", "2", "--json"]);
    let trees: Vec<Value> =
        envelope(&ran)["data"]["results"].as_array().unwrap().iter().map(|row| row["tree"].clone()).collect();
    assert_eq!(trees, ["payments", "payments"]);
}

#[test]
fn nobody_is_asked_for_a_password_and_no_program_is_run() {
    let organisation = Organisation::small();
    let touched = organisation.env.path("touched");
    let script = organisation.env.path("touch.sh");
    std::fs::write(&script, format!("#!/bin/sh\necho asked >> '{}'\necho secret\n", touched.display()))
        .unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let asks = accept(None, move |stream, connection| {
        let mut reader = BufReader::new(stream);
        while let Ok(Some(_)) = read_head(&mut reader, connection) {
            counted.fetch_add(1, Ordering::SeqCst);
            let who = answer("401 Unauthorized", "WWW-Authenticate: Basic realm=\"x\"\r\n", b"who are you?");
            if reader.get_mut().write_all(&who).is_err() {
                return;
            }
        }
    });
    let run = script.display().to_string();
    let remotes = [
        format!("http://{asks}/x.git"),
        format!("ext::{run}"),
        format!("ext::sh -c {run}% %G"),
        format!("ssh://-oProxyCommand={run}/x"),
        format!("-oProxyCommand={run}:x"),
        "fd::17".into(),
        format!("--upload-pack={run}"),
        "\u{1b}[31mred".into(),
        String::new(),
        "x".repeat(20_000),
    ];
    let programs = [
        ("GIT_ASKPASS", run.as_str()),
        ("SSH_ASKPASS", &run),
        ("SSH_ASKPASS_REQUIRE", "force"),
        ("DISPLAY", ":9"),
        ("GIT_ALLOW_PROTOCOL", "ext:fd:ssh:http:file"),
    ];
    for (number, remote) in remotes.iter().enumerate() {
        organisation.move_remote("shop", remote);
        let ran =
            organisation.env.brv_with(&programs, &["index", "search", "carts are kept", "--mine", "--json"]);
        let data = envelope(&ran)["data"].clone();
        assert_eq!(ran.code, 0, "{remote}: {}", ran.stdout);
        assert_eq!(data["unreadable"], json!(2), "{number} {remote}: {data}");
        assert!(!touched.exists(), "{remote}");
    }
    assert_eq!(count.load(Ordering::SeqCst), 0, "nothing is asked without encryption");
}
