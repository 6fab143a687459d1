//! Builds the ssh command line.
//!
//! [`super::subprocess`] runs it.

use super::network::Network;
use super::subprocess::Spawned;
use super::timeouts::Patience;
use crate::error::{During, Error};
use crate::prompt::Prompt;
use brv_base::process;
use bstr::ByteSlice as _;
use gix::protocol::transport::client::blocking_io::ssh::ProgramKind;
use gix::protocol::transport::{Protocol, Service};
use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};
use std::time::Duration;

/// ssh, or the program in `GIT_SSH_COMMAND`, `core.sshCommand` or `GIT_SSH`.
pub(super) fn connect(
    repo: &gix::Repository,
    url: &gix::Url,
    service: Service,
    version: Protocol,
    network: &Network<'_>,
) -> Result<Spawned, Error> {
    let prompt = network.credentials.prompt;
    let options = repo.ssh_connect_options().during("read the settings for ssh")?;
    let program = options.ssh_command().to_owned();
    let host = url.host().unwrap_or_default();
    let place = url.user().map_or_else(|| host.to_owned(), |user| format!("{user}@{host}"));
    if place.starts_with('-') || host.starts_with('-') || place.is_empty() {
        return Err(Error::new("start ssh", std::io::Error::other(format!("`{place}` is not a host"))));
    }
    let start = |program: &OsStr| match options.disallow_shell {
        true => process::command(program, network.environment),
        false => process::command_line(program, network.environment),
    };
    let kind = options.kind.unwrap_or_else(|| kind_of(&program, &start, &place));
    let mut command = start(&program);
    command.args(arguments(kind, url.port, version, prompt, network.connect_timeout)?);
    let path = gix::url::expand_path::for_shell(url.path.clone());
    if path.starts_with(b"-") {
        return Err(Error::new("start ssh", std::io::Error::other("the path begins with a dash")));
    }
    let quoted = gix::quote::single(path.as_bstr());
    command.arg(place).arg(format!("{} {quoted}", service.as_str()));
    let patience = match prompt {
        Prompt::Never => Patience::new(network.interrupt, network.limits),
        // ssh prompts by itself, and users take their time
        Prompt::Terminal => Patience::new(network.interrupt, network.limits).starting_with_a_byte(),
    };
    Spawned::start(command, url.to_bstring(), path, version, (prompt, patience))
}

fn kind_of(program: &OsString, start: &dyn Fn(&OsStr) -> Command, place: &str) -> ProgramKind {
    match ProgramKind::from(program.as_os_str()) {
        ProgramKind::Simple => {
            // as in git: a program that supports OpenSSH's `-G` takes its other options too
            let mut check = start(program);
            check.arg("-G").arg(place).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            match check.status() {
                Ok(status) if status.success() => ProgramKind::Ssh,
                _ => ProgramKind::Simple,
            }
        }
        known => known,
    }
}

fn arguments(
    kind: ProgramKind,
    port: Option<u16>,
    version: Protocol,
    prompt: Prompt,
    connect_timeout: Duration,
) -> Result<Vec<String>, Error> {
    let mut arguments = Vec::new();
    let mut option = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
    match kind {
        ProgramKind::Ssh => {
            if version != Protocol::V1 {
                option("-o", "SendEnv=GIT_PROTOCOL".into());
            }
            if prompt == Prompt::Never {
                option("-o", "BatchMode=yes".into());
            }
            option("-o", format!("ConnectTimeout={}", connect_timeout.as_secs().max(1)));
            if let Some(port) = port {
                option("-p", port.to_string());
            }
        }
        ProgramKind::Plink | ProgramKind::Putty | ProgramKind::TortoisePlink => {
            if let Some(port) = port {
                option("-P", port.to_string());
            }
            if kind == ProgramKind::TortoisePlink || prompt == Prompt::Never {
                arguments.push("-batch".into());
            }
        }
        ProgramKind::Simple if port.is_some() => {
            let reason = "the ssh program does not accept a port (see `ssh.variant`)";
            return Err(Error::new("start ssh", std::io::Error::other(reason)));
        }
        ProgramKind::Simple => {}
    }
    Ok(arguments)
}
