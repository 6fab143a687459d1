//! Signs commits with the program in the user's settings: gpg, ssh-keygen or gpgsm.
//!
//! Calls them as git does; holds no key itself.

use crate::error::{During as _, Error as GitError};
use crate::prompt::Prompt;
use crate::repository::config_file;
use crate::repository::scope::Scope;
use crate::signature::Signature;
use brv_base::environment::Environment;
use brv_base::fs::{self, Durability};
use brv_base::messages::printable;
use brv_base::process;
use bstr::{BString, ByteSlice as _};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Wish {
    /// As set in `commit.gpgsign`.
    #[default]
    Settings,
    /// Yes, with this key or the one in the settings (`--gpg-sign[=KEY]`).
    Sign(Option<String>),
    /// No (`--no-gpg-sign`).
    Plain,
}

/// The signing program, and the key.
#[derive(Debug)]
pub struct Signer {
    program: OsString,
    form: SignatureFormat,
    prompt: Prompt,
    environment: Environment,
}

/// The signature formats that git supports.
#[derive(Debug)]
enum SignatureFormat {
    /// OpenPGP or X.509: both programs are called in the same way. The key is an id, or name and address.
    Pgp { key: BString },
    /// A file with a private key, or with a public key whose private half an agent has.
    SshFile { key: PathBuf },
    /// A public key itself; an agent has the private half.
    SshLiteral { key: BString },
}

/// Why there is no signature. Nothing was committed.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    #[error("`gpg.format` is `{0}`: use openpgp, ssh or x509")]
    Format(String),
    #[error("`user.signingKey` is not set, and signing with ssh needs a key")]
    NoKey,
    #[error("`gpg.ssh.defaultKeyCommand` printed no key")]
    NoKeyFromCommand,
    #[error("cannot start the signing program `{program}`")]
    Start {
        program: String,
        #[source]
        source: std::io::Error,
    },
    #[error("`{program}` failed to sign{}", said(.words))]
    Refused { program: String, words: Vec<String> },
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    File(#[from] fs::Error),
}

fn said(words: &[String]) -> String {
    if words.is_empty() { String::new() } else { format!(": {}", words.join("; ")) }
}

/// The signer for a commit that `committer` makes now; `None` when it is not to be signed.
pub fn signer(
    scope: &Scope,
    wish: &Wish,
    committer: &Signature,
    prompt: Prompt,
) -> Result<Option<Signer>, SigningError> {
    if *wish == Wish::Plain {
        return Ok(None);
    }
    let repo = config_file::reloaded(scope)?;
    let config = repo.config_snapshot();
    let given = match wish {
        Wish::Sign(key) => key.clone().map(BString::from),
        _ if config.boolean("commit.gpgsign") == Some(true) => None,
        _ => return Ok(None),
    };
    let key = given.or_else(|| config.string("user.signingKey")).filter(|key| !key.is_empty());
    let format = config.string("gpg.format").unwrap_or_else(|| "openpgp".into());
    let (settings, standard): (&[&str], _) = match format.as_slice() {
        b"openpgp" => (&["gpg.openpgp.program", "gpg.program"], "gpg"),
        b"x509" => (&["gpg.x509.program"], "gpgsm"),
        b"ssh" => (&["gpg.ssh.program"], "ssh-keygen"),
        _ => return Err(SigningError::Format(printable(&format))),
    };
    let mut program = OsString::from(standard);
    for setting in settings.iter().rev() {
        let path = config.trusted_path(*setting).during("read the setting of the signing program")?;
        program = path.map_or(program, PathBuf::into_os_string);
    }
    let form = match (format.as_slice(), key) {
        (b"ssh", Some(key)) => ssh(&config, key)?,
        (b"ssh", None) => SignatureFormat::SshLiteral { key: key_of_command(&config, scope.environment())? },
        (_, Some(key)) => SignatureFormat::Pgp { key },
        (_, None) => SignatureFormat::Pgp { key: format!("{} <{}>", committer.name, committer.email).into() },
    };
    Ok(Some(Signer { program, form, prompt, environment: scope.environment().clone() }))
}

/// Whether annotated tags are signed by default.
pub fn signs_tags(scope: &Scope) -> Result<bool, GitError> {
    let repo = config_file::reloaded(scope)?;
    let config = repo.config_snapshot();
    let is_set = |key: &str| config.boolean(key) == Some(true);
    Ok(is_set("tag.gpgSign") || is_set("tag.forceSignAnnotated"))
}

fn ssh(config: &gix::config::Snapshot<'_>, key: BString) -> Result<SignatureFormat, SigningError> {
    if let Some(key) = literal(&key) {
        return Ok(SignatureFormat::SshLiteral { key });
    }
    // a path in the settings may begin with `~`
    let in_settings = config.string("user.signingKey").is_some_and(|set| set == key);
    let path = if in_settings {
        config.trusted_path("user.signingKey").during("read the setting of the signing key")?
    } else {
        None
    };
    let key = path.unwrap_or_else(|| PathBuf::from(key.to_str_lossy().into_owned()));
    Ok(SignatureFormat::SshFile { key })
}

/// A literal public key: `key::ssh-ed25519 AAAA…`, or without the prefix, an older form of git.
fn literal(key: &[u8]) -> Option<BString> {
    let key = key.trim();
    match key.strip_prefix(b"key::") {
        Some(rest) => Some(rest.into()),
        None => key.starts_with(b"ssh-").then(|| key.into()),
    }
}

fn key_of_command(
    config: &gix::config::Snapshot<'_>,
    environment: &Environment,
) -> Result<BString, SigningError> {
    let command =
        config.trusted_program("gpg.ssh.defaultKeyCommand").during("read the setting of the signing key")?;
    let command = command.ok_or(SigningError::NoKey)?;
    let output = run(process::command_line(&command, environment), &[])?;
    let key = output.stdout.lines().next().and_then(literal);
    key.filter(|_| output.status.success()).ok_or(SigningError::NoKeyFromCommand)
}

impl Signer {
    /// The signature of `payload`, as it is stored in a commit.
    pub(crate) fn sign(&self, payload: &[u8]) -> Result<BString, SigningError> {
        let signature = match &self.form {
            SignatureFormat::Pgp { key } => self.by_gpg(key, payload)?,
            SignatureFormat::SshFile { key } => self.by_ssh(Some(key), None, payload)?,
            SignatureFormat::SshLiteral { key } => self.by_ssh(None, Some(key), payload)?,
        };
        // as git does, for programs that end lines with a carriage return
        Ok(signature.replace("\r\n", "\n").into())
    }

    fn by_gpg(&self, key: &BString, payload: &[u8]) -> Result<Vec<u8>, SigningError> {
        let mut command = process::command(&self.program, &self.environment);
        command.args(["--status-fd=2", "-bsau"]).arg(key.to_os_str_lossy());
        let output = run(command, payload)?;
        let is_made = output.stderr.lines().any(|line| line.starts_with(b"[GNUPG:] SIG_CREATED "));
        if !output.status.success() || !is_made || output.stdout.is_empty() {
            return Err(self.refused(&output));
        }
        Ok(output.stdout)
    }

    /// Signs through files, as git does: programs that replace ssh-keygen know no other way.
    fn by_ssh(
        &self,
        file: Option<&Path>,
        literal: Option<&BString>,
        payload: &[u8],
    ) -> Result<Vec<u8>, SigningError> {
        let folder = tempfile::Builder::new()
            .prefix("brv-sign-")
            .tempdir()
            .during("create a temporary folder for signing")?;
        let text = folder.path().join("commit");
        fs::replace(&text, payload, Durability::Later)?;
        let mut command = process::command(&self.program, &self.environment);
        command.args(["-Y", "sign", "-n", "git", "-f"]);
        if let Some(key) = literal {
            let path = folder.path().join("key");
            fs::replace(&path, &[key.as_slice(), b"\n"].concat(), Durability::Later)?;
            command.arg(path).arg("-U");
        } else {
            command.args(file);
        }
        command.arg(&text);
        if self.prompt == Prompt::Never && self.environment.get_os("SSH_ASKPASS").is_none() {
            // a key with a passphrase fails, rather than prompting at a terminal that happens to be there
            command.env("SSH_ASKPASS_REQUIRE", "force").env("SSH_ASKPASS", "false");
        }
        let output = run(command, &[])?;
        let signature = fs::read_if_there(&folder.path().join("commit.sig"))?;
        signature.filter(|_| output.status.success()).ok_or_else(|| self.refused(&output))
    }

    fn refused(&self, output: &Output) -> SigningError {
        let words = output.stderr.lines().filter(|line| !line.starts_with(b"[GNUPG:]")).map(printable);
        let words: Vec<String> = words.filter(|line| !line.trim().is_empty()).take(3).collect();
        SigningError::Refused { program: name(&self.program), words }
    }
}

fn name(program: &std::ffi::OsStr) -> String {
    printable(program.as_encoded_bytes())
}

/// Runs a program to its end, with `input` on its standard input.
fn run(mut command: Command, input: &[u8]) -> Result<Output, SigningError> {
    let program = name(command.get_program());
    let fault = |source| SigningError::Start { program: program.clone(), source };
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(fault)?;
    let stdin = child.stdin.take();
    std::thread::scope(|threads| {
        threads.spawn(move || {
            // the exit code of a program that does not read all input gives the reason
            let _ = stdin.map(|mut stdin| stdin.write_all(input));
        });
        child.wait_with_output().map_err(fault)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init;
    use crate::settings::{self, Key};

    fn found(settings: &[(&str, &str)], wish: &Wish) -> Result<Option<Signer>, SigningError> {
        let folder = tempfile::tempdir().unwrap();
        let scope = init(folder.path(), "main", &Environment::default()).unwrap();
        for (key, value) in settings {
            settings::set(&scope, &Key::parse(key).unwrap(), value).unwrap();
        }
        signer(&scope, wish, &Signature::anonymous(0), Prompt::Never)
    }

    #[test]
    fn the_settings_or_a_flag_ask_for_a_signature() {
        let on = ("commit.gpgsign", "true");
        let sign = |key: Option<&str>| Wish::Sign(key.map(String::from));
        assert!(found(&[("commit.gpgsign", "false")], &Wish::Settings).unwrap().is_none());
        assert!(found(&[on], &Wish::Plain).unwrap().is_none());
        let signer = found(&[on, ("gpg.program", "my-gpg")], &Wish::Settings).unwrap().unwrap();
        assert_eq!(signer.program, "my-gpg");
        let signer = found(
            &[("user.signingKey", "AB"), ("gpg.program", "old"), ("gpg.openpgp.program", "new")],
            &sign(Some("CD")),
        );
        let signer = signer.unwrap().unwrap();
        assert_eq!(signer.program, "new");
        assert!(matches!(signer.form, SignatureFormat::Pgp { key } if key == "CD"));
        let x509 = found(&[("gpg.format", "x509"), ("user.signingKey", "AB")], &sign(None)).unwrap().unwrap();
        assert_eq!(x509.program, "gpgsm");
        assert!(matches!(x509.form, SignatureFormat::Pgp { key } if key == "AB"));
    }

    #[test]
    fn a_key_of_ssh_is_a_file_or_stands_for_itself() {
        let ssh = ("gpg.format", "ssh");
        let sign = Wish::Sign(None);
        let form = |key: &str| found(&[ssh, ("user.signingKey", key)], &sign).unwrap().unwrap().form;
        assert!(matches!(form("/keys/id"), SignatureFormat::SshFile { key } if key == Path::new("/keys/id")));
        assert!(
            matches!(form("key::ecdsa-x AAAA"), SignatureFormat::SshLiteral { key } if key == "ecdsa-x AAAA")
        );
        assert!(
            matches!(form("ssh-ed25519 AAAA"), SignatureFormat::SshLiteral { key } if key == "ssh-ed25519 AAAA")
        );
        assert!(matches!(found(&[ssh], &sign), Err(SigningError::NoKey)));
        assert!(matches!(found(&[("gpg.format", "pig")], &sign), Err(SigningError::Format(_))));
    }
}
