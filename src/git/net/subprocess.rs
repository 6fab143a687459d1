//! A transport through a program: ssh, or git itself for a path of this machine. gitoxide can start these too, but
//! passes their messages to the terminal unfiltered, or drops them.
//!
//! Here they are kept, made printable, for the error or the user.

use super::meter::{Meter, Metered};
use super::timeouts::{Patience, TimedReader, TimedWriter};
use crate::error::{During, Error};
use crate::prompt::Prompt;
use brv_base::environment::Environment;
use brv_base::messages::Lines;
use brv_base::process::{self, Led};
use bstr::{BStr, BString, ByteSlice as _};
use gix::protocol::transport::client::blocking_io::{RequestWriter, SetServiceResponse, Transport};
use gix::protocol::transport::client::git::ConnectMode;
use gix::protocol::transport::client::git::blocking_io::Connection;
use gix::protocol::transport::client::{self, MessageKind, TransportWithoutIO, WriteMode};
use gix::protocol::transport::{Protocol, Service};
use std::borrow::Cow;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The most lines of messages that are kept.
const MOST_LINES: usize = 200;

/// Why `expect` on the connection is safe.
const OPEN: &str = "it is closed only on drop";

#[derive(Clone, Default)]
pub(super) struct Words(Arc<Mutex<Vec<String>>>);

impl Words {
    /// Takes the messages so far.
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
    connection: Option<Connection<Metered<TimedReader>, TimedWriter>>,
    child: Child,
    led: Led,
    patience: Patience,
    listener: Option<std::thread::JoinHandle<()>>,
    url: BString,
    words: Words,
    meter: Meter,
}

impl Spawned {
    /// Starts `command`; `path` is the path of the repository on the remote.
    pub fn start(
        mut command: Command,
        url: BString,
        path: BString,
        version: Protocol,
        (prompt, patience): (Prompt, Patience),
    ) -> Result<Self, Error> {
        let led = Led::from(prompt == Prompt::Never);
        if led == Led::Yes {
            // it must not prompt, and everything that it starts can be ended with it
            process::lead_group(&mut command);
        }
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
            Metered::new(TimedReader::by(stdout, patience.clone()), meter.clone()),
            TimedWriter::by(stdin, patience.clone()),
            version,
            path,
            None::<(String, Option<u16>)>,
            ConnectMode::Process,
            false,
        );
        Ok(Self { connection: Some(connection), child, led, patience, listener, url, words, meter })
    }

    pub fn patience(&self) -> Patience {
        self.patience.clone()
    }

    pub fn words(&self) -> Words {
        self.words.clone()
    }

    pub fn meter(&self) -> Meter {
        self.meter.clone()
    }
}

impl Drop for Spawned {
    fn drop(&mut self) {
        // closing its input ends the program; if it has ended, its last messages matter
        self.connection = None;
        for _ in 0..500 {
            if self.patience.given_up().is_some() {
                process::end(&mut self.child, self.led);
                break;
            }
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
pub(super) fn local(
    repository: &Path,
    service: Service,
    version: Protocol,
    who: (Prompt, Patience),
    environment: &Environment,
) -> Result<Spawned, Error> {
    let mut command = process::command("git", environment);
    command.arg(subcommand(service)).arg("--").arg(repository);
    let path = gix::path::into_bstr(repository).during("parse the path of the remote")?.into_owned();
    Spawned::start(command, path.clone(), path, version, who)
}

const fn subcommand(service: Service) -> &'static str {
    match service {
        Service::ReceivePack => "receive-pack",
        Service::UploadPack => "upload-pack",
    }
}
