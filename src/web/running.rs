//! Asks a server that was started before for a key.

use brv_commands::ui::RunningServer;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// How long it may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// A new key of the server; `None` if none answers there, or another one.
pub fn key(server: &RunningServer) -> Option<String> {
    let socket = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port));
    let mut stream = TcpStream::connect_timeout(&socket, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let request = format!(
        "POST /key HTTP/1.1\r\nHost: {socket}\r\nAuthorization: Bearer {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        server.secret
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.take(4_096).read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let key = body.trim();
    let is_key = key.len() == 64 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    (head.starts_with("HTTP/1.1 200") && is_key).then(|| key.to_owned())
}
