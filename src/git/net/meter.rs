//! Limits how much a remote may send: refs, answers and messages are counted as they arrive, packet line by packet
//! line, so that none of them is endless.
//!
//! Limits on packs are in `pack`, time limits in `timeouts`.

use gix::protocol::transport::client::blocking_io::http::{
    GetResponse, Http, PostBodyDataKind, PostResponse,
};
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Capabilities and refs: some 400,000 branches.
const MOST_OF_REFS: u64 = 32 << 20;
/// Answers in a negotiation, shallow boundaries, a report: some 40,000 lines.
const MOST_OF_ANSWERS: u64 = 2 << 20;
const MOST_WORDS: u64 = 1 << 20;
/// Data after the end of a pack: a flush, and what some servers append.
const MOST_BEHIND: u64 = 64 << 10;

/// Counts one conversation; clones share the count.
#[derive(Debug, Clone)]
pub(super) struct Meter(Arc<TrafficCounts>);

#[derive(Debug)]
struct TrafficCounts {
    phase: AtomicU8,
    lines: AtomicU64,
    words: AtomicU64,
    data: AtomicU64,
}

const REFS: u8 = 0;
const TRANSFER: u8 = 1;
const OVER: u8 = 2;

const AFTER_PACK: &str = "after the pack";

impl Default for Meter {
    fn default() -> Self {
        Self(Arc::new(TrafficCounts {
            phase: AtomicU8::new(REFS),
            lines: AtomicU64::new(MOST_OF_REFS),
            words: AtomicU64::new(MOST_WORDS),
            data: AtomicU64::new(u64::MAX),
        }))
    }
}

impl Meter {
    /// The refs are complete: from here on lines may have side bands, the first of which carries the pack or the
    /// report.
    pub fn transfer(&self) {
        self.0.lines.store(MOST_OF_ANSWERS, Ordering::Relaxed);
        self.0.phase.store(TRANSFER, Ordering::Relaxed);
    }

    /// No more data is expected.
    pub fn over(&self) {
        self.0.data.store(MOST_BEHIND, Ordering::Relaxed);
        self.0.phase.store(OVER, Ordering::Relaxed);
    }

    /// All data is an answer: the report of a push.
    pub fn report(&self) {
        self.transfer();
        self.0.data.store(MOST_OF_ANSWERS, Ordering::Relaxed);
    }

    /// What there is too much of, and how much is taken.
    pub fn flood(&self) -> Option<String> {
        let is_empty = |count: &AtomicU64| count.load(Ordering::Relaxed) == 0;
        let phase = self.0.phase.load(Ordering::Relaxed);
        let (most, what) = if is_empty(&self.0.words) {
            (MOST_WORDS, "messages")
        } else if is_empty(&self.0.data) && phase == OVER {
            (MOST_BEHIND, AFTER_PACK)
        } else if is_empty(&self.0.lines) && phase == REFS {
            (MOST_OF_REFS, "refs")
        } else if is_empty(&self.0.data) || is_empty(&self.0.lines) {
            (MOST_OF_ANSWERS, "answers besides the pack")
        } else {
            return None;
        };
        Some(match what {
            AFTER_PACK => format!("more than {most} bytes {what}"),
            what => format!("more than {most} bytes of {what}"),
        })
    }

    fn count(&self, kind: PacketKind, bytes: u64) {
        let counter = match kind {
            PacketKind::Line => &self.0.lines,
            PacketKind::Words => &self.0.words,
            PacketKind::Data if self.0.data.load(Ordering::Relaxed) == u64::MAX => return,
            PacketKind::Data => &self.0.data,
        };
        counter.store(counter.load(Ordering::Relaxed).saturating_sub(bytes), Ordering::Relaxed);
    }

    fn check(&self) -> io::Result<()> {
        self.flood().map_or(Ok(()), |flood| Err(io::Error::other(flood)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PacketKind {
    Line,
    Words,
    Data,
}

const ENDED: &str = "the server closed the connection early";

/// The four digits that give the length of a line; they count as part of it.
const LENGTH: u32 = 4;

/// The position in the packet lines of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PacketState {
    /// In the four digits of a length: how many were read, and their value.
    Length(u8, u32),
    /// At the first byte of a line with this many.
    Begin(u32),
    /// In a line with this many bytes left.
    Inside(u32, PacketKind),
    /// The stream has no packet lines.
    Lost,
}

pub(super) struct Metered<R> {
    inner: R,
    meter: Meter,
    state: PacketState,
    /// Whether the end of the stream was reported.
    ended: bool,
}

impl<R> Metered<R> {
    pub fn new(inner: R, meter: Meter) -> Self {
        Self { inner, meter, state: PacketState::Length(0, 0), ended: false }
    }
}

fn advance(meter: &Meter, state: &mut PacketState, mut bytes: &[u8]) {
    while let Some(first) = bytes.first() {
        let taken = match *state {
            PacketState::Length(read, value) => {
                *state = match char::from(*first).to_digit(16) {
                    None => PacketState::Lost,
                    Some(digit) if read < 3 => PacketState::Length(read + 1, value * 16 + digit),
                    // flush, delimiter, end of response
                    Some(digit) if value == 0 && digit <= LENGTH => {
                        meter.count(PacketKind::Line, u64::from(LENGTH));
                        PacketState::Length(0, 0)
                    }
                    Some(digit) => PacketState::Begin(value * 16 + digit - LENGTH),
                };
                1
            }
            PacketState::Begin(length) => {
                let banded = meter.0.phase.load(Ordering::Relaxed) != REFS;
                let kind = match *first {
                    1 if banded => PacketKind::Data,
                    2 | 3 if banded => PacketKind::Words,
                    _ => PacketKind::Line,
                };
                meter.count(kind, u64::from(LENGTH));
                *state = PacketState::Inside(length, kind);
                0
            }
            PacketState::Inside(length, kind) => {
                let taken = bytes.len().min(length as usize);
                meter.count(kind, taken as u64);
                // it is part of a length of 16 bits
                let left = length - u32::try_from(taken).unwrap_or(length);
                *state = if left == 0 { PacketState::Length(0, 0) } else { PacketState::Inside(left, kind) };
                taken
            }
            PacketState::Lost => {
                meter.count(PacketKind::Line, bytes.len() as u64);
                bytes.len()
            }
        };
        bytes = &bytes[taken..];
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.meter.check()?;
        let read = self.inner.read(buffer)?;
        if read == 0 && !buffer.is_empty() {
            // gitoxide takes the end of the stream for the end of a round, and would start another, for ever
            if self.ended {
                return Err(io::Error::new(io::ErrorKind::ConnectionAborted, ENDED));
            }
            self.ended = true;
        }
        advance(&self.meter, &mut self.state, &buffer[..read]);
        self.meter.check()?;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Metered<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.meter.check()?;
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        // the buffer is still filled: this reads nothing
        let bytes = self.inner.fill_buf().unwrap_or_default();
        advance(&self.meter, &mut self.state, &bytes[..amount.min(bytes.len())]);
        self.inner.consume(amount);
    }
}

/// gitoxide's HTTP client with counted answers.
#[derive(Default)]
pub(super) struct MeteredHttp<H> {
    inner: H,
    meter: Meter,
}

impl<H> MeteredHttp<H> {
    pub fn new(inner: H, meter: Meter) -> Self {
        Self { inner, meter }
    }
}

impl<H: Http> Http for MeteredHttp<H> {
    type Headers = <H as Http>::Headers;
    type ResponseBody = Metered<<H as Http>::ResponseBody>;
    type PostBody = <H as Http>::PostBody;

    fn get(
        &mut self,
        url: &str,
        base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> gix::Result<GetResponse<Self::Headers, Self::ResponseBody>> {
        let GetResponse { headers, body } = self.inner.get(url, base_url, headers)?;
        Ok(GetResponse { headers, body: Metered::new(body, self.meter.clone()) })
    }

    fn post(
        &mut self,
        url: &str,
        base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
        body: PostBodyDataKind,
    ) -> gix::Result<PostResponse<Self::Headers, Self::ResponseBody, Self::PostBody>> {
        let PostResponse { post_body, headers, body } = self.inner.post(url, base_url, headers, body)?;
        Ok(PostResponse { post_body, headers, body: Metered::new(body, self.meter.clone()) })
    }

    fn configure(&mut self, config: &dyn std::any::Any) -> gix::Result {
        self.inner.configure(config)
    }

    fn redirected_base_url(&self) -> Option<String> {
        self.inner.redirected_base_url()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(bytes: &[u8]) -> Vec<u8> {
        [format!("{:04x}", bytes.len() + 4).as_bytes(), bytes].concat()
    }

    fn read(meter: &Meter, bytes: impl Read) -> io::Result<u64> {
        io::copy(&mut Metered::new(bytes, meter.clone()), &mut io::sink())
    }

    fn endless(line: Vec<u8>) -> impl Read {
        struct Repeated(Vec<u8>, usize);
        impl Read for Repeated {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                for byte in &mut *buffer {
                    *byte = self.0[self.1];
                    self.1 = (self.1 + 1) % self.0.len();
                }
                Ok(buffer.len())
            }
        }
        Repeated(line, 0)
    }

    #[test]
    fn nothing_but_a_pack_goes_on_for_ever() {
        let meter = Meter::default();
        read(&meter, endless(line(b"\x01refs"))).unwrap_err();
        assert!(meter.flood().unwrap().ends_with("bytes of refs"));
        for (text, flood) in [
            (&b"ACK 0123"[..], "of answers besides the pack"),
            (b"\x02counting", "of messages"),
            (b"\x03fatal", "of messages"),
            (b"", "of answers besides the pack"),
        ] {
            let meter = Meter::default();
            meter.transfer();
            read(&meter, endless(line(text))).unwrap_err();
            assert!(meter.flood().unwrap().ends_with(flood));
        }
        let meter = Meter::default();
        meter.transfer();
        let pack = line(&[&[1], vec![b'x'; 60_000].as_slice()].concat());
        assert_eq!(read(&meter, endless(pack.clone()).take(100 << 20)).unwrap(), 100 << 20);
        meter.over();
        read(&meter, endless(pack)).unwrap_err();
        assert!(meter.flood().unwrap().ends_with("after the pack"));
    }

    #[test]
    fn what_are_no_lines_counts_as_well() {
        for bytes in ["zzzz", "0000", "0004", "0001"] {
            let meter = Meter::default();
            read(&meter, endless(bytes.into())).unwrap_err();
            assert!(meter.flood().unwrap().ends_with("bytes of refs"));
        }
    }
}
