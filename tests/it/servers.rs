//! Real servers on the loopback: git's http-backend behind a small HTTP and HTTPS server, `git daemon`, `sshd`.
//!
//! Each `start` returns `None`, with a message, if the machine lacks the program.

use crate::env::{Env, program};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A request as the HTTP server saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `GET` or `POST`.
    pub method: String,
    /// The number of its connection, counted from zero.
    pub connection: usize,
    /// With the query.
    pub target: String,
    /// The header lines.
    pub headers: Vec<String>,
    /// The value of `Authorization`.
    pub authorization: Option<String>,
    /// Whether the body was sent in chunks.
    pub chunked: bool,
    /// The length of the body.
    pub length: usize,
}

impl Request {
    /// The value of the header `name`.
    pub fn header(&self, name: &str) -> Option<String> {
        self.headers.iter().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    }
}

/// How the HTTP server answers requests.
#[derive(Debug, Clone)]
pub enum ServerMode {
    /// Everything is allowed.
    Open,
    /// Only with this user and password, base64-encoded as in `Authorization: Basic`.
    Basic(&'static str),
    /// Redirects every request to another host, with the same path.
    Redirect(String),
    /// Answers every POST with this status line and body.
    FailPosts(&'static str, &'static str),
    /// Answers as the function returns, or as usual if it returns nothing.
    By(Rule),
}

/// A function that returns a whole answer, including the header.
#[derive(Clone)]
pub struct Rule(Arc<Answering>);

type Answering = dyn Fn(&Request) -> Option<Vec<u8>> + Send + Sync;

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rule")
    }
}

impl ServerMode {
    pub fn by(rule: impl Fn(&Request) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        Self::By(Rule(Arc::new(rule)))
    }
}

/// git's http-backend.
pub struct Http {
    scheme: &'static str,
    address: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Http {
    /// Serve the repositories below `root` until the test ends.
    pub fn start(root: &Path, manner: ServerMode) -> Self {
        Self::listen(root, manner, None)
    }

    /// The same with TLS; the certificate for `127.0.0.1` is in the returned file.
    pub fn start_tls(env: &Env, root: &Path, manner: ServerMode) -> Option<(Self, PathBuf)> {
        Self::start_tls_for(env, root, manner, None)
    }

    /// The same, only for clients with the certificate in the file `client`.
    pub fn start_tls_for(
        env: &Env,
        root: &Path,
        manner: ServerMode,
        client: Option<&Path>,
    ) -> Option<(Self, PathBuf)> {
        let (config, certificate) = tls(env, client)?;
        Some((Self::listen(root, manner, Some(config)), certificate))
    }

    fn listen(root: &Path, manner: ServerMode, tls: Option<Arc<rustls::ServerConfig>>) -> Self {
        let scheme = if tls.is_some() { "https" } else { "http" };
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (root, noted) = (root.to_path_buf(), Arc::clone(&seen));
        let address = accept(tls, move |stream, connection| {
            let _ = serve(stream, &root, &manner, &noted, connection);
        });
        Self { scheme, address, seen }
    }

    /// `127.0.0.1:1234`
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The URL of a repository.
    pub fn url(&self, repository: &str) -> String {
        format!("{}://{}/{repository}", self.scheme, self.address)
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

/// The settings of a server with a new certificate for `127.0.0.1`, and the certificate's file. If `client` is given, the
/// server accepts only clients with the certificate in that file.
pub fn tls(env: &Env, client: Option<&Path>) -> Option<(Arc<rustls::ServerConfig>, PathBuf)> {
    let (certificate, key) = certificate(env, "tls")?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let clients = client.map(|file| {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(file).unwrap()).unwrap();
        let builder =
            rustls::server::WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone());
        builder.build().unwrap()
    });
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(
            clients.unwrap_or_else(rustls::server::WebPkiClientVerifier::no_client_auth),
        )
        .with_single_cert(
            vec![CertificateDer::from_pem_file(&certificate).unwrap()],
            PrivateKeyDer::from_pem_file(key).unwrap(),
        )
        .unwrap();
    Some((Arc::new(config), certificate))
}

/// What carries a connection: TCP, or TLS over it.
pub trait Stream: Read + Write + Send {}

impl<T: Read + Write + Send> Stream for T {}

/// Accept connections on the loopback until the process ends, each in a thread of its own with its number. Returns the
/// address.
pub fn accept(
    tls: Option<Arc<rustls::ServerConfig>>,
    serve: impl Fn(Box<dyn Stream>, usize) + Send + Sync + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let serve = Arc::new(serve);
    std::thread::spawn(move || {
        for (connection, stream) in listener.incoming().enumerate() {
            let (stream, tls, serve) = (stream.unwrap(), tls.clone(), Arc::clone(&serve));
            // a client that disconnects ends its connection, not the server
            std::thread::spawn(move || match tls {
                Some(tls) => {
                    let session = rustls::ServerConnection::new(tls).unwrap();
                    serve(Box::new(rustls::StreamOwned::new(session, stream)), connection);
                }
                None => serve(Box::new(stream), connection),
            });
        }
    });
    address
}

/// The request line and the headers of the next request; `None` at the end of the connection. The length is that of the
/// header, until the body is read.
pub fn read_head(reader: &mut impl BufRead, connection: usize) -> std::io::Result<Option<Request>> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        if line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_owned());
    }
    let mut first = head[0].split(' ');
    let (method, target) = (first.next().unwrap().into(), first.next().unwrap().into());
    let mut request = Request {
        method,
        connection,
        target,
        headers: head[1..].to_vec(),
        authorization: None,
        chunked: false,
        length: 0,
    };
    request.authorization = request.header("authorization");
    request.chunked = request.header("transfer-encoding").is_some();
    request.length = request.header("content-length").map_or(0, |length| length.parse().unwrap());
    Ok(Some(request))
}

/// The body of `request`.
pub fn read_body(reader: &mut impl BufRead, request: &mut Request) -> std::io::Result<Vec<u8>> {
    if request.chunked {
        let body = read_chunks(reader)?;
        request.length = body.len();
        return Ok(body);
    }
    let mut body = vec![0; request.length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn serve(
    stream: impl Read + Write,
    root: &Path,
    manner: &ServerMode,
    seen: &Mutex<Vec<Request>>,
    connection: usize,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(mut request) = read_head(&mut reader, connection)? {
        let body = read_body(&mut reader, &mut request)?;
        seen.lock().unwrap().push(request.clone());
        let answer = match manner {
            ServerMode::Basic(expected) if request.authorization != Some(format!("Basic {expected}")) => {
                answer("401 Unauthorized", "WWW-Authenticate: Basic realm=\"test\"\r\n", b"who are you?")
            }
            ServerMode::Redirect(to) => {
                answer("302 Found", &format!("Location: {to}{}\r\n", request.target), b"")
            }
            ServerMode::FailPosts(status, text) if request.method == "POST" => {
                answer(status, "", text.as_bytes())
            }
            ServerMode::By(rule) => (rule.0)(&request).unwrap_or_else(|| backend(root, &request, &body)),
            _ => backend(root, &request, &body),
        };
        reader.get_mut().write_all(&answer)?;
        reader.get_mut().flush()?;
    }
    Ok(())
}

pub fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut answer =
        format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    answer.extend_from_slice(body);
    answer
}

/// A body in chunks.
pub fn read_chunks(reader: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let length = usize::from_str_radix(line.trim(), 16).map_err(std::io::Error::other)?;
        let start = body.len();
        body.resize(start + length, 0);
        reader.read_exact(&mut body[start..])?;
        reader.read_line(&mut line)?;
        if length == 0 {
            return Ok(body);
        }
    }
}

/// The files of a certificate and its key.
pub fn certificate(env: &Env, name: &str) -> Option<(PathBuf, PathBuf)> {
    let Some(openssl) = program("openssl") else {
        println!("skipped: no openssl here");
        return None;
    };
    let (config, certificate, key) =
        (env.path(format!("{name}.conf")), env.path(format!("{name}.pem")), env.path(format!("{name}.key")));
    let text = "[req]\ndistinguished_name = name\nx509_extensions = more\nprompt = no\n[name]\nCN = 127.0.0.1\n\
                [more]\nsubjectAltName = IP:127.0.0.1\nbasicConstraints = critical,CA:FALSE\n";
    std::fs::write(&config, text).unwrap();
    let status = Command::new(openssl)
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "9000",
        ])
        .arg("-config")
        .arg(&config)
        .arg("-out")
        .arg(&certificate)
        .arg("-keyout")
        .arg(&key)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    Some((certificate, key))
}

/// Run the CGI program for one request.
fn backend(root: &Path, request: &Request, body: &[u8]) -> Vec<u8> {
    // a proxy gets the whole URL
    let target = request.target.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..]));
    let target = target.unwrap_or(&request.target);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let env = Env::new();
    let mut command = env.git_command(root);
    command
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("REQUEST_METHOD", &request.method)
        .env("CONTENT_TYPE", request.header("content-type").unwrap_or_default())
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("GIT_PROTOCOL", request.header("git-protocol").unwrap_or_default())
        .env("REMOTE_ADDR", "127.0.0.1")
        .env("REMOTE_USER", "someone")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some(encoding) = request.header("content-encoding") {
        command.env("HTTP_CONTENT_ENCODING", encoding);
    }
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let body = body.to_vec();
    let feeder = std::thread::spawn(move || stdin.write_all(&body));
    let output = child.wait_with_output().unwrap();
    let _ = feeder.join();
    let end = output.stdout.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(0);
    let head = String::from_utf8_lossy(&output.stdout[..end]).into_owned();
    let (mut status, mut headers) = ("200 OK".to_owned(), String::new());
    for line in head.lines() {
        match line.strip_prefix("Status: ") {
            Some(text) => status = text.to_owned(),
            None => headers.push_str(&format!("{line}\r\n")),
        }
    }
    answer(&status, &headers, output.stdout.get(end + 4..).unwrap_or_default())
}

/// A program that is ended with the test.
pub struct Running {
    child: Child,
    /// The port it listens on.
    pub port: u16,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Start a program that listens on a free port; try again if the port was taken meanwhile.
pub fn listening(start: impl Fn(u16) -> Command) -> Running {
    for _ in 0..5 {
        let port = free_port();
        let mut child =
            start(port).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(10) {
            let answers = TcpStream::connect(("127.0.0.1", port)).is_ok();
            if answers {
                // if that is the server of another test, which took the port, ours ends soon
                std::thread::sleep(Duration::from_millis(50));
            }
            if child.try_wait().unwrap().is_some() {
                break;
            }
            if answers {
                return Running { child, port };
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = child.kill();
        let _ = child.wait();
    }
    panic!("no server could be started");
}

/// `git daemon` for the repositories below `root`.
pub fn daemon(env: &Env, root: &Path) -> Option<Running> {
    if env.try_git(root, &["daemon", "--help"]).stderr.contains("not a git command") {
        println!("skipped: no git daemon here");
        return None;
    }
    Some(listening(|port| {
        // the daemon itself, so that ending it leaves no listening child
        let folder = env.git(root, &["--exec-path"]);
        let mut command = env.git_command(root);
        if let Some(program) = Some(Path::new(&folder).join("git-daemon")).filter(|path| path.is_file()) {
            command = Command::new(program);
            env.prepare(&mut command);
        } else {
            command.arg("daemon");
        }
        command
            .args(["--export-all", "--enable=receive-pack", "--reuseaddr", "--listen=127.0.0.1"])
            .arg(format!("--base-path={}", root.display()))
            .arg(format!("--port={port}"));
        command
    }))
}

/// An sshd with its own keys.
pub struct Sshd {
    /// The port it listens on.
    pub running: Running,
    /// The value for `core.sshCommand`.
    pub command: String,
    /// The user that may log in.
    pub user: String,
}

/// Start an sshd. The account is that of the test.
pub fn sshd(env: &Env) -> Option<Sshd> {
    sshd_with(env, "AcceptEnv GIT_PROTOCOL\n")
}

/// Start an sshd with default settings: it passes no variable on, so that git on the server speaks protocol 0.
pub fn stock_sshd(env: &Env) -> Option<Sshd> {
    sshd_with(env, "")
}

fn sshd_with(env: &Env, accepts: &str) -> Option<Sshd> {
    let (Some(server), Some(keygen), Some(client)) = (program("sshd"), program("ssh-keygen"), program("ssh"))
    else {
        println!("skipped: no sshd here");
        return None;
    };
    let user = whoami()?;
    let folder = env.path("ssh");
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["host", "user"] {
        let status = Command::new(&keygen)
            .args(["-q", "-t", "ed25519", "-N", "", "-f"])
            .arg(folder.join(name))
            .stdin(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success());
    }
    // sshd run by root needs this system folder, which packages create when the service starts
    let _ = std::fs::create_dir_all("/run/sshd");
    std::fs::copy(folder.join("user.pub"), folder.join("authorized")).unwrap();
    let path = folder.join("config");
    let text = format!(
        "HostKey {0}/host\nAuthorizedKeysFile {0}/authorized\nPidFile none\nUsePAM no\nStrictModes no\n\
         PasswordAuthentication no\nKbdInteractiveAuthentication no\nListenAddress 127.0.0.1\n\
         {accepts}SetEnv GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1\nPermitRootLogin yes\n",
        folder.display()
    );
    std::fs::write(&path, text).unwrap();
    let running = listening(|port| {
        let mut command = Command::new(&server);
        command.args(["-D", "-e", "-f"]).arg(&path).args(["-p", &port.to_string()]);
        command
    });
    let command = format!(
        "{} -F none -i {}/user -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile={}/known",
        client.display(),
        folder.display(),
        folder.display()
    );
    Some(Sshd { running, command, user })
}

fn whoami() -> Option<String> {
    let output = Command::new(program("id")?).arg("-un").output().ok()?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned()).filter(|name| !name.is_empty())
}

impl Sshd {
    /// The URL of a repository of this machine.
    pub fn url(&self, repository: &Path) -> String {
        format!("ssh://{}@127.0.0.1:{}{}", self.user, self.running.port, repository.display())
    }
}

/// JGit's daemon for the repositories below `root`.
pub fn jgit(env: &Env, root: &Path) -> Option<Running> {
    let Some(jgit) = program("jgit").filter(|_| program("java").is_some()) else {
        println!("skipped: no jgit here");
        return None;
    };
    Some(listening(|port| {
        let mut command = Command::new(&jgit);
        env.prepare(&mut command);
        // Debian's launcher leaves out most of the archives
        command
            .env("JGIT_CLASSPATH", "/usr/share/java/*")
            .args(["daemon", "--listen", "127.0.0.1", "--export-all", "--enable", "receive-pack", "--port"])
            .arg(port.to_string())
            .arg(root);
        command
    }))
}

/// The folder with packages for Python (in `python`) and node (in `node_modules`) installed for these tests.
const PACKAGES: &str = "BRV_IT_SERVERS";

/// That folder, where one is named.
pub fn packages() -> Option<PathBuf> {
    std::env::var_os(PACKAGES).map(PathBuf::from)
}

/// A program that runs scripts, with the packages it can import.
pub fn script(env: &Env, name: &str, check: &[&str]) -> Option<Command> {
    let packages = packages();
    let found = program(name).and_then(|path| {
        let command = || {
            let mut command = Command::new(&path);
            env.prepare(&mut command);
            if let Some(packages) = &packages {
                command.env("PYTHONPATH", packages.join("python"));
                command.env("NODE_PATH", packages.join("node_modules"));
            }
            command
        };
        let works = command().args(check).output().is_ok_and(|output| output.status.success());
        works.then(command)
    });
    if found.is_none() {
        println!("skipped: {name} cannot run {check:?} here");
    }
    found
}

/// dulwich for the repositories below `root`: its `daemon` or `web-daemon`. Addresses contain the whole path.
pub fn dulwich(env: &Env, root: &Path, service: &str) -> Option<Running> {
    script(env, "python3", &["-c", "import dulwich.cli, dulwich.web"])?;
    Some(listening(|port| {
        let mut command = script(env, "python3", &["-c", ""]).expect("it ran a moment ago");
        command.args(["-m", "dulwich", service, "-l", "127.0.0.1", "-p", &port.to_string()]).arg(root);
        command
    }))
}

/// node-git-server over http for the repositories below `root`.
pub fn node(env: &Env, root: &Path) -> Option<Running> {
    const SERVE: &str = "const { Git } = require('node-git-server'); const [root, port] = process.argv.slice(-2);\n\
        const git = new Git(root, { autoCreate: false }); git.on('push', push => push.accept());\n\
        git.on('fetch', fetch => fetch.accept()); git.listen(Number(port), { type: 'http', hostname: '127.0.0.1' });";
    script(env, "node", &["-e", "require('node-git-server')"])?;
    Some(listening(|port| {
        let mut command = script(env, "node", &["-e", ""]).expect("it ran a moment ago");
        command.args(["-e", SERVE, "--"]).arg(root).arg(port.to_string());
        command
    }))
}

/// A hook of a bare repository.
#[cfg(unix)]
pub fn hook(bare: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let path: PathBuf = bare.join("hooks").join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
