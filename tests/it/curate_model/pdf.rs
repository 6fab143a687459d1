//! PDFs, by `pdftotext`. Where it is not installed, these tests say so and check that brv does.

use super::{adding, curate, giving, prompts};
use crate::env::{Env, program};
use serde_json::json as value;
use std::fmt::Write as _;

/// Whether a page can be read without its password.
#[derive(Clone, Copy, PartialEq)]
enum Lock {
    Open,
    Encrypted,
}

/// A PDF with these pages, each a line; a blank one has none, as a scanned one.
fn pdf(pages: &[&str], lock: Lock) -> Vec<u8> {
    let kids: String = (0..pages.len()).map(|page| format!("{} 0 R ", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    for (page, text) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
            5 + 2 * page
        ));
        let content =
            if text.is_empty() { String::new() } else { format!("BT /F1 12 Tf 50 700 Td ({text}) Tj ET") };
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    let mut trailer = String::new();
    if lock == Lock::Encrypted {
        let (owner, user) = ("41".repeat(32), "42".repeat(32));
        objects.push(format!("<< /Filter /Standard /V 1 /R 2 /O <{owner}> /U <{user}> /P -44 >>"));
        trailer = format!(" /Encrypt {} 0 R /ID [<00><00>]", objects.len());
    }
    let (mut file, mut table) = ("%PDF-1.4\n".to_owned(), String::new());
    for (number, object) in objects.iter().enumerate() {
        writeln!(table, "{:010} 00000 n ", file.len()).unwrap();
        write!(file, "{} 0 obj\n{object}\nendobj\n", number + 1).unwrap();
    }
    let (start, size) = (file.len(), objects.len() + 1);
    write!(
        file,
        "xref\n0 {size}\n0000000000 65535 f \n{table}trailer << /Size {size} /Root 1 0 R{trailer} >>\nstartxref\n{start}\n%%EOF\n"
    )
    .unwrap();
    file.into_bytes()
}

/// The environment with a file; `None`, said aloud, where there is no `pdftotext`.
fn with_file(name: &str, bytes: &[u8]) -> Option<Env> {
    let env = giving(&value!([adding("Jobs", &[("retry", "Jobs are retried after 5 minutes")])]));
    std::fs::write(env.path(name), bytes).unwrap();
    if program("pdftotext").is_none() {
        println!("no pdftotext on this machine: only its absence is tested");
        absent(&env, name);
        return None;
    }
    Some(env)
}

fn absent(env: &Env, name: &str) {
    let ran = env.brv(&["curate", "--model", "--file", name]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("`pdftotext` is not installed") && ran.stderr.contains("poppler"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_pages_of_a_pdf_are_its_text() {
    let Some(env) = with_file("a.pdf", &pdf(&["Jobs are retried after 5 minutes.", "The end."], Lock::Open))
    else {
        return;
    };
    let (_, told) = curate(&env, &["--file", "a.pdf"], 0);
    assert!(told["data"]["applied"][0]["unsupported"].is_null(), "{told}");
    let prompt = prompts(&env, "one").concat();
    assert!(
        prompt.contains("file: a.pdf\n\nJobs are retried after 5 minutes.") && prompt.contains("The end."),
        "{prompt}"
    );
}

#[test]
fn a_pdf_that_is_too_long_scanned_encrypted_or_broken_is_refused() {
    let fifty = vec!["A page."; 50];
    let cases = [
        (pdf(&[&fifty[..], &["One more."]].concat(), Lock::Open), "has more than 50 pages"),
        (pdf(&["", ""], Lock::Open), "has no text: it is probably scanned"),
        (pdf(&["Secret."], Lock::Encrypted), "is encrypted"),
        (b"%PDF-1.4\nnothing of a PDF\n".to_vec(), "cannot be read by `pdftotext`"),
    ];
    for (bytes, why) in cases {
        let Some(env) = with_file("a.pdf", &bytes) else { return };
        let ran = env.brv(&["curate", "--model", "--file", "a.pdf"]);
        assert_eq!(ran.code, 2, "{why}: {}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stderr.contains(&format!("`a.pdf` {why}")) || ran.stderr.contains(why),
            "{why}: {}",
            ran.stderr
        );
        assert!(prompts(&env, "one").is_empty(), "{why}: the model was asked");
    }
    let Some(env) = with_file("a.pdf", &pdf(&fifty, Lock::Open)) else { return };
    curate(&env, &["--file", "a.pdf"], 0);
}

#[test]
#[cfg(unix)]
fn a_machine_without_the_program_is_told_what_to_install() {
    let env = giving(&value!([])).with("PATH", "/nowhere");
    std::fs::write(env.path("a.pdf"), pdf(&["Text."], Lock::Open)).unwrap();
    absent(&env, "a.pdf");
}
