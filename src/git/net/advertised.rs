//! Parses the refs that a server of protocol 0 advertises. gitoxide panics when a symbolic ref is among the
//! capabilities and not among the refs, which is how some servers present an empty repository.
//!
//! Protocol 2 does not need this: its servers list refs on request.

use crate::history::shallow::Boundary;
use bstr::{BStr, BString, ByteSlice as _};
use gix::ObjectId;
use gix::protocol::handshake::Ref;
use gix::protocol::transport::client::blocking_io::{
    ReadlineBufRead, RequestWriter, SetServiceResponse, Transport,
};
use gix::protocol::transport::client::{self, Capabilities, MessageKind, TransportWithoutIO, WriteMode};
use gix::protocol::transport::{Protocol, Service};
use gix::sec::identity::Account;
use std::borrow::Cow;
use std::io;

#[derive(Debug, Default)]
pub(super) struct Advertised {
    /// In the server's order.
    pub refs: Vec<Ref>,
    /// The commits whose parents the server lacks.
    pub boundary: Boundary,
}

/// A transport for a handshake, which captures the advertisement.
pub(super) struct Listening<'t> {
    pub transport: &'t mut (dyn Transport + Send),
    /// `None`: the server waits for a request.
    pub advertised: Option<Advertised>,
}

impl TransportWithoutIO for Listening<'_> {
    fn set_identity(&mut self, identity: Account) -> Result<(), client::Error> {
        self.transport.set_identity(identity)
    }

    fn to_url(&self) -> Cow<'_, BStr> {
        self.transport.to_url()
    }

    fn supported_protocol_versions(&self) -> &[Protocol] {
        self.transport.supported_protocol_versions()
    }

    fn connection_persists_across_multiple_requests(&self) -> bool {
        self.transport.connection_persists_across_multiple_requests()
    }

    fn configure(&mut self, config: &dyn std::any::Any) -> gix::Result {
        self.transport.configure(config)
    }
}

impl Transport for Listening<'_> {
    fn handshake<'a>(
        &mut self,
        service: Service,
        extra_parameters: &'a [(&'a str, Option<&'a str>)],
    ) -> Result<SetServiceResponse<'_>, client::Error> {
        let SetServiceResponse { actual_protocol, capabilities, refs } =
            self.transport.handshake(service, extra_parameters)?;
        let advertised = refs.map(|mut lines| read(&mut *lines, &capabilities)).transpose()?;
        self.advertised = advertised;
        Ok(SetServiceResponse { actual_protocol, capabilities, refs: None })
    }

    fn request(
        &mut self,
        write_mode: WriteMode,
        on_into_read: MessageKind,
        trace: bool,
    ) -> Result<RequestWriter<'_>, client::Error> {
        self.transport.request(write_mode, on_into_read, trace)
    }
}

fn read(lines: &mut dyn ReadlineBufRead, capabilities: &Capabilities) -> io::Result<Advertised> {
    let mut advertised = Advertised::default();
    while let Some(line) = lines.readline() {
        let Some(line) = line?.map_err(io::Error::other)?.as_bstr() else { break };
        advertised.take(line.trim_end().as_bstr())?;
    }
    for capability in capabilities.iter().filter(|capability| capability.name() == "symref") {
        advertised.lead(capability.value().unwrap_or_default())?;
    }
    Ok(advertised)
}

/// A repository without refs sends this instead of one.
const NO_REFS: &str = "capabilities^{}";

impl Advertised {
    fn take(&mut self, line: &BStr) -> io::Result<()> {
        let not_a_ref = || broken("a ref", line);
        let (id, name) = line.split_once_str(" ").ok_or_else(not_a_ref)?;
        let hex = if id == b"shallow" { name } else { id };
        let object = ObjectId::from_hex(hex).map_err(io::Error::other)?;
        if id == b"shallow" {
            self.boundary.insert(object);
            return Ok(());
        }
        if name.is_empty() {
            return Err(not_a_ref());
        }
        let Some(peeled) = name.strip_suffix(b"^{}") else {
            self.refs.push(Ref::Direct { full_ref_name: name.into(), object });
            return Ok(());
        };
        if name == NO_REFS.as_bytes() && object.is_null() {
            return Ok(());
        }
        match self.refs.pop() {
            Some(Ref::Direct { full_ref_name, object: tag }) if full_ref_name == peeled => {
                self.refs.push(Ref::Peeled { full_ref_name, tag, object });
                Ok(())
            }
            _ => Err(not_a_ref()),
        }
    }

    /// Parses `HEAD:refs/heads/main`. An unborn branch is not a ref, but it is useful to know that `HEAD` names it.
    fn lead(&mut self, symref: &BStr) -> io::Result<()> {
        let parts =
            symref.split_once_str(":").filter(|(name, target)| !name.is_empty() && !target.is_empty());
        let (name, target) = parts.ok_or_else(|| broken("a symbolic ref", symref))?;
        if target == b"(null)" {
            return Ok(());
        }
        let target = BString::from(target);
        let known = self.refs.iter_mut().find(|reference| reference.unpack().0 == name);
        match known {
            Some(reference) => {
                if let Ref::Direct { full_ref_name, object } = reference {
                    let (full_ref_name, object) = (std::mem::take(full_ref_name), *object);
                    *reference = Ref::Symbolic { full_ref_name, target, tag: None, object };
                }
            }
            None if name == b"HEAD" => {
                self.refs.push(Ref::Unborn { full_ref_name: name.into(), target });
            }
            None => {}
        }
        Ok(())
    }
}

fn broken(what: &str, text: &BStr) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("`{text}` is not {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advertised(lines: &[&str], symrefs: &[&str]) -> io::Result<Advertised> {
        let mut advertised = Advertised::default();
        lines.iter().try_for_each(|line| advertised.take(line.as_bytes().as_bstr()))?;
        symrefs.iter().try_for_each(|symref| advertised.lead(symref.as_bytes().as_bstr()))?;
        Ok(advertised)
    }

    #[test]
    fn refs_tags_and_ends_of_history_are_told_apart() {
        let id = |digit: char| digit.to_string().repeat(40);
        let (a, b, c) = (id('a'), id('b'), id('c'));
        let lines = [
            format!("{a} HEAD"),
            format!("{a} refs/heads/main"),
            format!("{b} refs/tags/v1"),
            format!("{a} refs/tags/v1^{{}}"),
            format!("shallow {c}"),
        ];
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        let read = advertised(&lines, &["HEAD:refs/heads/main", "HEAD:refs/heads/main"]).unwrap();
        let oid = |hex: &str| ObjectId::from_hex(hex.as_bytes()).unwrap();
        let [head, main, tag] = &read.refs[..] else { panic!("{read:?}") };
        let target = BString::from("refs/heads/main");
        let symbolic = Ref::Symbolic { full_ref_name: "HEAD".into(), target, tag: None, object: oid(&a) };
        assert_eq!(*head, symbolic);
        assert_eq!(main.unpack().0, "refs/heads/main");
        assert_eq!(tag.unpack().2, Some(&*oid(&a)));
        assert_eq!(read.boundary, [oid(&c)].into());
    }

    #[test]
    fn a_head_without_commits_is_unborn_and_what_is_broken_is_an_error() {
        let empty = format!("{} {NO_REFS}", "0".repeat(40));
        let read =
            advertised(&[&empty], &["HEAD:refs/heads/trunk", "HEAD:refs/heads/x", "A:refs/b"]).unwrap();
        let unborn = Ref::Unborn { full_ref_name: "HEAD".into(), target: "refs/heads/trunk".into() };
        assert_eq!(read.refs, [unborn]);
        let id = "a".repeat(40);
        for line in ["x", "zz refs/heads/a", &format!("{id} "), &format!("{id} refs/a^{{}}"), "shallow x"] {
            assert!(advertised(&[line], &[]).is_err(), "{line}");
        }
        for symref in ["HEAD", ":x", "HEAD:"] {
            assert!(advertised(&[], &[symref]).is_err(), "{symref}");
        }
        assert!(advertised(&[], &["HEAD:(null)"]).unwrap().refs.is_empty());
    }
}
