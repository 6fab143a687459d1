//! Programs and settings that rule the hooks of a repository: brv writes nothing, and says what to put where.

use super::{Project, put, rows};
use std::path::Path;

#[test]
fn a_manager_keeps_its_hooks_and_the_snippet_has_the_form_of_its_file() {
    for (file, manager, snippet) in [
        (".husky/pre-commit", "husky", "(brv=''; [ -x"),
        (
            "lefthook.yml",
            "lefthook",
            "post-commit:\n  commands:\n    brv:\n      run: brv hooks run post-commit {0} >",
        ),
        (
            ".lefthook.yaml",
            "lefthook",
            "post-rewrite:\n  commands:\n    brv:\n      run: brv hooks run post-rewrite {0} >",
        ),
        ("lefthook.toml", "lefthook", "[post-commit.commands.brv]\nrun = \"brv hooks run post-commit {0} >"),
        (
            ".config/lefthook.json",
            "lefthook",
            "\"post-commit\": { \"commands\": { \"brv\": { \"run\": \"brv hooks",
        ),
        (
            ".pre-commit-config.yaml",
            "pre-commit",
            "- repo: local\n  hooks:\n    - id: brv-post-commit\n      name: brv\n",
        ),
    ] {
        let project = Project::new();
        put(&project.host.join(file), b"", 0o644);
        let said = project.refused(&["hooks", "install"]);
        assert!(
            said.contains(&format!("{manager} rules the hooks of `{}`", project.host.display())),
            "{said}"
        );
        assert!(said.contains(&format!(":\n\n{snippet}")), "{said}");
        let status = project.data(&["hooks", "status"]);
        assert_eq!(status["host"]["manager"], manager);
        assert_eq!(
            rows(&status, "state")[..3],
            ["post-commit foreign file", "post-rewrite foreign file", "post-merge absent file"]
        );
        let expected = if manager == "husky" { ".husky/post-commit" } else { file };
        assert_eq!(Path::new(status["hooks"][0]["file"].as_str().unwrap()), project.host.join(expected));
    }
}

#[test]
fn what_people_wrote_into_the_managers_file_counts_and_the_tree_gets_its_hooks() {
    for (file, prefix) in
        [("lefthook.yml", ""), (".pre-commit-config.yaml", "repos:\n"), (".husky/post-commit", "")]
    {
        let project = Project::new();
        put(&project.host.join(file), b"", 0o644);
        let said = project.refused(&["hooks", "install"]);
        // each snippet stands between empty lines, below the name of its file
        let parts: Vec<&str> = said.split("\n\n").collect();
        for pair in parts.windows(2).filter(|pair| pair[0].starts_with("Add to `")) {
            let name = pair[0].split('`').nth(1).unwrap();
            let old = std::fs::read_to_string(name).unwrap_or_else(|_| "#!/bin/sh\n".into());
            let old = if old.is_empty() { prefix } else { &old };
            put(Path::new(name), format!("{old}{}\n", pair[1]).as_bytes(), 0o644);
        }
        let made = project.data(&["hooks", "install"]);
        assert_eq!(
            rows(&made, "change"),
            [
                "post-commit kept file",
                "post-rewrite kept file",
                "post-merge added file",
                "post-checkout added file",
                "pre-push added file"
            ],
            "{file}"
        );
        assert!(project.rows().iter().all(|row| row.ends_with(" installed file")), "{file}");
    }
}

#[test]
fn a_call_of_brv_counts_only_where_git_runs_it() {
    let project = Project::new();
    let state = || project.rows().swap_remove(0);
    project.data(&["hooks", "install"]);
    let text = std::fs::read(project.hook("post-commit")).unwrap();
    put(&project.hook("post-commit"), &text, 0o644);
    assert_eq!(state(), "post-commit foreign file");
    project.refused(&["hooks", "install"]);
    for (mode, expected) in [(0o644, "foreign"), (0o755, "installed")] {
        let target = project.host.join("post-commit.sh");
        put(&target, b"#!/bin/sh\nbrv hooks run post-commit >/dev/null 2>&1\n", mode);
        std::fs::remove_file(project.hook("post-commit")).unwrap();
        std::os::unix::fs::symlink(&target, project.hook("post-commit")).unwrap();
        assert_eq!(state(), format!("post-commit {expected} file"));
    }
    let python = b"#!/usr/bin/env python3\nos.system(\"brv hooks run post-commit >/dev/null\")\n";
    std::fs::remove_file(project.hook("post-commit")).unwrap();
    project.put("post-commit", python, 0o755);
    assert_eq!(state(), "post-commit installed file");
}

#[test]
fn a_folder_for_hooks_outside_of_the_repository_is_left_alone() {
    let project = Project::new();
    let outside = project.env.path("home/shared hooks");
    std::fs::create_dir(&outside).unwrap();
    let set = |scope: &str, value: &str| project.git(&["config", scope, "core.hooksPath", value]);
    for (scope, value) in [
        ("--local", outside.to_str().unwrap()),
        ("--local", "../home/shared hooks"),
        ("--local", "~/shared hooks"),
        ("--global", "~/shared hooks"),
    ] {
        set(scope, value);
        let said = project.refused(&["hooks", "install"]);
        assert!(said.contains("is outside of the repository"), "{value}: {said}");
        assert!(said.contains(&format!("\nAdd to `{}`:\n", outside.join("post-commit").display())), "{said}");
        assert!(std::fs::read_dir(&outside).unwrap().next().is_none());
        project.git(&["config", scope, "--unset", "core.hooksPath"]);
    }
    for value in ["/dev/null", ""] {
        set("--local", value);
        project.refused(&["hooks", "install"]);
        project.git(&["config", "--unset", "core.hooksPath"]);
    }
    std::fs::remove_dir_all(project.host.join(".git/hooks")).unwrap();
    std::os::unix::fs::symlink(&outside, project.host.join(".git/hooks")).unwrap();
    assert!(project.refused(&["hooks", "install"]).contains("is outside of the repository"));
}

/// The path of the program that these tests run.
const PROGRAM: &str = env!("CARGO_BIN_EXE_brv");

#[test]
fn a_hook_that_can_be_committed_names_no_path_of_this_machine() {
    let text = |path: &std::path::Path| std::fs::read_to_string(path).unwrap();
    for way in ["a folder of the work tree", "a link to one", "an older brv"] {
        let project = Project::new();
        let folder = project.host.join("tools/hooks");
        if way == "a link to one" {
            std::fs::create_dir_all(&folder).unwrap();
            drop(std::fs::remove_dir_all(project.host.join(".git/hooks")));
            std::os::unix::fs::symlink("../tools/hooks", project.host.join(".git/hooks")).unwrap();
        } else {
            project.git(&["config", "core.hooksPath", "tools/hooks"]);
        }
        if way == "an older brv" {
            let line = "# >>> brv\nbrv=$(command -v brv) || brv='/home/me/brv'; \"$brv\" hooks run post-commit\n# <<< brv\n";
            put(&folder.join("post-commit"), format!("#!/bin/sh\n{line}make\n").as_bytes(), 0o755);
            assert_eq!(project.rows()[0], "post-commit outdated file");
        }
        project.data(&["hooks", "install"]);
        for event in ["post-commit", "post-rewrite"] {
            let text = text(&folder.join(event));
            assert!(
                text.contains("brv='';") && text.contains(&format!("hooks run {event} ")),
                "{way}: {text}"
            );
        }
        assert_eq!(project.rows()[0], "post-commit installed file", "{way}");
        // in the git folder it is the way to a brv that is not on PATH
        assert!(text(&project.tree().join(".git/hooks/pre-push")).contains(PROGRAM), "{way}");
    }
    let project = Project::new();
    project.git(&["config", "core.hooksPath", "tools/hooks"]);
    put(&project.host.join("tools/hooks/post-commit"), b"#!/bin/sh\n", 0o644);
    assert!(!project.refused(&["hooks", "install"]).contains(PROGRAM), "nor do the lines for people");
}

#[test]
fn a_folder_for_hooks_inside_is_used_and_goes_again_if_brv_made_it() {
    let project = Project::new();
    project.git(&["config", "core.hooksPath", "tools/hooks"]);
    let ran = project.brv(&["hooks", "install"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let file = project.host.join("tools/hooks/post-commit");
    assert!(
        ran.stderr.contains(&format!("warning: `{}` is in the work tree", file.display())),
        "{}",
        ran.stderr
    );
    assert!(file.is_file() && !project.hook("post-commit").exists());
    assert_eq!(project.rows()[0], "post-commit installed file");
    project.data(&["hooks", "uninstall"]);
    assert!(!project.host.join("tools").exists());
    // lines that were written before the folder changed are found, too
    project.git(&["config", "--unset", "core.hooksPath"]);
    let picture = project.picture();
    project.data(&["hooks", "install"]);
    project.git(&["config", "core.hooksPath", "tools/hooks"]);
    project.data(&["hooks", "uninstall"]);
    project.git(&["config", "--unset", "core.hooksPath"]);
    let left: Vec<_> = project.picture().into_keys().collect();
    assert_eq!(left, picture.into_keys().collect::<Vec<_>>());
}
