//! A fake git server in a thread that violates the protocol as configured: upload-pack in versions 0 and 2,
//! receive-pack in version 0, over `git://` and http. Its objects are generated here; no git is involved.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use gix::ObjectId;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The limit for "endless" answers, in case the client never ends.
const ENDLESS: usize = 400 << 20;

/// The transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    Git,
    Http,
}

/// The version of upload-pack, whatever the client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    Zero,
    Two,
}

/// Bytes, sent once or repeatedly.
#[derive(Debug, Clone)]
pub enum Bytes {
    Once(Vec<u8>),
    Endless(Vec<u8>),
    /// The second, repeated without end, after the first.
    Opened(Vec<u8>, Vec<u8>),
}

/// How it misbehaves.
#[derive(Debug, Clone)]
pub enum Fault {
    /// It does not.
    None,
    /// Sent instead of capabilities and, in version 0, refs.
    Greeting(Bytes),
    /// One more capability, after the others.
    Capability(&'static str),
    /// Sent instead of the list of refs (version 2).
    List(Bytes),
    /// In version 0: it acknowledges every commit that the client lists and says that it is ready. It offers `no-done`,
    /// but waits for `done`.
    Ready,
    /// In version 0: it offers these capabilities for shallow repositories, and answers a `deepen` with these packet
    /// lines.
    Ends(&'static str, Vec<u8>),
    /// Before the pack: packet lines of the negotiation.
    Negotiation(Bytes),
    /// Before the pack: sent on a band.
    Band(u8, Bytes),
    /// After the pack: sent on band 1.
    Behind(Bytes),
    /// It disconnects before the pack.
    NoPack,
    /// Sent instead of the report of a push: on band 1.
    Report(Bytes),
    /// Before the report of a push: sent on band 2.
    Hook(Bytes),
    /// http: every resource exists at another place.
    Redirect(String),
    /// http: this answer to every request.
    Page(Bytes),
}

/// The content that it serves.
#[derive(Debug, Clone)]
pub struct Wares {
    /// Names and ids, `HEAD` first; none in a repository without commits.
    pub refs: Vec<(Vec<u8>, String)>,
    /// The target of `HEAD`.
    pub head: String,
    /// The pack sent to every client.
    pub pack: Vec<u8>,
}

/// A running server. It ends with the process.
pub struct Liar {
    pub url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

struct Server {
    version: Version,
    fault: Fault,
    wares: Wares,
    asked: Arc<Mutex<Vec<String>>>,
}

type Out<'a> = &'a mut dyn Write;

impl Liar {
    pub fn start(carrier: Carrier, version: Version, wares: Wares, fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::default();
        let server = Arc::new(Server { version, fault, wares, asked: Arc::clone(&asked) });
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let server = Arc::clone(&server);
                std::thread::spawn(move || {
                    let stream = stream.unwrap();
                    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                    let done = match carrier {
                        Carrier::Git => server.git(&stream),
                        Carrier::Http => server.http(&stream),
                    };
                    // a client that disconnects ends its connection, too
                    drop(done);
                    close(&stream);
                });
            }
        });
        let scheme = if carrier == Carrier::Git { "git" } else { "http" };
        Self { url: format!("{scheme}://{address}/liar.git"), asked }
    }

    /// The lines of the requests to upload-pack in version 0: the wants and the depth.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Server {
    fn git(&self, stream: &TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut stream = stream.try_clone()?;
        let asked = read_line(&mut reader)?.unwrap_or_default();
        let out: Out<'_> = &mut stream;
        if asked.starts_with(b"git-receive-pack") {
            self.greet(true, out)?;
            read_lines(&mut reader)?;
            drain(&mut reader);
            self.report(out)?;
        } else {
            self.greet(false, out)?;
            while let Ok(lines) = read_lines(&mut reader) {
                if lines.is_empty() {
                    break;
                }
                self.read_strictly(&lines, out)?;
                self.end_history(&lines, out)?;
                // in version 0 the wants end with a flush, then come rounds of haves
                let mut round = lines.clone();
                while self.version == Version::Zero && !is_done(&round) {
                    round = read_lines(&mut reader)?;
                    if !is_done(&round) {
                        self.acknowledge(&round, out)?;
                    }
                }
                self.answer(&lines, out)?;
            }
        }
        Ok(())
    }

    fn http(&self, stream: &TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut stream = stream.try_clone()?;
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
                break;
            }
            head.push(line.trim().to_ascii_lowercase());
        }
        let first = head.first().cloned().unwrap_or_default();
        let length = head.iter().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut body)?;
        let out: Out<'_> = &mut stream;
        let ok = |out: Out<'_>, kind: &str| {
            write!(out, "HTTP/1.1 200 OK\r\nContent-Type: application/x-{kind}\r\nConnection: close\r\n\r\n")
        };
        let target = first.split(' ').nth(1).unwrap_or_default();
        match (&self.fault, first.starts_with("get ")) {
            (Fault::Redirect(to), _) => {
                let to = to.replace("{target}", target);
                write!(
                    out,
                    "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                )?;
            }
            (Fault::Page(page), _) => pour(out, page)?,
            (_, true) => {
                let receive = target.contains("receive-pack");
                let name = if receive { "git-receive-pack" } else { "git-upload-pack" };
                ok(out, &format!("{name}-advertisement"))?;
                line(out, format!("# service={name}\n").as_bytes())?;
                out.write_all(b"0000")?;
                self.greet(receive, out)?;
            }
            (_, false) if target.ends_with("git-receive-pack") => {
                ok(out, "git-receive-pack-result")?;
                self.report(out)?;
            }
            (_, false) => {
                ok(out, "git-upload-pack-result")?;
                let mut rest = body.as_slice();
                let mut lines = Vec::new();
                while !rest.is_empty() {
                    lines.extend(read_lines(&mut rest)?);
                }
                self.read_strictly(&lines, out)?;
                self.end_history(&lines, out)?;
                if self.version == Version::Zero && !is_done(&lines) {
                    self.acknowledge(&lines, out)?;
                } else {
                    self.answer(&lines, out)?;
                }
            }
        }
        Ok(())
    }

    /// Read as servers other than git do in version 0: wants, then the shallow boundary, then the depth.
    fn read_strictly(&self, lines: &[Vec<u8>], out: Out<'_>) -> std::io::Result<()> {
        if self.version == Version::Two {
            return Ok(());
        }
        const ORDER: [&str; 5] = ["want ", "shallow ", "deepen ", "have ", "done"];
        let mut last = 0;
        for text in lines.iter().map(|text| String::from_utf8_lossy(text).trim_end().to_owned()) {
            match ORDER.iter().position(|word| text.starts_with(word)).filter(|place| *place >= last) {
                Some(place) => last = place,
                None => {
                    line(out, format!("ERR `{text}` is out of place").as_bytes())?;
                    return enough();
                }
            }
            if last < 3 {
                self.asked.lock().unwrap().push(text);
            }
        }
        Ok(())
    }

    fn end_history(&self, lines: &[Vec<u8>], out: Out<'_>) -> std::io::Result<()> {
        match &self.fault {
            Fault::Ends(_, ends) if lines.iter().any(|line| line.starts_with(b"deepen ")) => {
                out.write_all(ends)?;
                out.write_all(b"0000")
            }
            _ => Ok(()),
        }
    }

    fn acknowledge(&self, round: &[Vec<u8>], out: Out<'_>) -> std::io::Result<()> {
        let haves = round.iter().filter_map(|line| line.strip_prefix(b"have ")).map(<[u8]>::trim_ascii_end);
        if matches!(self.fault, Fault::Ready) {
            let mut last = None;
            for id in haves {
                line(out, &[b"ACK ", id, b" common\n"].concat())?;
                last = Some(id);
            }
            if let Some(id) = last {
                line(out, &[b"ACK ", id, b" ready\n"].concat())?;
            }
        }
        line(out, b"NAK\n")
    }

    fn greet(&self, receive: bool, out: Out<'_>) -> std::io::Result<()> {
        if let Fault::Greeting(bytes) = &self.fault {
            pour(out, bytes)?;
            return enough();
        }
        let more = match self.fault {
            Fault::Capability(more) => more,
            Fault::Ready => "no-done",
            _ => "",
        };
        let shallow = if let Fault::Ends(words, _) = self.fault { words } else { "shallow" };
        if self.version == Version::Two && !receive {
            for text in ["version 2", "agent=liar", "ls-refs=unborn", "fetch=shallow", more] {
                if !text.is_empty() {
                    line(out, format!("{text}\n").as_bytes())?;
                }
            }
            return out.write_all(b"0000");
        }
        let can = match receive {
            true => format!("report-status side-band-64k delete-refs ofs-delta atomic agent=liar {more}"),
            false => format!(
                "multi_ack_detailed side-band-64k ofs-delta include-tag {shallow} symref=HEAD:{} agent=liar {more}",
                self.wares.head
            ),
        };
        if self.wares.refs.is_empty() {
            // some servers list `HEAD` before there is a branch, even to clients that push
            let (none, head) = ("0".repeat(40), &self.wares.head);
            line(out, format!("{none} capabilities^{{}}\0{can} symref=HEAD:{head}\n").as_bytes())?;
        }
        let refs = self.wares.refs.iter().filter(|(name, _)| !receive || name != b"HEAD");
        for (number, (name, id)) in refs.enumerate() {
            let mut text = [id.as_bytes(), b" ", name].concat();
            if number == 0 {
                text.extend_from_slice(format!("\0{can}").as_bytes());
            }
            text.push(b'\n');
            line(out, &text)?;
        }
        out.write_all(b"0000")
    }

    /// The answer to a fetch, or to a request for refs.
    fn answer(&self, asked: &[Vec<u8>], out: Out<'_>) -> std::io::Result<()> {
        if asked.iter().any(|line| line.starts_with(b"command=ls-refs")) {
            if let Fault::List(bytes) = &self.fault {
                pour(out, bytes)?;
                return enough();
            }
            for (name, id) in &self.wares.refs {
                let mut text = [id.as_bytes(), b" ", name].concat();
                if name == b"HEAD" {
                    text.extend_from_slice(format!(" symref-target:{}", self.wares.head).as_bytes());
                }
                text.push(b'\n');
                line(out, &text)?;
            }
            return out.write_all(b"0000");
        }
        if matches!(self.fault, Fault::NoPack) {
            return enough();
        }
        if let Fault::Negotiation(bytes) = &self.fault {
            pour(out, bytes)?;
        }
        match self.version {
            Version::Zero => line(out, b"NAK\n")?,
            Version::Two if is_done(asked) => line(out, b"packfile\n")?,
            Version::Two => {
                line(out, b"acknowledgments\n")?;
                line(out, b"ready\n")?;
                out.write_all(b"0001")?;
                line(out, b"packfile\n")?;
            }
        }
        if let Fault::Band(number, bytes) = &self.fault {
            band(out, *number, bytes)?;
        }
        band(out, 1, &Bytes::Once(self.wares.pack.clone()))?;
        if let Fault::Behind(bytes) = &self.fault {
            band(out, 1, bytes)?;
        }
        out.write_all(b"0000")
    }

    fn report(&self, out: Out<'_>) -> std::io::Result<()> {
        if let Fault::Hook(bytes) = &self.fault {
            band(out, 2, bytes)?;
        }
        if let Fault::Report(bytes) = &self.fault {
            band(out, 1, bytes)?;
        }
        out.write_all(b"0000")
    }
}

fn is_done(lines: &[Vec<u8>]) -> bool {
    lines.iter().any(|line| line.starts_with(b"done"))
}

/// Let the client read everything before the connection is reset.
fn close(mut stream: &TcpStream) {
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_secs(1)));
    let _ = std::io::copy(&mut stream, &mut std::io::sink());
}

/// End the connection.
fn enough() -> std::io::Result<()> {
    Err(std::io::ErrorKind::ConnectionAborted.into())
}

/// Read until nothing arrives for a while: only the reader of a pack knows where it ends.
fn drain(reader: &mut BufReader<TcpStream>) {
    let _ = reader.get_ref().set_read_timeout(Some(Duration::from_millis(150)));
    let mut buffer = [0; 1 << 16];
    while reader.read(&mut buffer).is_ok_and(|read| read > 0) {}
}

/// A packet line; `None` for a flush or delimiter.
fn read_line(reader: &mut impl Read) -> std::io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    reader.read_exact(&mut length)?;
    let length = usize::from_str_radix(std::str::from_utf8(&length).unwrap_or("0"), 16).unwrap_or(0);
    if length < 4 {
        return Ok((length == 1).then(Vec::new));
    }
    let mut bytes = vec![0; length - 4];
    reader.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

/// Read up to a flush, or to the end of a negotiation.
fn read_lines(reader: &mut impl Read) -> std::io::Result<Vec<Vec<u8>>> {
    let mut lines = Vec::new();
    while let Some(line) = read_line(reader)? {
        let last = line.starts_with(b"done") && !lines.iter().any(|line: &Vec<u8>| line.starts_with(b"comm"));
        lines.push(line);
        if last {
            break;
        }
    }
    Ok(lines)
}

/// One packet line.
pub fn line(out: Out<'_>, text: &[u8]) -> std::io::Result<()> {
    out.write_all(format!("{:04x}", text.len() + 4).as_bytes())?;
    out.write_all(text)
}

/// Packet lines.
pub fn lines(texts: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for text in texts {
        match *text {
            "0000" | "0001" => bytes.extend_from_slice(text.as_bytes()),
            text => line(&mut bytes, text.as_bytes()).unwrap(),
        }
    }
    bytes
}

fn pour(out: Out<'_>, bytes: &Bytes) -> std::io::Result<()> {
    match bytes {
        Bytes::Once(bytes) => out.write_all(bytes),
        Bytes::Opened(first, bytes) => {
            out.write_all(first)?;
            pour(out, &Bytes::Endless(bytes.clone()))
        }
        Bytes::Endless(bytes) => {
            let many = bytes.repeat((1 << 16) / bytes.len() + 1);
            (0..ENDLESS / many.len()).try_for_each(|_| out.write_all(&many))
        }
    }
}

fn band(out: Out<'_>, number: u8, bytes: &Bytes) -> std::io::Result<()> {
    let piece = |piece: &[u8]| {
        let mut bytes = Vec::new();
        line(&mut bytes, &[&[number], piece].concat()).unwrap();
        bytes
    };
    match bytes {
        Bytes::Once(bytes) => bytes.chunks(60_000).try_for_each(|part| out.write_all(&piece(part))),
        Bytes::Endless(bytes) => pour(out, &Bytes::Endless(piece(bytes))),
        Bytes::Opened(first, bytes) => pour(out, &Bytes::Opened(piece(first), piece(bytes))),
    }
}

/// An object: its type as packs number it, its content, its id.
#[derive(Debug, Clone)]
pub struct Object {
    pub kind: u8,
    pub content: Vec<u8>,
    pub id: ObjectId,
}

const NAMES: [&str; 5] = ["", "commit", "tree", "blob", "tag"];

/// An object of any type, well-formed or not.
pub fn object(kind: u8, content: &[u8]) -> Object {
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
    hasher.update(format!("{} {}\0", NAMES[usize::from(kind)], content.len()).as_bytes());
    hasher.update(content);
    Object { kind, content: content.to_vec(), id: hasher.try_finalize().unwrap() }
}

pub fn blob(content: &[u8]) -> Object {
    object(3, content)
}

/// A tree with the given modes and names.
pub fn tree(entries: &[(&str, &str, ObjectId)]) -> Object {
    let mut content = Vec::new();
    for (mode, name, id) in entries {
        content.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        content.extend_from_slice(id.as_bytes());
    }
    object(2, &content)
}

pub fn commit(tree: ObjectId, parents: &[ObjectId]) -> Object {
    let mut content = format!("tree {tree}\n");
    for parent in parents {
        content.push_str(&format!("parent {parent}\n"));
    }
    content.push_str("author A <a@b.c> 1700000000 +0000\ncommitter A <a@b.c> 1700000000 +0000\n\nedit\n");
    object(1, content.as_bytes())
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The first bytes of an entry: type and size.
pub fn entry_head(kind: u8, mut size: u64) -> Vec<u8> {
    let mut byte = kind << 4 | (size & 15) as u8;
    size >>= 4;
    let mut bytes = Vec::new();
    while size > 0 {
        bytes.push(byte | 0x80);
        byte = (size & 0x7f) as u8;
        size >>= 7;
    }
    bytes.push(byte);
    bytes
}

/// A valid pack entry.
pub fn entry(object: &Object) -> Vec<u8> {
    lying_entry(object.kind, object.content.len() as u64, &object.content)
}

/// An entry with a wrong size.
pub fn lying_entry(kind: u8, size: u64, content: &[u8]) -> Vec<u8> {
    [entry_head(kind, size), zlib(content)].concat()
}

/// A delta against an object by its id.
pub fn delta_by_name(base: ObjectId, delta: &[u8]) -> Vec<u8> {
    [entry_head(7, delta.len() as u64), base.as_bytes().to_vec(), zlib(delta)].concat()
}

/// A delta against the entry this many bytes before.
pub fn delta_by_place(distance: u64, delta: &[u8]) -> Vec<u8> {
    let mut places = vec![(distance & 0x7f) as u8];
    let mut left = distance >> 7;
    while left > 0 {
        left -= 1;
        places.insert(0, 0x80 | (left & 0x7f) as u8);
        left >>= 7;
    }
    [entry_head(6, delta.len() as u64), places, zlib(delta)].concat()
}

fn delta_size(mut size: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while size > 0x7f {
        bytes.push(0x80 | (size & 0x7f) as u8);
        size >>= 7;
    }
    bytes.push(size as u8);
    bytes
}

/// A delta that states the sizes of base and result, then does this.
pub fn delta(base: u64, result: u64, instructions: &[u8]) -> Vec<u8> {
    [delta_size(base), delta_size(result), instructions.to_vec()].concat()
}

/// A pack of entries with the given count.
pub fn pack_of(count: u32, entries: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = [b"PACK\0\0\0\x02".as_slice(), &count.to_be_bytes()].concat();
    bytes.extend(entries.concat());
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
    hasher.update(&bytes);
    bytes.extend_from_slice(hasher.try_finalize().unwrap().as_bytes());
    bytes
}

/// A valid pack.
pub fn pack(objects: &[&Object]) -> Vec<u8> {
    let entries: Vec<_> = objects.iter().map(|object| entry(object)).collect();
    pack_of(u32::try_from(entries.len()).unwrap(), &entries)
}
