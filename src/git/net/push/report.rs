//! Parses the server's report-status: whether the pack was accepted, and each ref.
//!
//! Pure. The format is in `gitprotocol-pack`, "Report Status".

use brv_base::messages::printable;
use bstr::{BString, ByteSlice as _};
use std::collections::HashMap;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PushReport {
    /// Why the pack was rejected.
    pub unpack: Option<String>,
    /// Per ref: `Ok`, or the reason.
    pub refs: HashMap<BString, Result<(), String>>,
}

/// Parses a report, a sequence of packet lines. `None` if it is invalid, or cut off before its first line.
pub(super) fn parse(mut bytes: &[u8]) -> Option<PushReport> {
    let mut report: Option<PushReport> = None;
    while let Some(line) = next_line(&mut bytes) {
        let line = line.trim_end_with(|c| c == '\n');
        let Some(report) = &mut report else {
            let result = line.strip_prefix(b"unpack ")?;
            let unpack = (result != b"ok").then(|| printable(result));
            report = Some(PushReport { unpack, refs: HashMap::new() });
            continue;
        };
        if let Some(name) = line.strip_prefix(b"ok ") {
            report.refs.insert(name.into(), Ok(()));
        } else if let Some(rest) = line.strip_prefix(b"ng ") {
            let (name, reason) = rest.split_once_str(" ").unwrap_or((rest, b"no reason given"));
            report.refs.insert(name.into(), Err(printable(reason)));
        }
        // `option` lines of version 2 give names changed by a proxy: ours is the one that counts
    }
    if let Some(report) = report.as_mut().filter(|report| report.unpack.is_some()) {
        // whatever the report says about a ref: without the objects it did not move
        report.refs.retain(|_, result| result.is_err());
    }
    report
}

/// The data of the next packet line; `None` at a flush, the end, or garbage.
fn next_line<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = std::str::from_utf8(bytes.get(..4)?).ok()?;
    let length = usize::from_str_radix(length, 16).ok().filter(|length| *length >= 4)?;
    let line = bytes.get(4..length)?;
    *bytes = &bytes[length..];
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(lines: &[&str]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend_from_slice(format!("{:04x}{line}\n", line.len() + 5).as_bytes());
        }
        bytes.extend_from_slice(b"0000");
        bytes
    }

    #[test]
    fn every_ref_has_its_result_and_reason() {
        let report = parse(&lines(&[
            "unpack ok",
            "ok refs/heads/a",
            "ng refs/heads/b pre-receive hook \x1b[31mdeclined",
            "option refname refs/x",
            "ng refs/heads/c",
        ]))
        .unwrap();
        assert_eq!(report.unpack, None);
        assert_eq!(report.refs[&BString::from("refs/heads/a")], Ok(()));
        let reason = |name: &str| report.refs[&BString::from(name)].clone().unwrap_err();
        assert_eq!(reason("refs/heads/b"), "pre-receive hook declined");
        assert_eq!(reason("refs/heads/c"), "no reason given");
    }

    #[test]
    fn no_ref_moves_without_its_objects() {
        let report = parse(&lines(&["unpack no space", "ok refs/heads/a", "ng refs/heads/b no"])).unwrap();
        assert_eq!(report.refs.keys().collect::<Vec<_>>(), ["refs/heads/b"]);
    }

    #[test]
    fn what_is_no_report_is_none() {
        for bytes in [&b""[..], b"0000", b"00", b"zzzz", b"ffffunpack ok", b"0008ok x", b"0003unpack"] {
            assert_eq!(parse(bytes), None, "{bytes:?}");
        }
        let cut = lines(&["unpack index-pack abnormal exit", "ok refs/heads/a"]);
        let report = parse(&cut[..cut.len() - 10]).unwrap();
        assert_eq!(report.unpack.as_deref(), Some("index-pack abnormal exit"));
        assert!(report.refs.is_empty());
    }
}
