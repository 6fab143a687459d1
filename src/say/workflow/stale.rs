//! CI files for the code's own pull requests: which entries they make doubtful.
//!
//! One half reads the pull request and the tree, and may change nothing; it passes JSON on. The other half may write
//! comments, and lets brv check that JSON and make the comment.

use super::{ARTIFACT, Host, InstallChoice, POST, WorkflowFile, filled, installing};
use brv_engine::Stop;

const GITHUB: &str = include_str!("github-stale.yml");
const GITHUB_COMMENT: &str = include_str!("github-stale-comment.yml");
const GITLAB: &str = include_str!("gitlab-stale.yml");

/// Finds the tree in a checkout of the code, or beside it on the remote.
const BESIDE: &str = include_str!("stale-tree.sh");

/// Clones a tree that has a remote of its own.
const CLONE: &str = include_str!("stale-clone.sh");

const ABOUT_BESIDE: &str =
    "The tree is taken from the checkout: from .brv/context-tree, else from the branch brv/<default branch>.";

/// The CI files for a host. `tree` is the address of a tree that has a remote of its own.
pub fn stale_files(
    host: Host,
    tree: Option<&str>,
    install: InstallChoice<'_>,
) -> Result<Vec<WorkflowFile>, Stop> {
    let install = installing(install)?;
    let tree = tree.map(address).transpose()?;
    let about = tree.map_or_else(|| format!("# {ABOUT_BESIDE}"), about);
    let name = tree.map(|tree| format!("TREE: '{tree}'")).unwrap_or_default();
    let token = "TREE_TOKEN: ${{ secrets.BRV_TREE_TOKEN }}";
    let variables = if tree.is_some() { format!("{name}\n{token}") } else { String::new() };
    let parts = [
        ("# @about-tree@", about.as_str()),
        ("@tree-env@", &variables),
        ("@tree-variables@", &name),
        ("@get-tree@", if tree.is_some() { CLONE } else { BESIDE }),
        ("# @about-install@", install.about),
        ("@install@", &install.script),
        ("@artifact@", ARTIFACT),
        ("@post@", POST),
    ];
    let file = |path, template| WorkflowFile { path, text: filled(template, &parts) };
    Ok(match host {
        Host::Github => vec![
            file(".github/workflows/brv-stale.yml", GITHUB),
            file(".github/workflows/brv-stale-comment.yml", GITHUB_COMMENT),
        ],
        Host::Gitlab => vec![file(".gitlab-ci.brv-stale.yml", GITLAB)],
    })
}

/// What the comment at the top says about a tree with an address.
fn about(tree: &str) -> String {
    [
        &format!("# The tree is cloned from {tree}"),
        "# If it is private, the secret BRV_TREE_TOKEN must be able to read it, and nothing else. A pull request from a fork",
        "# gets no secret: then it is skipped with a notice.",
    ]
    .join("\n")
}

/// The address, if it can stand in a CI file and in a log.
fn address(tree: &str) -> Result<&str, Stop> {
    let rest = tree
        .strip_prefix("https://")
        .filter(|rest| !rest.is_empty())
        .ok_or_else(|| Stop::usage("the address of the tree must begin with https://"))?;
    if rest.contains('@') {
        return Err(Stop::usage(
            "the address of the tree has a user or a password; put a token into the secret BRV_TREE_TOKEN",
        ));
    }
    let is_plain = |char: &char| char.is_ascii_alphanumeric() || "-._~/:+=%".contains(*char);
    match tree.chars().find(|char| !is_plain(char)) {
        Some(char) => Err(Stop::usage(format!("the address of the tree contains `{char}`"))),
        None => Ok(tree),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::workflow::stream;
    use serde_yaml::Value;

    const TREE: &str = "https://git.example.com/team/knowledge.git";
    const NONE: InstallChoice<'_> = InstallChoice { command: None, address: "" };
    const TREES: [Option<&str>; 2] = [None, Some(TREE)];

    fn parsed(host: Host, tree: Option<&str>) -> Vec<Value> {
        let files = stale_files(host, tree, NONE).unwrap();
        files.iter().map(|file| serde_yaml::from_str(&file.text).unwrap()).collect()
    }

    /// The steps of the only job of a workflow.
    fn steps(file: &Value) -> Vec<Value> {
        let (_, job) = file["jobs"].as_mapping().unwrap().iter().next().unwrap();
        assert!(job.get("permissions").is_none() && job.get("timeout-minutes").is_some());
        job["steps"].as_sequence().unwrap().clone()
    }

    #[test]
    fn the_half_that_reads_the_pull_request_may_only_read_and_the_other_reads_none_of_it() {
        for tree in TREES {
            let [compare, comment] = &parsed(Host::Github, tree)[..] else { panic!() };
            let keys = |value: &Value| serde_yaml::to_string(value).unwrap();
            assert_eq!(keys(&compare["permissions"]), "contents: read\n");
            assert_eq!(keys(&comment["permissions"]), "actions: read\npull-requests: write\n");
            assert!(
                compare["on"].get("pull_request").is_some() && compare["on"].as_mapping().unwrap().len() == 1
            );
            assert_eq!(comment["on"]["workflow_run"]["workflows"][0], compare["name"]);
            assert!(steps(comment).iter().all(|step| step.get("uses").is_none()), "it checks nothing out");
        }
    }

    #[test]
    fn no_script_contains_an_expression_and_every_action_is_pinned() {
        for file in TREES.iter().flat_map(|tree| stale_files(Host::Github, *tree, NONE).unwrap()) {
            for step in steps(&serde_yaml::from_str(&file.text).unwrap()) {
                if let Some(script) = step.get("run") {
                    assert!(!script.as_str().unwrap().contains("${{"), "{script:?}");
                }
                if let Some(uses) = step.get("uses") {
                    let (_, pin) = uses.as_str().unwrap().split_once('@').unwrap();
                    assert!(pin.len() == 40 && pin.bytes().all(|byte| byte.is_ascii_hexdigit()), "{pin}");
                }
            }
        }
    }

    #[test]
    fn the_secret_is_only_there_where_a_tree_is_cloned() {
        for (host, name) in [(Host::Github, "secrets."), (Host::Gitlab, "BRV_TREE_TOKEN")] {
            let text = |tree| stream(&stale_files(host, tree, NONE).unwrap());
            assert!(!text(None).contains(name) && !text(None).contains("TREE:"));
            assert!(text(Some(TREE)).contains(&format!("TREE: '{TREE}'")));
        }
        let [compare, _] = &parsed(Host::Github, Some(TREE))[..] else { panic!() };
        let with = steps(compare)
            .into_iter()
            .filter(|step| serde_yaml::to_string(step).unwrap().contains("secrets."));
        let names: Vec<Value> = with.map(|step| step["name"].clone()).collect();
        assert_eq!(names, ["Get the context tree"], "one step has it");
    }

    #[test]
    fn no_file_keeps_a_placeholder_and_the_install_command_stands_where_brv_runs() {
        for host in [Host::Github, Host::Gitlab] {
            for tree in TREES {
                let install = InstallChoice { command: Some("get-brv --pinned"), ..NONE };
                let files = stale_files(host, tree, install).unwrap();
                for file in &files {
                    let has_placeholder = |line: &str| line.trim_start_matches(['#', ' ']).starts_with('@');
                    assert!(!file.text.lines().any(has_placeholder), "{}", file.text);
                    assert!(file.text.lines().all(|line| line.trim_end() == line), "{}", file.text);
                    assert_eq!(file.text.matches("get-brv --pinned").count(), 1, "{}", file.path);
                }
            }
        }
    }

    #[test]
    fn an_address_that_could_act_is_refused() {
        for (tree, why) in [
            ("git@example.com:a/b", "must begin with https://"),
            ("https://", "must begin with https://"),
            ("http://example.com/a", "must begin with https://"),
            ("https://user:word@example.com/a", "BRV_TREE_TOKEN"),
            ("https://example.com/a b", "contains ` `"),
            ("https://example.com/'; id", "contains `'`"),
            ("https://example.com/$(id)", "contains `$`"),
            ("https://example.com/a\nb", "contains"),
        ] {
            let error = stale_files(Host::Github, Some(tree), NONE).unwrap_err().message;
            assert!(error.contains(why), "{tree:?}: {error}");
        }
    }
}
