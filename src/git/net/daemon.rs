//! The `git://` transport: connects to git's own daemon.
//!
//! The protocol has no credentials.

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

const PORT: u16 = 9418;

/// Connects to the server of `url`, trying each of its addresses for at most `timeout`.
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
    // `~ada/x` is a path in a home folder of the server
    let path = if url.path.starts_with(b"/~") { url.path[1..].as_bstr() } else { url.path.as_bstr() };
    let place = Some((host, url.port));
    let mode = ConnectMode::Daemon;
    let reader = Metered::new(reader, meter.clone());
    let connection = Connection::new(reader, writer, version, path, place, mode, false);
    Ok(connection.custom_url(Some(url.to_bstring())))
}

/// Name lookup cannot be interrupted, so it runs on its own thread.
fn reach(host: &str, port: u16, timeout: Duration, patience: &Patience) -> io::Result<TcpStream> {
    let (sender, receiver) = sync_channel(1);
    let place = (host.trim_matches(['[', ']']).to_owned(), port);
    std::thread::spawn(move || {
        // the caller may have given up
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
