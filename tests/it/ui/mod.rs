//! `brv ui`: who is let in, what each page says, and what a browser makes of it.

mod acts;
mod browser;
mod door;
mod export;
mod pages;

use crate::env::Env;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A project with these entries.
fn project(entries: &[(&str, &str)]) -> Env {
    let env = crate::init::project(&[]);
    for (path, text) in entries {
        let file = env.path(".brv/context-tree").join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let ran = env.brv(&["vc", "add", "."]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = env.brv(&["vc", "commit", "-q", "-m", "start"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    env
}

/// A server of pages.
struct Site {
    child: Child,
    /// What it said of itself.
    data: Value,
}

impl Drop for Site {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// An answer: its status, its head in lower case, its body.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    /// The value of a header.
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

impl Site {
    /// Serve the tree of `env`.
    fn start(env: &Env, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        env.prepare(&mut command);
        command.args(["ui", "--no-open", "--json"]).args(arguments);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let envelope: Value = serde_json::from_str(&line).unwrap();
        crate::described::check(&envelope, &["ui"]);
        Self { child, data: envelope["data"].clone() }
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.data["port"])
    }

    /// Send a request with exactly these headers and a body, on a connection of its own.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        // a server that refuses may close before it has read everything
        drop(stream.write_all(body));
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer.as_str(), ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
        Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    /// Sign in without a script: the base of all addresses, and the cookie.
    fn sign_in(&self) -> Visitor<'_> {
        self.sign_in_at(self.data["without_script"].as_str().unwrap())
    }

    fn sign_in_at(&self, address: &str) -> Visitor<'_> {
        let path = address.split_once(&self.address()).unwrap().1;
        let answer = self.send("GET", path, &[("Host", &self.address())], b"");
        assert_eq!(answer.status, 303, "{answer:?}");
        let location = answer.header("location").unwrap();
        let base = location.split('/').nth(1).unwrap().to_owned();
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        Visitor { site: self, base, cookie }
    }
}

/// Who is signed in.
struct Visitor<'s> {
    site: &'s Site,
    base: String,
    cookie: String,
}

impl Visitor<'_> {
    fn get(&self, path: &str) -> Answer {
        let headers = [("Host", &*self.site.address()), ("Cookie", &self.cookie)];
        self.site.send("GET", &format!("/{}{path}", self.base), &headers, b"")
    }

    /// The answer to a form of a page, sent with more fields.
    fn post(&self, form: &Form, more: &[(&str, &str)]) -> Answer {
        let own = form.fields.iter().map(|(name, value)| (&**name, &**value));
        let pairs: Vec<String> = own
            .chain(more.iter().copied())
            .map(|(name, value)| format!("{name}={}", percent(value)))
            .collect();
        self.send_form(&form.action, "application/x-www-form-urlencoded", pairs.join("&").as_bytes())
    }

    fn send_form(&self, action: &str, kind: &str, body: &[u8]) -> Answer {
        let (host, site) = (self.site.address(), format!("http://{}", self.site.address()));
        let headers = [("Host", &*host), ("Origin", &site), ("Cookie", &self.cookie), ("Content-Type", kind)];
        self.site.send("POST", action, &headers, body)
    }

    /// The page that follows what was done.
    #[track_caller]
    fn after(&self, answer: &Answer) -> String {
        assert_eq!(answer.status, 303, "{}", answer.body);
        let location = answer.header("location").unwrap();
        self.page(location.strip_prefix(&format!("/{}", self.base)).unwrap())
    }

    /// The page at a path, which is there.
    #[track_caller]
    fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.body
    }
}

/// A form as it stands on a page.
#[derive(Debug, Clone)]
struct Form {
    action: String,
    fields: Vec<(String, String)>,
}

/// The first form of an act on a page.
fn form(page: &str, act: &str) -> Option<Form> {
    let plain = |text: &str| {
        let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
        signs.iter().fold(text.to_owned(), |text, (sign, char)| text.replace(sign, char))
    };
    page.split("<form method=\"post\"").skip(1).find_map(|form| {
        let action = form.split_once("action=\"")?.1.split_once('"')?.0.to_owned();
        action.ends_with(&format!("/act/{act}")).then_some(())?;
        let inputs = form.split_once("</form>")?.0.split("<input type=\"hidden\" name=\"").skip(1);
        let fields = inputs.filter_map(|input| {
            let (name, rest) = input.split_once("\" value=\"")?;
            Some((name.to_owned(), plain(rest.split_once('"')?.0)))
        });
        Some(Form { action, fields: fields.collect() })
    })
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
