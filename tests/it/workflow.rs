//! The CI files: their scripts run as on GitHub and GitLab, with fakes for the programs that need a host.

mod checking;
mod commenting;
mod linting;
mod stale;

use crate::env::{Env, Ran, program};
use brv::say::workflow::{Host, InstallChoice, WorkflowFile, files};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// The variables of a job.
type Variables<'a> = &'a [(&'a str, &'a str)];

/// A runner: a shell with fakes in front of the programs of the machine.
struct Runner {
    env: Env,
}

impl Runner {
    fn new() -> Self {
        let env = Env::new();
        for folder in ["bin", "temp"] {
            std::fs::create_dir(env.path(folder)).unwrap();
        }
        Self { env }
    }

    /// Put a shell script on the `PATH`.
    fn fake(&self, name: &str, script: &str) {
        let path = self.env.path("bin").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A `brv` that writes its folder and arguments into `calls`, its reports as asked, and ends with `code`.
    fn fake_brv(&self, code: u8) {
        let script = format!(
            r#"echo "$PWD: $*" >> {calls}
while [ $# -gt 0 ]; do
  if [ "$1" = --output ]; then echo report > "$2"; fi
  shift
done
exit {code}
"#,
            calls = self.env.path("calls").display()
        );
        self.fake("brv", &script);
    }

    /// What a fake wrote, line by line; then it begins anew.
    fn calls(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.env.path("calls")).unwrap_or_default();
        let _ = std::fs::remove_file(self.env.path("calls"));
        text.lines().map(Into::into).collect()
    }

    /// Run a script with `shell`, as a host does.
    fn run(&self, shell: &[&str], folder: &Path, script: &str, variables: Variables<'_>) -> Ran {
        let file = self.env.path("script");
        std::fs::write(&file, script).unwrap();
        let mut command = Command::new(program(shell[0]).unwrap());
        self.env.prepare(&mut command);
        let paths = command.get_envs().find(|(name, _)| *name == "PATH").unwrap().1.unwrap().to_owned();
        let mut path = OsString::from(self.env.path("bin"));
        path.push(":");
        path.push(paths);
        command.env("PATH", path).env("RUNNER_TEMP", self.env.path("temp"));
        command.env("TMPDIR", self.env.path("temp")).envs(variables.iter().copied());
        Ran::of(&command.args(&shell[1..]).arg(&file).current_dir(folder).output().unwrap())
    }

    /// Run a step of GitHub with its default shell.
    fn bash(&self, folder: &Path, script: &str, variables: Variables<'_>) -> Ran {
        self.run(&["bash", "--noprofile", "--norc", "-eo", "pipefail"], folder, script, variables)
    }
}

/// The script of a step, by the step's name.
fn step(file: &WorkflowFile, name: &str) -> String {
    let value: serde_yaml::Value = serde_yaml::from_str(&file.text).unwrap();
    let jobs = value["jobs"].as_mapping().unwrap().values();
    let mut steps = jobs.flat_map(|job| job["steps"].as_sequence().unwrap());
    let step = steps.find(|step| step["name"] == name).expect("the step is there");
    step["run"].as_str().unwrap().to_owned()
}

fn made(host: Host, install: Option<&str>) -> Vec<WorkflowFile> {
    files(host, by(install)).unwrap()
}

/// As in a build that has an address.
fn by_release() -> InstallChoice<'static> {
    InstallChoice { command: None, address: "https://host.test/owner/brv" }
}

fn by(command: Option<&str>) -> InstallChoice<'_> {
    InstallChoice { command, address: "" }
}
