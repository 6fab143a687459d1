//! Both sides of one http request as gitoxide sees them: headers that may not have arrived, bodies that are still being
//! written.
//!
//! Does not decide what is requested.

use super::Trouble;
use super::requests::{Head, HttpSession, shown};
use crate::net::timeouts::{Patience, TimedWriter};
use reqwest::Method;
use reqwest::blocking::{Body, Request};
use reqwest::header::LOCATION;
use std::io::{self, BufRead, BufWriter, Cursor, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

/// The lines of the response header, which may not have arrived, or an error instead.
pub(super) enum ResponseHeaders {
    Ready(Cursor<Vec<u8>>),
    Failed(Option<io::Error>),
    Awaited(Arc<HttpSession>, Receiver<Result<Head, reqwest::Error>>),
}

impl ResponseHeaders {
    pub fn of(line: &HttpSession, head: &Head, method: &Method) -> Self {
        if let Err(error) = line.check(head, method) {
            return Self::Failed(Some(error));
        }
        let mut text = Vec::new();
        for (name, value) in &head.headers {
            text.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\n"].concat());
        }
        Self::Ready(Cursor::new(text))
    }

    fn resolve(&mut self) {
        let Self::Awaited(line, receiver) = self else { return };
        let resolved = match line.head(receiver) {
            Ok(head) if head.status.is_redirection() => {
                let to =
                    head.headers.get(LOCATION).map(|to| String::from_utf8_lossy(to.as_bytes()).into_owned());
                let to = shown(&to.unwrap_or_default());
                let why = "redirects are followed only before data is sent";
                Self::Failed(Some(line.fail(Trouble::Redirect { to, why })))
            }
            Ok(head) => Self::of(line, &head, &Method::POST),
            Err(error) => Self::Failed(Some(error)),
        };
        *self = resolved;
    }
}

impl BufRead for ResponseHeaders {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.resolve();
        match self {
            Self::Ready(text) => text.fill_buf(),
            Self::Failed(error) => Err(error.take().unwrap_or_else(|| io::ErrorKind::UnexpectedEof.into())),
            Self::Awaited(..) => Ok(&[]),
        }
    }

    fn consume(&mut self, amount: usize) {
        if let Self::Ready(text) = self {
            text.consume(amount);
        }
    }
}

impl Read for ResponseHeaders {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

/// The body of a POST: buffered until it is complete, or streamed.
pub(super) enum Upload {
    Kept { bytes: Vec<u8>, call: Option<Box<PendingRequest>> },
    Sent(BufWriter<TimedWriter>),
}

/// A request whose body is not complete.
pub(super) struct PendingRequest {
    pub line: Arc<HttpSession>,
    pub request: Request,
    pub to_head: SyncSender<Result<Head, reqwest::Error>>,
    pub to_body: SyncSender<io::Result<Vec<u8>>>,
}

impl Write for Upload {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Kept { bytes, .. } => bytes.write(buffer),
            Self::Sent(taken) => taken.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let Self::Kept { bytes, call } = self else { return };
        let Some(waiting) = call.take() else { return };
        let PendingRequest { line, mut request, to_head, to_body } = *waiting;
        let bytes = std::mem::take(bytes);
        let length = bytes.len() as u64;
        let counted = Counted { bytes: Cursor::new(bytes), patience: line.patience.clone() };
        *request.body_mut() = Some(Body::sized(counted, length));
        line.perform(request, to_head, to_body);
    }
}

/// A body that counts each piece taken as progress.
struct Counted {
    bytes: Cursor<Vec<u8>>,
    patience: Patience,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.patience.moved(read);
        Ok(read)
    }
}

/// The pieces of a body; if it is aborted, it ends with an error and does not look complete.
pub(super) struct HttpBodyPieces {
    pieces: Receiver<Vec<u8>>,
    piece: Cursor<Vec<u8>>,
    patience: Patience,
}

impl HttpBodyPieces {
    pub fn new(pieces: Receiver<Vec<u8>>, patience: Patience) -> Self {
        Self { pieces, piece: Cursor::default(), patience }
    }
}

impl Read for HttpBodyPieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.piece.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            match self.pieces.recv() {
                Ok(piece) => self.piece = Cursor::new(piece),
                Err(_) if self.patience.given_up().is_some() => {
                    return Err(io::ErrorKind::ConnectionAborted.into());
                }
                Err(_) => return Ok(0),
            }
        }
    }
}
