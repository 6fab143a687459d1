//! Talking to git's own daemon: `git://`.
//!
//! Knows no credentials; the protocol has none.

use super::meter::{Meter, Metered};
use super::timeouts::{Patience, TimedStream};
use bstr::ByteSlice as _;
use gix::protocol::transport::Protocol;
use gix::protocol::transport::client::git::ConnectMode;
use gix::protocol::transport::client::git::blocking_io::Connection;
use std::io;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

/// The port that the protocol has of its own.
const PORT: u16 = 9418;

/// Connect to the server of `url`, each of its addresses for `timeout` at most.
pub(super) fn connect(
    url: &gix::Url,
    version: Protocol,
    timeout: Duration,
    patience: &Patience,
    meter: &Meter,
) -> io::Result<Connection<Metered<TimedStream>, TimedStream>> {
    let host = url.host().unwrap_or_default().to_owned();
    let stream = reach(&host, url.port.unwrap_or(PORT), timeout, patience)?;
    let (reader, writer) = TimedStream::pair(stream, patience)?;
    // `/~ada/x` is in a home over there
    let path = if url.path.starts_with(b"/~") { url.path[1..].as_bstr() } else { url.path.as_bstr() };
    let place = Some((host, url.port));
    let mode = ConnectMode::Daemon;
    let reader = Metered::new(reader, meter.clone());
    let connection = Connection::new(reader, writer, version, path, place, mode, false);
    Ok(connection.custom_url(Some(url.to_bstring())))
}

/// Asking for addresses cannot be interrupted: it is done aside.
fn reach(host: &str, port: u16, timeout: Duration, patience: &Patience) -> io::Result<TcpStream> {
    let (sender, receiver) = sync_channel(1);
    let place = (host.trim_matches(['[', ']']).to_owned(), port);
    std::thread::spawn(move || {
        // nobody may wait any more
        let _ = sender.send(first(&place, timeout));
    });
    patience.receive(&receiver)?.unwrap_or_else(|| Err(io::ErrorKind::NotConnected.into()))
}

fn first(place: &(String, u16), timeout: Duration) -> io::Result<TcpStream> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (place.0.as_str(), place.1).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}
