//! Timeouts for a silent or slow peer, and waits that Ctrl-C ends at once.
//!
//! Counts only the time spent waiting for the other side. Knows no protocol.

use std::io::{self, BufRead, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the other side may be silent or slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest time without any byte in either direction.
    pub silence: Duration,
    /// The time over which the average must be at least `slowest` bytes per second.
    pub slow_for: Duration,
    /// Bytes per second.
    pub slowest: u32,
}

impl Default for Limits {
    /// A busy server sends a keep-alive every five seconds (git's `keepAlive`), if only of five bytes.
    fn default() -> Self {
        Self { silence: Duration::from_secs(120), slow_for: Duration::from_secs(600), slowest: 10 }
    }
}

impl Limits {
    /// The default with another limit on silence; slowness is judged over five times as long.
    pub fn of_silence(silence: Duration) -> Self {
        Self { silence, slow_for: silence.saturating_mul(5), ..Self::default() }
    }
}

impl Limits {
    /// Only silence counts.
    pub(super) const fn silent_for(silence: Duration) -> Self {
        Self { silence, slow_for: Duration::MAX, slowest: 0 }
    }
}

/// Why waiting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum GivenUp {
    #[error("interrupted")]
    Interrupted,
    #[error("no data for {} seconds", .0.as_secs())]
    Silent(Duration),
    #[error("slower than {0} bytes per second for {secs} seconds", secs = .1.as_secs())]
    Slow(u32, Duration),
}

/// The timeouts of one peer, shared by all that wait for it.
#[derive(Clone)]
pub(super) struct Patience(Arc<PatienceState>);

struct PatienceState {
    interrupt: &'static AtomicBool,
    limits: Limits,
    waited: Mutex<WaitTime>,
}

#[derive(Default)]
struct WaitTime {
    /// Since the last byte.
    silent: Duration,
    /// Since `bytes` was zero.
    window: Duration,
    bytes: u64,
    /// The clock starts with the first byte.
    held: bool,
    given_up: Option<GivenUp>,
}

/// How often Ctrl-C is checked.
const STEP: Duration = Duration::from_millis(50);

impl Patience {
    pub fn new(interrupt: &'static AtomicBool, limits: Limits) -> Self {
        Self(Arc::new(PatienceState { interrupt, limits, waited: Mutex::default() }))
    }

    /// The same timeouts for another peer.
    pub fn afresh(&self) -> Self {
        Self::new(self.0.interrupt, self.0.limits)
    }

    /// Starts the clock with the first byte: until then the user may be typing.
    pub fn starting_with_a_byte(self) -> Self {
        self.waited().held = true;
        self
    }

    /// Why waiting ended, if it did.
    pub fn given_up(&self) -> Option<GivenUp> {
        self.waited().given_up
    }

    fn waited(&self) -> std::sync::MutexGuard<'_, WaitTime> {
        self.0.waited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes were sent or received.
    pub fn moved(&self, bytes: usize) {
        let mut waited = self.waited();
        waited.silent = Duration::ZERO;
        waited.held = false;
        waited.bytes += bytes as u64;
    }

    /// Adds `time` to the wait.
    ///
    /// # Errors
    /// [`GivenUp`], when a limit is reached.
    pub fn wait(&self, time: Duration) -> io::Result<()> {
        let limits = self.0.limits;
        let mut waited = self.waited();
        let time = if waited.held { Duration::ZERO } else { time };
        waited.silent += time;
        waited.window += time;
        let mut reason = None;
        if waited.window >= limits.slow_for {
            if waited.bytes < u64::from(limits.slowest) * limits.slow_for.as_secs() {
                reason = Some(GivenUp::Slow(limits.slowest, limits.slow_for));
            }
            (waited.window, waited.bytes) = (Duration::ZERO, 0);
        }
        if waited.silent >= limits.silence {
            reason = Some(GivenUp::Silent(limits.silence));
        }
        if self.0.interrupt.load(Ordering::Relaxed) {
            reason = Some(GivenUp::Interrupted);
        }
        waited.given_up = waited.given_up.or(reason);
        match waited.given_up {
            // not `ErrorKind::Interrupted`, after which readers try again
            Some(reason) => Err(io::Error::new(io::ErrorKind::TimedOut, reason)),
            None => Ok(()),
        }
    }

    /// Receives from `receiver`. `None`: its sender is gone.
    pub fn receive<T>(&self, receiver: &Receiver<T>) -> io::Result<Option<T>> {
        loop {
            let begun = Instant::now();
            let received = receiver.recv_timeout(STEP);
            self.wait(begun.elapsed())?;
            match received {
                Ok(value) => return Ok(Some(value)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// Sends `value` to `sender`, once it has room.
    pub fn send<T>(&self, sender: &SyncSender<T>, mut value: T) -> io::Result<()> {
        let mut pause = Duration::from_micros(50);
        loop {
            match sender.try_send(value) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => return Err(io::ErrorKind::BrokenPipe.into()),
                Err(TrySendError::Full(back)) => value = back,
            }
            let begun = Instant::now();
            std::thread::sleep(pause);
            self.wait(begun.elapsed())?;
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }
}

/// Pieces in which bytes travel between threads.
const PIECE: usize = 64 << 10;

const PIECES: usize = 8;

/// Reads a source that has no timeouts, on a thread of its own.
pub(super) struct TimedReader {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    at: usize,
    patience: Patience,
}

impl TimedReader {
    /// Reads `source` to its end.
    pub fn by(mut source: impl Read + Send + 'static, patience: Patience) -> Self {
        let (sender, reader) = Self::new(patience);
        std::thread::spawn(move || carry(&mut source, &sender));
        reader
    }

    /// Passes pieces on; dropping the sender ends the data.
    pub fn new(patience: Patience) -> (SyncSender<io::Result<Vec<u8>>>, Self) {
        let (sender, pieces) = sync_channel(PIECES);
        (sender, Self { pieces, piece: Vec::new(), at: 0, patience })
    }
}

/// Copies all of `source` to `sender`, until either ends.
pub(super) fn carry(source: &mut dyn Read, sender: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut piece = vec![0; PIECE];
        let read = match source.read(&mut piece) {
            Ok(0) => return,
            Ok(read) => Ok(read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let ended = read.is_err();
        let sent = sender.send(read.map(|read| {
            piece.truncate(read);
            piece
        }));
        if ended || sent.is_err() {
            return;
        }
    }
}

impl BufRead for TimedReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.piece.len()
            && let Some(piece) = self.patience.receive(&self.pieces)?
        {
            self.piece = piece?;
            self.at = 0;
            self.patience.moved(self.piece.len());
        }
        Ok(&self.piece[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        self.at += amount;
    }
}

impl Read for TimedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = self.fill_buf()?;
        let taken = piece.len().min(buffer.len());
        buffer[..taken].copy_from_slice(&piece[..taken]);
        self.consume(taken);
        Ok(taken)
    }
}

/// Writes into a sink that has no timeouts, on a thread of its own.
pub(super) struct TimedWriter {
    pieces: SyncSender<Vec<u8>>,
    patience: Patience,
}

impl TimedWriter {
    /// Writes to `sink`, and closes it at the end.
    pub fn by(mut sink: impl Write + Send + 'static, patience: Patience) -> Self {
        let (writer, pieces) = Self::new(patience);
        std::thread::spawn(move || {
            for mut piece in &pieces {
                while piece.len() < PIECE
                    && let Ok(more) = pieces.try_recv()
                {
                    piece.extend(more);
                }
                // a closed reader shows here as a full queue
                if sink.write_all(&piece).and_then(|()| sink.flush()).is_err() {
                    return;
                }
            }
        });
        writer
    }

    /// The other end receives the pieces.
    pub fn new(patience: Patience) -> (Self, Receiver<Vec<u8>>) {
        let (pieces, receiver) = sync_channel(PIECES);
        (Self { pieces, patience }, receiver)
    }
}

impl Write for TimedWriter {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let taken = buffer.len().min(PIECE);
        self.patience.send(&self.pieces, buffer[..taken].to_vec())?;
        self.patience.moved(taken);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) struct TimedStream {
    stream: TcpStream,
    patience: Patience,
}

impl TimedStream {
    pub fn new(stream: TcpStream, patience: Patience) -> io::Result<Self> {
        stream.set_read_timeout(Some(STEP))?;
        stream.set_write_timeout(Some(STEP))?;
        Ok(Self { stream, patience })
    }

    /// Both directions of one connection.
    pub fn pair(stream: TcpStream, patience: &Patience) -> io::Result<(Self, Self)> {
        let other = stream.try_clone()?;
        Ok((Self::new(stream, patience.clone())?, Self::new(other, patience.clone())?))
    }

    fn patiently(&mut self, mut act: impl FnMut(&mut TcpStream) -> io::Result<usize>) -> io::Result<usize> {
        loop {
            let begun = Instant::now();
            let done = act(&mut self.stream);
            self.patience.wait(begun.elapsed())?;
            match done {
                Ok(bytes) => {
                    self.patience.moved(bytes);
                    return Ok(bytes);
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted => {}
                    _ => return Err(error),
                },
            }
        }
    }
}

impl Read for TimedStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.patiently(|stream| stream.read(buffer))
    }
}

impl Write for TimedStream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.patiently(|stream| stream.write(buffer))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);
    const SECOND: Duration = Duration::from_secs(1);

    fn patience() -> Patience {
        let limits = Limits { silence: 10 * SECOND, slow_for: 60 * SECOND, slowest: 10 };
        Patience::new(&NEVER, limits)
    }

    #[test]
    fn silence_counts_from_the_last_byte_and_slowness_over_its_time() {
        let patience = patience();
        for _ in 0..9 {
            patience.wait(SECOND).unwrap();
        }
        patience.moved(1);
        for _ in 0..9 {
            patience.wait(SECOND).unwrap();
        }
        assert_eq!(patience.given_up(), None);
        patience.wait(SECOND).unwrap_err();
        assert_eq!(patience.given_up(), Some(GivenUp::Silent(10 * SECOND)));
    }

    #[test]
    fn a_byte_each_second_is_too_slow_and_twenty_are_not() {
        for (bytes, patient) in [(1, false), (20, true)] {
            let patience = patience();
            let given_up = (0..130).any(|_| {
                patience.moved(bytes);
                patience.wait(SECOND).is_err()
            });
            assert_eq!(given_up, !patient, "{bytes}");
        }
    }

    #[test]
    fn an_interrupt_ends_the_waiting_at_once() {
        static NOW: AtomicBool = AtomicBool::new(true);
        let patience = Patience::new(&NOW, Limits::default());
        let (_sender, mut brought) = TimedReader::new(patience.clone());
        let begun = Instant::now();
        assert!(brought.read(&mut [0; 4]).is_err());
        assert!(begun.elapsed() < SECOND);
        assert_eq!(patience.given_up(), Some(GivenUp::Interrupted));
        let (_reader, writer) = std::io::pipe().unwrap();
        let mut taken = TimedWriter::by(writer, patience);
        assert!(std::iter::repeat_with(|| taken.write(&[0; PIECE])).take(64).any(|written| written.is_err()));
    }

    #[test]
    fn what_is_written_arrives_whole_and_in_order() {
        let (reader, writer) = std::io::pipe().unwrap();
        let bytes: Vec<u8> = (0..3_000_000u32).map(|at| (at % 251) as u8).collect();
        let mut taken = TimedWriter::by(writer, patience());
        let mut brought = TimedReader::by(reader, patience());
        let sent = bytes.clone();
        let sending = std::thread::spawn(move || taken.write_all(&sent));
        let mut received = Vec::new();
        brought.read_to_end(&mut received).unwrap();
        sending.join().unwrap().unwrap();
        assert!(received == bytes);
    }
}
