//! Talking to a program that talks to the remote: ssh, or git's own for a path of this machine.
//!
//! gitoxide can start them too, but lets what they say reach the terminal as it is, or throws it away. Here it is kept,
//! made printable, for the error or for the user.

use super::error::{During, Error};
use super::messages::Lines;
use super::meter::{Meter, Metered};
use super::network::Prompt;
use crate::process;
use bstr::{BStr, BString, ByteSlice as _};
use gix::protocol::transport::client::blocking_io::ssh::ProgramKind;
use gix::protocol::transport::client::blocking_io::{RequestWriter, SetServiceResponse, Transport};
use gix::protocol::transport::client::git::ConnectMode;
use gix::protocol::transport::client::git::blocking_io::Connection;
use gix::protocol::transport::client::{self, MessageKind, TransportWithoutIO, WriteMode};
use gix::protocol::transport::{Protocol, Service};
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// More lines than a person reads are not kept.
const MOST_LINES: usize = 200;

/// Why the connection is there.
const OPEN: &str = "it is closed only on drop";

/// The lines that a program said to people.
#[derive(Clone, Default)]
pub(super) struct Words(Arc<Mutex<Vec<String>>>);

impl Words {
    /// Take the lines that were said so far.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn listen(&self, mut stderr: ChildStderr) {
        let mut lines = Lines::default();
        let mut piece = [0; 4096];
        loop {
            let read = stderr.read(&mut piece).unwrap_or(0);
            let mut said = lines.push(&piece[..read]);
            if read == 0 {
                said.extend(lines.finish());
            }
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let room = MOST_LINES.saturating_sub(kept.len());
            kept.extend(said.into_iter().take(room));
            if read == 0 {
                return;
            }
        }
    }
}

/// A running program, as a transport of gitoxide.
pub(super) struct Spawned {
    connection: Option<Connection<Metered<ChildStdout>, ChildStdin>>,
    child: Child,
    listener: Option<std::thread::JoinHandle<()>>,
    url: BString,
    words: Words,
    meter: Meter,
}

impl Spawned {
    fn start(mut command: Command, url: BString, path: BString, version: Protocol) -> Result<Self, Error> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if version != Protocol::V1 {
            command.env("GIT_PROTOCOL", format!("version={}", version as usize));
        }
        let name = command.get_program().to_string_lossy().into_owned();
        let mut child = command.spawn().during(format!("start `{name}`"))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (stdin, stdout) = stdin.zip(stdout).expect("both were asked for");
        let words = Words::default();
        let listener = child.stderr.take().map(|stderr| {
            let words = words.clone();
            std::thread::spawn(move || words.listen(stderr))
        });
        let meter = Meter::default();
        let connection = Connection::new(
            Metered::new(stdout, meter.clone()),
            stdin,
            version,
            path,
            None::<(String, Option<u16>)>,
            ConnectMode::Process,
            false,
        );
        Ok(Self { connection: Some(connection), child, listener, url, words, meter })
    }

    /// Where the program's words are kept.
    pub fn words(&self) -> Words {
        self.words.clone()
    }

    /// What counts its answers.
    pub fn meter(&self) -> Meter {
        self.meter.clone()
    }
}

impl Drop for Spawned {
    fn drop(&mut self) {
        // no more input: the program ends, or has ended and its last words matter
        self.connection = None;
        for _ in 0..500 {
            let listening = self.listener.as_ref().is_some_and(|listener| !listener.is_finished());
            if !listening || matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(4));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(listener) = self.listener.take() {
            // a grandchild may keep the stream open: do not wait for it
            for _ in 0..50 {
                if listener.is_finished() {
                    let _ = listener.join();
                    return;
                }
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

impl TransportWithoutIO for Spawned {
    fn to_url(&self) -> Cow<'_, BStr> {
        Cow::Borrowed(self.url.as_bstr())
    }

    fn connection_persists_across_multiple_requests(&self) -> bool {
        true
    }

    fn configure(&mut self, _config: &dyn std::any::Any) -> gix::Result {
        Ok(())
    }
}

impl Transport for Spawned {
    fn handshake<'a>(
        &mut self,
        service: Service,
        extra_parameters: &'a [(&'a str, Option<&'a str>)],
    ) -> Result<SetServiceResponse<'_>, client::Error> {
        self.connection.as_mut().expect(OPEN).handshake(service, extra_parameters)
    }

    fn request(
        &mut self,
        write_mode: WriteMode,
        on_into_read: MessageKind,
        trace: bool,
    ) -> Result<RequestWriter<'_>, client::Error> {
        self.connection.as_mut().expect(OPEN).request(write_mode, on_into_read, trace)
    }
}

/// git's program for a repository of this machine; its hooks run.
pub(super) fn local(repository: &Path, service: Service, version: Protocol) -> Result<Spawned, Error> {
    let mut command = process::command("git");
    command.arg(subcommand(service)).arg("--").arg(repository);
    let path = gix::path::into_bstr(repository).during("understand the path of the remote")?.into_owned();
    Spawned::start(command, path.clone(), path, version)
}

const fn subcommand(service: Service) -> &'static str {
    match service {
        Service::ReceivePack => "receive-pack",
        Service::UploadPack => "upload-pack",
    }
}

/// ssh, or what `GIT_SSH_COMMAND`, `core.sshCommand` or `GIT_SSH` name.
pub(super) fn ssh(
    repo: &gix::Repository,
    url: &gix::Url,
    service: Service,
    version: Protocol,
    prompt: Prompt,
    connect_timeout: Duration,
) -> Result<Spawned, Error> {
    let options = repo.ssh_connect_options().during("read the settings for ssh")?;
    let program = options.ssh_command().to_owned();
    let host = url.host().unwrap_or_default();
    let place = url.user().map_or_else(|| host.to_owned(), |user| format!("{user}@{host}"));
    if place.starts_with('-') || place.is_empty() {
        return Err(Error::new("start ssh", std::io::Error::other(format!("`{place}` is not a host"))));
    }
    let start = |program: &OsStr| match options.disallow_shell {
        true => process::command(program),
        false => process::command_line(program),
    };
    let kind = options.kind.unwrap_or_else(|| kind_of(&program, &start, &place));
    let mut command = start(&program);
    command.args(arguments(kind, url.port, version, prompt, connect_timeout)?);
    let path = gix::url::expand_path::for_shell(url.path.clone());
    if path.starts_with(b"-") {
        return Err(Error::new("start ssh", std::io::Error::other("the path begins with a dash")));
    }
    let quoted = gix::quote::single(path.as_bstr());
    command.arg(place).arg(format!("{} {quoted}", service.as_str()));
    Spawned::start(command, url.to_bstring(), path, version)
}

fn kind_of(program: &OsString, start: &dyn Fn(&OsStr) -> Command, place: &str) -> ProgramKind {
    match ProgramKind::from(program.as_os_str()) {
        ProgramKind::Simple => {
            // as git does: what knows OpenSSH's `-G` takes its other options too
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
            let reason = "the program that `ssh.variant` or its name tell of takes no port";
            return Err(Error::new("start ssh", std::io::Error::other(reason)));
        }
        ProgramKind::Simple => {}
    }
    Ok(arguments)
}
