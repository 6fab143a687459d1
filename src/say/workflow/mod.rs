//! CI files for GitHub and GitLab that check a context tree, and those that compare it with the code.
//!
//! Pure: the templates and an install command in, text out. The templates contain the shell scripts and their reasons.

mod stale;

pub use stale::stale_files;

use super::address::{VERSION, release};
use brv_base::escape::escape;
use brv_engine::Stop;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

const GITHUB_CHECK: &str = include_str!("github-check.yml");
const GITHUB_COMMENT: &str = include_str!("github-comment.yml");
const GITLAB: &str = include_str!("gitlab.yml");

/// Finds the context tree in a checkout, for every host.
const TREE: &str = include_str!("tree.sh");

/// The trusted half of a pair of workflows: downloads what the other half passed on, and updates a comment.
const ARTIFACT: &str = include_str!("github-artifact.sh");
const POST: &str = include_str!("github-post.sh");

/// Without an install command: runs the installer of this version's release.
const RELEASED: &str = include_str!("release.sh");

/// Without an install command and without an address: stops if the runner does not have this version.
const INSTALLED: &str = include_str!("install.sh");

const ABOUT_RELEASED: &str = "\
# brv is installed by the installer of this version's release. Another command can take its place: --install COMMAND. It
# must install one exact version and check its checksum. Its folder is empty, and ~/.local/bin is on the PATH.";

const ABOUT_COMMAND: &str = "\
# brv is installed by the command given by --install. It must install one exact version and check its checksum. Its folder
# is empty, and ~/.local/bin is on the PATH. The file install.sh of a release does all of this.";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WorkflowFile")]
pub struct WorkflowFile {
    /// Its path in the repository.
    pub path: &'static str,
    /// Its text.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// GitHub Actions.
    Github,
    /// GitLab CI/CD.
    Gitlab,
}

/// How the files install brv.
#[derive(Debug, Clone, Copy)]
pub struct InstallChoice<'a> {
    /// A shell command of any number of lines that puts brv on the `PATH`.
    pub command: Option<&'a str>,
    /// The address of the project, whose release is installed if there is no command; empty if it has none.
    pub address: &'a str,
}

/// The parts of a file that install brv, and that say how.
#[derive(Debug)]
struct InstallParts {
    script: String,
    about: &'static str,
}

/// The CI files for a host.
pub fn files(host: Host, install: InstallChoice<'_>) -> Result<Vec<WorkflowFile>, Stop> {
    let install = installing(install)?;
    let parts = [
        ("@tree@", TREE),
        ("# @about-install@", install.about),
        ("@install@", &install.script),
        ("@artifact@", ARTIFACT),
        ("@post@", POST),
    ];
    let file = |path, template| WorkflowFile { path, text: filled(template, &parts) };
    Ok(match host {
        Host::Github => vec![
            file(".github/workflows/brv-check.yml", GITHUB_CHECK),
            file(".github/workflows/brv-comment.yml", GITHUB_COMMENT),
        ],
        Host::Gitlab => vec![file(".gitlab-ci.brv.yml", GITLAB)],
    })
}

fn installing(install: InstallChoice<'_>) -> Result<InstallParts, Stop> {
    let (script, about) = match (install.command, release(install.address)) {
        (Some(command), _) => return Ok(InstallParts { script: valid(command)?, about: ABOUT_COMMAND }),
        (None, Some(release)) => (RELEASED.replace("@release@", &release), ABOUT_RELEASED),
        (None, None) => (INSTALLED.to_owned(), ABOUT_COMMAND),
    };
    Ok(InstallParts { script: script.replace("@version@", VERSION), about })
}

/// All files as one text: each after a line with its path, with `---` between them.
pub fn stream(files: &[WorkflowFile]) -> String {
    let each: Vec<String> =
        files.iter().map(|file| format!("# file: {}\n{}", file.path, file.text)).collect();
    each.join("---\n")
}

fn valid(command: &str) -> Result<String, Stop> {
    let command = command.replace("\r\n", "\n");
    if command.trim().is_empty() {
        return Err(Stop::usage("the install command is empty"));
    }
    if let Some(shown) = command.chars().find_map(unprintable) {
        return Err(Stop::usage(format!(
            "the install command contains the control or invisible character {shown}"
        )));
    }
    if command.contains("${{") {
        return Err(Stop::usage(
            "the install command contains `${{`, which GitHub replaces before the shell runs",
        ));
    }
    Ok(command)
}

/// The escape of a character that ends a line for some YAML readers, that YAML forbids, or that a reviewer cannot see.
fn unprintable(char: char) -> Option<String> {
    if matches!(char, '\u{fffe}' | '\u{ffff}') {
        return Some(char.escape_unicode().to_string());
    }
    match escape(char.encode_utf8(&mut [0; 4]).as_bytes()) {
        Cow::Borrowed(_) => None,
        Cow::Owned(escaped) => Some(escaped),
    }
}

/// The template with the parts in place of the lines that name them; an empty part leaves no line.
fn filled(template: &str, parts: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len());
    for line in template.lines() {
        let part = parts.iter().find(|(name, _)| *name == line.trim_start());
        let Some((_, part)) = part else {
            push(&mut text, "", line);
            continue;
        };
        let indent = &line[..line.len() - line.trim_start().len()];
        for line in part.trim_matches('\n').split('\n').filter(|_| !part.is_empty()) {
            push(&mut text, indent, line);
        }
    }
    text
}

/// Append a line; an empty one stays empty.
fn push(text: &mut String, indent: &str, line: &str) {
    if !line.is_empty() {
        text.push_str(indent);
        text.push_str(line);
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_yaml::Value;

    const ADDRESS: &str = "https://host.test/owner/brv";

    fn by(command: Option<&str>) -> InstallChoice<'_> {
        InstallChoice { command, address: "" }
    }

    fn parsed(host: Host, install: Option<&str>) -> Vec<Value> {
        files(host, by(install))
            .unwrap()
            .iter()
            .map(|file| serde_yaml::from_str(&file.text).unwrap())
            .collect()
    }

    /// All shell scripts of a CI file, in order.
    fn scripts(file: &Value) -> Vec<String> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        if let Some(job) = file.get("brv-check") {
            return job["script"].as_sequence().unwrap().iter().map(text).collect();
        }
        let jobs = file["jobs"].as_mapping().unwrap().values();
        let steps = jobs.flat_map(|job| job["steps"].as_sequence().unwrap());
        steps.filter_map(|step| step.get("run")).map(text).collect()
    }

    fn keys(mapping: &Value) -> Vec<(&str, &str)> {
        let mapping = mapping.as_mapping().unwrap();
        mapping.iter().map(|(key, value)| (key.as_str().unwrap(), value.as_str().unwrap())).collect()
    }

    #[test]
    fn the_untrusted_workflow_reads_and_the_trusted_one_only_writes_comments() {
        let files = parsed(Host::Github, None);
        assert_eq!(keys(&files[0]["permissions"]), [("contents", "read")]);
        assert_eq!(keys(&files[1]["permissions"]), [("actions", "read"), ("pull-requests", "write")]);
        assert_eq!(files[1]["on"]["workflow_run"]["workflows"][0], files[0]["name"]);
        for file in &files {
            for (_, job) in file["jobs"].as_mapping().unwrap() {
                assert!(job.get("permissions").is_none() && job.get("timeout-minutes").is_some());
            }
        }
    }

    #[test]
    fn the_trusted_workflow_uses_no_action_checks_nothing_out_and_posts_what_brv_made() {
        let comment = &files(Host::Github, by(Some("get-brv"))).unwrap()[1];
        assert!(!comment.text.contains("uses:"), "{}", comment.text);
        let scripts = scripts(&serde_yaml::from_str(&comment.text).unwrap());
        assert!(scripts[1].ends_with("get-brv\n"), "{scripts:#?}");
        // the token is there only where nothing is installed
        assert_eq!(comment.text.matches("github.token").count(), 1);
        assert!(comment.text.find("github.token") > comment.text.find("get-brv"));
        let posted: Vec<&str> = scripts[2].lines().filter(|line| line.contains("body=@")).collect();
        assert_eq!(posted.len(), 2);
        assert!(posted.iter().all(|line| line.ends_with("body=@\"$comment\"")), "{posted:#?}");
        assert!(scripts[2].contains("\ncomment=brv-review-comment.md\n"));
    }

    #[test]
    fn no_script_contains_an_expression_and_every_action_is_pinned() {
        for file in files(Host::Github, by(None)).unwrap() {
            assert!(!file.text.contains("secrets."), "{}", file.path);
            for script in scripts(&serde_yaml::from_str(&file.text).unwrap()) {
                assert!(!script.contains("${{"), "{script}");
            }
            for line in file.text.lines().filter(|line| line.trim_start().starts_with("uses:")) {
                let (pin, version) = line.split_once('@').unwrap().1.split_once(" # v").unwrap();
                assert!(pin.len() == 40 && pin.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
                assert_eq!(version.split('.').count(), 3, "{line}");
            }
        }
    }

    #[test]
    fn no_file_keeps_a_placeholder() {
        for host in [Host::Github, Host::Gitlab] {
            for address in ["", ADDRESS] {
                let text = stream(&files(host, InstallChoice { command: None, address }).unwrap());
                for name in [
                    "@tree@",
                    "@install@",
                    "@about-install@",
                    "@version@",
                    "@release@",
                    "@artifact@",
                    "@post@",
                ] {
                    assert!(!text.contains(name), "{text}");
                }
                assert!(text.contains(concat!("brv ", env!("CARGO_PKG_VERSION"))), "{text}");
                assert!(text.lines().all(|line| line.trim_end() == line), "{text}");
            }
        }
    }

    #[test]
    fn a_release_is_installed_where_there_is_one_and_no_host_is_invented() {
        let installer = format!("{ADDRESS}/releases/download/v{VERSION}/install.sh");
        for host in [Host::Github, Host::Gitlab] {
            let text = |command, address| stream(&files(host, InstallChoice { command, address }).unwrap());
            let wanted = if host == Host::Github { 2 } else { 1 };
            assert_eq!(text(None, ADDRESS).matches(&installer).count(), wanted);
            assert!(!text(None, ADDRESS).contains("given by --install"));
            assert_eq!(text(Some("get-brv"), ADDRESS), text(Some("get-brv"), ""));
            assert!(text(None, "").contains("was built without the address"));
            for text in [text(None, ""), text(Some("get-brv"), ADDRESS)] {
                assert!(!text.contains("example.") && !text.contains(ADDRESS), "{text}");
            }
            for file in files(host, InstallChoice { command: None, address: ADDRESS }).unwrap() {
                for script in scripts(&serde_yaml::from_str(&file.text).unwrap()) {
                    assert!(!script.contains("${{"), "{script}");
                }
            }
        }
    }

    #[test]
    fn the_stream_names_each_file_and_separates_documents() {
        let all = files(Host::Github, by(None)).unwrap();
        let text = stream(&all);
        let parts: Vec<&str> = text.split("---\n").collect();
        assert_eq!(parts.len(), 2);
        for (part, file) in parts.iter().zip(&all) {
            let (first, rest) = part.split_once('\n').unwrap();
            assert_eq!(first, format!("# file: {}", file.path));
            assert_eq!(rest, file.text);
        }
        assert!(stream(&files(Host::Gitlab, by(None)).unwrap()).starts_with("# file: .gitlab-ci.brv.yml\n"));
    }

    #[test]
    fn an_install_command_is_embedded_line_by_line() {
        let command = "\ncat <<END\r\n  - a: |\r\n\r\n\tb: '${c}' # d\r\nEND\nbrv --version\n\n";
        let expected = "cat <<END\n  - a: |\n\n\tb: '${c}' # d\nEND\nbrv --version\n";
        for host in [Host::Github, Host::Gitlab] {
            let all: Vec<String> = parsed(host, Some(command)).iter().flat_map(scripts).collect();
            let wanted = if host == Host::Github { 2 } else { 1 };
            assert_eq!(all.iter().filter(|script| script.ends_with(expected)).count(), wanted, "{all:#?}");
        }
    }

    #[test]
    fn an_install_command_that_could_leave_its_block_is_rejected() {
        let error = |command: &str| files(Host::Github, by(Some(command))).unwrap_err().message;
        assert_eq!(error(" \r\n\n"), "the install command is empty");
        assert_eq!(
            error("echo ${{ secrets.X }}"),
            "the install command contains `${{`, which GitHub replaces before the shell runs"
        );
        for (character, shown) in [
            ('\r', "\\r"),
            ('\0', "\\x00"),
            ('\u{85}', "\\x85"),
            ('\u{2028}', "\\u{2028}"),
            ('\u{202e}', "\\u{202e}"),
            ('\u{ffff}', "\\u{ffff}"),
        ] {
            assert_eq!(
                error(&format!("a{character}b")),
                format!("the install command contains the control or invisible character {shown}")
            );
        }
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn no_install_command_changes_another_line(command in r#"[ab \n\t:#'"|>&*!%@{}$\[\]\-?\\,é\u{2028}]{1,40}"#) {
            for host in [Host::Github, Host::Gitlab] {
                let Ok(made) = files(host, by(Some(&command))) else { continue };
                let usual = files(host, by(Some("brv-is-here"))).unwrap();
                for (made, usual) in made.iter().zip(&usual) {
                    let scripts = |file: &WorkflowFile| scripts(&serde_yaml::from_str(&file.text).unwrap());
                    let differing: Vec<(String, String)> = scripts(made)
                        .into_iter()
                        .zip(scripts(usual))
                        .filter(|(made, usual)| made != usual)
                        .collect();
                    let expected = format!("{}\n", command.trim_matches('\n'));
                    for (made, usual) in differing {
                        prop_assert_eq!(made, usual.replace("brv-is-here\n", &expected));
                    }
                }
            }
        }
    }
}
