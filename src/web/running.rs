//! Asks a server that was started before for a key.

use super::keys::Visitor;
use crate::say::site::form::SiteRights;
use brv_commands::ui::RunningServer;
use brv_engine::Actor;
use serde::{Deserialize, Serialize};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// How long it may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// For whom a key is asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyRequest {
    rights: KeyRights,
    actor: Option<String>,
    session: Option<String>,
}

/// What is asked for, in words.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeyRights {
    Reading,
    Comments,
    Everything,
}

impl KeyRequest {
    fn of(visitor: &Visitor) -> Self {
        let rights = match visitor.rights {
            SiteRights::Reading => KeyRights::Reading,
            SiteRights::Comments => KeyRights::Comments,
            SiteRights::Everything => KeyRights::Everything,
        };
        Self { rights, actor: visitor.actor.name.clone(), session: visitor.actor.session.clone() }
    }

    /// Who asks. An agent gets no more than comments, whatever it asks for.
    pub fn visitor(self) -> Visitor {
        let rights = match self.rights {
            KeyRights::Reading => SiteRights::Reading,
            KeyRights::Comments => SiteRights::Comments,
            KeyRights::Everything => SiteRights::Everything,
        };
        let is_agent = self.actor.is_some() || self.session.is_some();
        let most = if is_agent { SiteRights::Comments } else { SiteRights::Everything };
        Visitor {
            rights: rights.min(most),
            actor: Actor { name: self.actor, session: self.session, door: None },
        }
    }
}

/// A key that signs in once, and whether who has it may write.
#[derive(Debug, Serialize, Deserialize)]
pub struct GivenKey {
    pub key: String,
    pub writes: bool,
}

/// A new key of the server for a visitor; `None` if none answers there, or another one.
pub fn key(server: &RunningServer, visitor: &Visitor) -> Option<GivenKey> {
    let socket = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port));
    let mut stream = TcpStream::connect_timeout(&socket, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let body = serde_json::to_string(&KeyRequest::of(visitor)).ok()?;
    let request = format!(
        "POST /key HTTP/1.1\r\nHost: {socket}\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        server.secret,
        body.len()
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.take(4_096).read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let given: GivenKey = serde_json::from_str(body).ok()?;
    let is_key = given.key.len() == 64 && given.key.bytes().all(|byte| byte.is_ascii_hexdigit());
    (head.starts_with("HTTP/1.1 200") && is_key).then_some(given)
}
