//! What is decided on the pages: one operation each, of the text that was shown, by who may.

use super::{Form, Site, form, project};
use crate::env::Env;
use serde_json::Value;

const PORT: &str = "---\ntitle: Port\ndisputed: [port]\n---\n\n# Port\n\n## Facts\n\n- **port**: 8080\n- **port**: 9090\n\
    - **host \"<b>**: localhost\n";

/// Two entries, and a change of one that waits for review.
fn reviewed() -> Env {
    let env = project(&[("ops/net/port.md", PORT), ("ops/net/old.md", "---\ntitle: Old\n---\nOld.\n")]);
    let ops = env.path("ops.json");
    std::fs::write(&ops, r#"[{"type":"DELETE","path":"ops/net/old.md","reason":"unused"}]"#).unwrap();
    let ran = env.brv_with(&[("BRV_ACTOR", "bot")], &["curate", "--ops", ops.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    env
}

fn pending(env: &Env) -> Vec<Value> {
    let ran = env.brv(&["review", "pending", "--json"]);
    let envelope: Value = serde_json::from_str(&ran.stdout).unwrap();
    envelope["data"]["pending"].as_array().unwrap().clone()
}

fn text(env: &Env, path: &str) -> String {
    std::fs::read_to_string(env.path(".brv/context-tree").join(path)).unwrap_or_default()
}

#[test]
fn a_dispute_is_settled_and_a_fact_fixed_of_the_text_that_was_shown() {
    let env = reviewed();
    let site = Site::start(&env, &[]);
    let visitor = site.sign_in();
    let shown = visitor.page("/entry/ops/net/port.md");
    let (settle, fix) = (form(&shown, "settle").unwrap(), form(&shown, "fix").unwrap());
    let fixed = visitor.after(&visitor.post(&fix, &[("text", "example.org")]));
    assert!(fixed.contains("The fact is changed.") && fixed.contains("example.org"), "{fixed}");
    assert!(text(&env, "ops/net/port.md").contains("- **host \"<b>**: example.org\n"));
    let log = env.brv(&["vc", "log", "-n", "1"]);
    assert!(
        log.stdout.contains("fixed a fact (ui)") && !log.stdout.contains("Brv-Actor: bot"),
        "{}",
        log.stdout
    );
    // the dispute was shown with another text around it
    let before = text(&env, "ops/net/port.md");
    let moved = visitor.post(&settle, &[("keep", "text"), ("text", "7070 <i>")]);
    assert_eq!((moved.status, text(&env, "ops/net/port.md")), (409, before));
    assert!(
        moved.body.contains("nothing was written") && moved.body.contains("7070 &lt;i&gt;"),
        "{}",
        moved.body
    );
    assert!(moved.body.contains("localhost") && moved.body.contains("example.org"), "both versions");
    // the same, about what is there now
    let again = form(&moved.body, "settle").unwrap();
    let settled = visitor.after(&visitor.post(&again, &[("text", "7070")]));
    assert!(settled.contains("Settled in the file, which is not committed yet"), "{settled}");
    assert!(text(&env, "ops/net/port.md").contains("- **port**: 7070\n"));
    let undone = visitor.after(&visitor.post(&form(&settled, "undo").unwrap(), &[]));
    assert!(undone.contains("Undone.") && text(&env, "ops/net/port.md").contains("- **port**: 9090\n"));
    // another commit with the same text is no other text
    let fix = form(&undone, "fix").unwrap();
    std::fs::write(env.path(".brv/context-tree/ops/net/new.md"), "---\ntitle: New\n---\n").unwrap();
    env.brv(&["vc", "add", "ops/net/new.md"]);
    env.brv(&["vc", "commit", "-q", "-m", "other"]);
    visitor.after(&visitor.post(&fix, &[("text", "10.0.0.1")]));
    let wrong = form(&visitor.page("/entry/ops/net/port.md"), "fix").unwrap();
    assert_eq!(visitor.post(&wrong, &[("text", " ")]).status, 400);
    let secret = visitor.post(&wrong, &[("text", "key AKIAIOSFODNN7EXAMPLQ")]);
    assert_eq!(secret.status, 422, "{}", secret.body);
    assert!(secret.body.contains("BRV006"), "{}", secret.body);
}

#[test]
fn a_change_is_approved_taken_back_and_rejected() {
    let env = reviewed();
    let site = Site::start(&env, &[]);
    let visitor = site.sign_in();
    let waiting = pending(&env);
    let page = format!("/review/{}", waiting[0]["id"].as_str().unwrap());
    let shown = visitor.page(&page);
    assert!(shown.contains("Review <b>1</b>"), "{shown}");
    let approved = visitor.after(&visitor.post(&form(&shown, "approve").unwrap(), &[]));
    assert!(approved.contains("Approved.") && pending(&env).is_empty(), "{approved}");
    let reopened = visitor.after(&visitor.post(&form(&approved, "reopen").unwrap(), &[]));
    assert!(reopened.contains("waits for review again") && pending(&env) == waiting, "{reopened}");
    let log = env.brv(&["review", "log"]);
    assert!(log.stdout.contains("approved") && log.stdout.contains("(ui)"), "{}", log.stdout);
    let reject = form(&reopened, "reject").unwrap();
    let rejected = visitor.after(&visitor.post(&reject, &[("text", "still in use")]));
    assert!(rejected.contains("Rejected:") && pending(&env).is_empty(), "{rejected}");
    assert!(text(&env, "ops/net/old.md").contains("Old."));
    let log = env.brv(&["review", "log"]);
    assert!(log.stdout.contains("still in use (ui)"), "{}", log.stdout);
    // what was decided meanwhile is another text
    let stale = visitor.post(&reject, &[]);
    assert_eq!(stale.status, 409, "{}", stale.body);
}

#[test]
fn an_entry_is_archived_and_comes_back() {
    let env = reviewed();
    let site = Site::start(&env, &[]);
    let visitor = site.sign_in();
    let form_of = |page: &str| form(&visitor.page(page), "archive").unwrap();
    let archived = visitor.after(&visitor.post(&form_of("/entry/ops/net/port.md"), &[]));
    assert!(archived.contains("Archived.") && text(&env, "ops/net/port.md").is_empty());
    visitor.after(&visitor.post(&form(&archived, "undo").unwrap(), &[]));
    assert_eq!(text(&env, "ops/net/port.md"), PORT);
    // an editor saved beside: what was not committed is not archived
    std::fs::write(env.path(".brv/context-tree/ops/net/port.md"), format!("{PORT}- **more**: 1\n")).unwrap();
    let dirty = visitor.post(&form_of("/entry/ops/net/port.md"), &[]);
    assert!(dirty.status >= 400 && dirty.body.contains("dirty"), "{}", dirty.body);
    assert!(text(&env, "ops/net/port.md").ends_with("- **more**: 1\n"));
}

#[test]
fn a_form_of_another_run_of_another_kind_or_too_long_is_not_taken() {
    let env = reviewed();
    let site = Site::start(&env, &[]);
    let visitor = site.sign_in();
    let fix = form(&visitor.page("/entry/ops/net/port.md"), "fix").unwrap();
    let without = |name: &str| Form {
        fields: fix.fields.iter().filter(|(known, _)| known != name).cloned().collect(),
        ..fix.clone()
    };
    assert_eq!(visitor.post(&without("secret"), &[("text", "x")]).status, 403);
    let old = visitor.post(&without("secret"), &[("secret", "0"), ("text", "typed in an old tab")]);
    assert!(old.status == 403 && old.body.contains("typed in an old tab"), "{}", old.body);
    let other = site.send("GET", "/0123456789abcdef/tree/", &[("Host", &site.address())], b"");
    assert!(other.status == 404 && other.body.contains("of a server that has ended"), "{}", other.body);
    assert_eq!(visitor.post(&without("seen"), &[("text", "x")]).status, 400);
    assert_eq!(visitor.send_form(&fix.action, "text/plain", b"secret=").status, 415);
    let push = fix.action.replace("/fix", "/push");
    assert_eq!(visitor.send_form(&push, "application/x-www-form-urlencoded", b"secret=").status, 404);
    let long = vec![b'a'; (1 << 20) + 1];
    assert_eq!(visitor.send_form(&fix.action, "application/x-www-form-urlencoded", &long).status, 413);
    let stranger = super::Visitor { site: &site, base: visitor.base.clone(), cookie: "brv=0".into() };
    assert_eq!(stranger.post(&fix, &[("text", "x")]).status, 401);
    // the page that a form says it stands on is one of ours
    let elsewhere = visitor.post(&without("from"), &[("from", "//evil.example/"), ("text", "y")]);
    assert!(elsewhere.header("location").unwrap().starts_with(&format!("/{}/home?done=", visitor.base)));
    assert!(text(&env, "ops/net/port.md").contains(": y\n"));
}

#[test]
fn what_a_sign_in_grants_belongs_to_who_asked_for_it() {
    let env = reviewed();
    let site = Site::start(&env, &[]);
    assert_eq!(site.data["read_only"], false);
    let person = site.sign_in();
    let fix = form(&person.page("/entry/ops/net/port.md"), "fix").unwrap();
    // beside a person's server, an agent and who only wants to read get less
    for (actor, arguments) in [(Some("bot"), &[][..]), (None, &["--read-only"][..])] {
        let arguments = [&["ui", "--no-open", "--json"], arguments].concat();
        let ran = match actor {
            Some(actor) => env.brv_with(&[("BRV_ACTOR", actor)], &arguments),
            None => env.brv(&arguments),
        };
        let envelope: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(
            (&envelope["data"]["reused"], &envelope["data"]["read_only"]),
            (&true.into(), &true.into())
        );
        let visitor = site.sign_in_at(envelope["data"]["without_script"].as_str().unwrap());
        let shown = visitor.page("/entry/ops/net/port.md");
        assert!(form(&shown, "fix").is_none() && shown.contains("8080"), "{shown}");
        let refused = visitor.post(&fix, &[("text", "x")]);
        assert_eq!(refused.status, 403, "{}", refused.body);
        assert!(refused.body.contains("brv ui"), "{}", refused.body);
    }
    drop(site);
    // a server that only reads gives nobody more
    let site = Site::start(&env, &["--read-only"]);
    assert_eq!(site.data["read_only"], true);
    assert!(form(&site.sign_in().page("/entry/ops/net/port.md"), "fix").is_none());
    let ran = env.brv(&["ui", "--no-open", "--json"]);
    assert!(ran.stdout.contains("\"read_only\":true"), "{}", ran.stdout);
}

#[test]
fn a_dream_on_a_branch_is_merged_or_deleted() {
    let text = "---\ntitle: TITLE\n---\nTokens are signed by the gate, and checked by each service without asking it again.\n\n\
        ## Facts\n\n- **life**: tokens live 12 hours\n";
    let entries = ["Life", "Life of tokens"].map(|title| text.replace("TITLE", title));
    let env =
        project(&[("auth/tokens/life.md", &*entries[0]), ("auth/tokens/life_of_tokens.md", &*entries[1])]);
    for branch in ["dream/one", "dream/two"] {
        let ran = env.brv(&["dream", "--force", &format!("--branch={branch}")]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let site = Site::start(&env, &[]);
    let visitor = site.sign_in();
    assert!(visitor.page("/review").contains("/review/branch/dream/one\""));
    let page = visitor.page("/review/branch/dream/one");
    assert!(
        page.contains("merged") && page.contains("dropped:") && page.contains("/findings/HEAD...dream/one"),
        "{page}"
    );
    assert!(visitor.page("/findings/HEAD...dream/one?part").contains("Findings"));
    let merge = form(&page, "merge").unwrap();
    let merged = visitor.after(&visitor.post(&merge, &[]));
    assert!(merged.contains("Merged."), "{merged}");
    assert!(!env.path(".brv/context-tree/auth/tokens/life_of_tokens.md").exists());
    let undone = visitor.after(&visitor.post(&form(&merged, "undo").unwrap(), &[]));
    assert!(undone.contains("Undone."), "{undone}");
    assert!(env.path(".brv/context-tree/auth/tokens/life_of_tokens.md").exists());
    // somebody committed to the branch meanwhile
    let delete = form(&visitor.page("/review/branch/dream/two"), "delete").unwrap();
    env.brv(&["vc", "switch", "dream/two"]);
    env.brv(&["vc", "mv", "auth/tokens/life.md", "auth/tokens/span.md"]);
    env.brv(&["vc", "commit", "-q", "-m", "renamed"]);
    env.brv(&["vc", "switch", "main"]);
    let moved = visitor.post(&delete, &[]);
    assert_eq!(moved.status, 409, "{}", moved.body);
    // only a dream's
    env.brv(&["vc", "branch", "feature/keep"]);
    assert_eq!(visitor.get("/review/branch/feature/keep").status, 404);
    let fields =
        delete.fields.iter().filter(|(name, _)| name != "branch" && name != "tip").cloned().collect();
    let other = Form { fields, ..delete };
    assert_eq!(visitor.post(&other, &[("branch", "feature/keep")]).status, 400);
    let delete = form(&visitor.page("/review/branch/dream/two"), "delete").unwrap();
    let deleted = visitor.after(&visitor.post(&delete, &[]));
    assert!(!deleted.contains("dream/two") && visitor.get("/review/branch/dream/two").status == 404);
    visitor.after(&visitor.post(&form(&deleted, "undo").unwrap(), &[]));
    assert!(visitor.page("/review").contains("/review/branch/dream/two\""));
}

#[test]
fn a_comment_reaches_the_agent_and_its_answer_the_page() {
    let env = reviewed();
    let site = Site::start(&env, &[]);
    let visitor = site.sign_in();
    let shown = visitor.page("/entry/ops/net/port.md");
    let comment = form(&shown, "comment").unwrap();
    let said =
        visitor.after(&visitor.post(&comment, &[("fact", "host \"<b>"), ("text", "which <host>?\nours?")]));
    assert!(said.contains("which &lt;host&gt;?\nours?") && said.contains("? open"), "{said}");
    assert_eq!(visitor.post(&comment, &[("text", "key AKIAIOSFODNN7EXAMPLQ")]).status, 422);
    assert_eq!(visitor.post(&comment, &[("fact", "none"), ("text", "x")]).status, 400);
    // the agent is told, and answers
    let prime = env.brv_with(&[("BRV_ACTOR", "bot")], &["prime"]);
    assert!(prime.stdout.contains("which <host>?"), "{}", prime.stdout);
    let listed = env.brv(&["review", "comments", "--json"]);
    let envelope: Value = serde_json::from_str(&listed.stdout).unwrap();
    let id = envelope["data"]["comments"][0]["id"].as_str().unwrap();
    let ran = env.brv_with(&[("BRV_ACTOR", "bot")], &["review", "answer", id, "-m", "the gate's"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let answered = visitor.page("/entry/ops/net/port.md");
    assert!(answered.contains("the gate&#39;s") && answered.contains(">answered<"), "{answered}");
    // one on a change is closed by what is decided
    let id = pending(&env)[0]["id"].as_str().unwrap().to_owned();
    let page = format!("/review/{id}");
    let said =
        visitor.after(&visitor.post(&form(&visitor.page(&page), "comment").unwrap(), &[("text", "why?")]));
    assert!(said.contains("why?"), "{said}");
    visitor.after(&visitor.post(&form(&said, "approve").unwrap(), &[]));
    assert!(!visitor.page(&page).contains("why?"));
    assert!(env.brv(&["review", "comments", "--all"]).stdout.contains("closed"));
    // an agent's sign-in may comment
    let ran = env.brv_with(&[("BRV_ACTOR", "bot")], &["ui", "--no-open", "--json"]);
    let envelope: Value = serde_json::from_str(&ran.stdout).unwrap();
    let agent = site.sign_in_at(envelope["data"]["without_script"].as_str().unwrap());
    let comment = form(&agent.page("/entry/ops/net/port.md"), "comment").unwrap();
    assert!(agent.after(&agent.post(&comment, &[("text", "seen")])).contains("<bdi>bot</bdi>"));
}

#[test]
fn while_another_command_writes_a_form_is_kept() {
    let env = reviewed().with("BRV_LOCK_TIMEOUT", "0");
    let site = Site::start(&env, &[]);
    let visitor = site.sign_in();
    let fix = form(&visitor.page("/entry/ops/net/port.md"), "fix").unwrap();
    let lock = env.path(".brv/context-tree/.git/brv/lock");
    let guard = brv_base::fs::WriteGuard::acquire(&lock, std::time::Duration::ZERO).unwrap();
    let busy = visitor.post(&fix, &[("text", "typed meanwhile")]);
    assert_eq!(busy.status, 503, "{}", busy.body);
    assert!(
        busy.body.contains("another brv is writing") && busy.body.contains("typed meanwhile"),
        "{}",
        busy.body
    );
    assert_eq!(text(&env, "ops/net/port.md"), PORT);
    drop(guard);
    visitor.after(&visitor.post(&form(&busy.body, "fix").unwrap(), &[("text", "typed meanwhile")]));
    assert!(text(&env, "ops/net/port.md").contains(": typed meanwhile\n"));
}

#[test]
fn a_value_that_is_masked_is_never_sent_back() {
    let env = project(&[("a/b.md", "---\ntitle: B\n---\n\n## Facts\n\n- **host**: x\n")]);
    let file = env.path(".brv/context-tree/a/b.md");
    let before = std::fs::read_to_string(&file).unwrap() + "- **key**: AKIAIOSFODNN7EXAMPLQ\n";
    std::fs::write(&file, &before).unwrap();
    let site = Site::start(&env, &[]);
    let page = site.sign_in().page("/entry/a/b.md");
    assert_eq!(page.matches("/act/fix\"").count(), 1, "{page}");
    assert!(page.contains("<summary>Fix<span class=\"sr\"> host"), "{page}");
}

#[test]
fn what_an_operation_did_is_undone_from_the_history() {
    let env = reviewed();
    let site = Site::start(&env, &[]);
    let visitor = site.sign_in();
    let commit = env.git(&env.path(".brv/context-tree"), &["rev-parse", "HEAD"]);
    for page in ["/changes", &format!("/commit/{commit}")] {
        let undo = form(&visitor.page(page), "undo").unwrap();
        let undone = visitor.after(&visitor.post(&undo, &[]));
        assert!(undone.contains("Undone.") && text(&env, "ops/net/old.md").contains("Old."), "{undone}");
        let again = visitor.after(&visitor.post(&form(&undone, "undo").unwrap(), &[]));
        assert!(again.contains("Undone.") && text(&env, "ops/net/old.md").is_empty(), "{again}");
    }
}

#[test]
fn while_a_merge_is_not_finished_nothing_is_decided() {
    let env = project(&[("a/b.md", "---\ntitle: B\n---\nOne line.\n")]);
    env.brv(&["vc", "branch", "other"]);
    for (branch, line) in [("other", "Theirs: always."), ("main", "Ours: never.")] {
        env.brv(&["vc", "switch", branch]);
        std::fs::write(env.path(".brv/context-tree/a/b.md"), format!("---\ntitle: B\n---\n{line}\n"))
            .unwrap();
        env.brv(&["vc", "commit", "-q", "-a", "-m", line]);
    }
    assert_eq!(env.brv(&["vc", "merge", "other"]).code, 5);
    let site = Site::start(&env, &[]);
    let visitor = site.sign_in();
    for page in ["/entry/a/b.md", "/review", "/home"] {
        let shown = visitor.page(page);
        assert!(shown.contains("A merge is not finished") && form(&shown, "archive").is_none(), "{shown}");
    }
}
