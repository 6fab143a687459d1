//! A question as the engine is asked it, and what comes back: the files to rank, and those beside them.

use super::engine::{EngineBody, SearchEngine, is_too_long};
use super::statistics::{EngineEffort, TERM_FIELDS};
use crate::Stop;
use brv_base::path::TreePath;
use brv_search::{FileBeside, FileFigures, FoundFile, SoughtTerms, SoughtWord};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// How many files are ranked for one question.
pub const MOST_FOUND: usize = 200;

/// Of how many files that match best by their text the engine says when they changed: as many as a local search orders by
/// more than their text.
const MOST_MATCHING: usize = 1000;

/// How many of the files that are ranked are chosen by their text. The others are those of the rest that changed last: behind
/// the few that answer, recency decides.
const BY_TEXT: usize = 180;

/// Only of the first so many files that match those are taken that changed last: whether a local search has a later one among
/// its thousand, the engine's scores do not tell. With all 1,000, 57 questions had 21 such rows that were wrong, 17 of them
/// behind this place, and 27 that were right, 5 of them behind it.
const MOST_RECENT: usize = 850;

/// Up to which number files that match are counted: to count all, an engine must look at each of them.
pub const MOST_COUNTED: u64 = 10_000;

/// What a file's own score, those of the files one and two places away, and the best of its folder count for that choice.
/// Found on 40 questions over 17 trees of 3,822 entries, as the values of [`FIELD_BOOSTS`]: the first ten results then have .96 of
/// those of one local index; by the own score alone it is .92.
const OWN: f64 = 1.0;
const NEAR: [f64; 2] = [0.35, 0.25];
const FOLDER: f64 = 0.5;

/// How many files beside them are asked for: the most that engines give at once.
const MOST_BESIDE: usize = 10_000;

/// So many terms of a word are weighed by the engine each by itself; of more only whether a file has one counts.
const MOST_WEIGHED: usize = 12;

/// So many terms of a question are weighed each by itself: with those of 64 words that are not, and each in 3 fields, they are
/// below the least `max_clause_count` of engines, 1,024.
const MOST_CLAUSES: usize = 180;

/// So many terms are looked for beside the files that were found: an engine looks at each clause for each of these files.
const MOST_NAMED: usize = 40;

/// So many ranges of days are asked for.
const MOST_DAYS: usize = 16;

/// What a word counts in title, meta field and body for the choice of files. An engine scores each field by itself.
const FIELD_BOOSTS: [f64; 3] = [0.5, 0.4, 1.0];

/// What a tag that is asked for counts: files with all of them come first.
const TAG_BOOST: f64 = 1000.0;

/// What the whole question as a title counts.
const TITLE_BOOST: f64 = 100.0;

/// A file that the engine found.
#[derive(Debug, Clone)]
pub struct FoundEntry {
    pub tree: String,
    pub remote: String,
    pub path: TreePath,
    /// The commit with which it was sent.
    pub commit: String,
    /// The author of that commit.
    pub actor: String,
    pub text: String,
    rest: String,
    folder: String,
}

/// What the engine found.
#[derive(Debug, Default)]
pub struct EngineHits {
    pub found: Vec<FoundEntry>,
    /// How many files match.
    pub total: u64,
}

impl FoundEntry {
    /// As the ranking takes it.
    pub fn file(&self) -> FoundFile<'_> {
        FoundFile { tree: &self.tree, path: &self.path, text: self.text.as_bytes(), rest: &self.rest }
    }
}

/// The files that match best, and of the others that match those that changed last; of trees whose names match `trees` (with
/// `*` and `?`), if it is given.
///
/// # Errors
/// The engine.
pub fn find(
    engine: &SearchEngine,
    sought: &SoughtTerms,
    trees: Option<&str>,
    effort: &mut EngineEffort,
) -> Result<EngineHits, Stop> {
    if asks_for_nothing(sought) {
        return Ok(EngineHits::default());
    }
    let body = json!({
        "size": MOST_MATCHING,
        "track_total_hits": MOST_COUNTED,
        "_source": false,
        "docvalue_fields": ["folder", "path", "updated_at"],
        "query": query(sought, trees),
    });
    let reply = engine.ask("POST", "/_search", EngineBody::Json(&body), &[])?;
    effort.add(engine, &reply)?;
    let hits = reply.body["hits"]["hits"].as_array().ok_or_else(|| engine.unusable("hits"))?;
    Ok(EngineHits {
        found: texts(engine, &chosen(hits), effort)?,
        total: reply.body["hits"]["total"]["value"].as_u64().unwrap_or_default(),
    })
}

/// A file that matches, as far as it takes to choose those that are ranked.
struct MatchingFile<'a> {
    id: &'a str,
    folder: &'a str,
    path: &'a str,
    score: f64,
    updated_at: Option<i64>,
}

impl<'a> MatchingFile<'a> {
    fn of(hit: &'a Value) -> Option<Self> {
        let fields = &hit["fields"];
        Some(Self {
            id: hit["_id"].as_str()?,
            folder: fields["folder"][0].as_str().unwrap_or_default(),
            path: fields["path"][0].as_str().unwrap_or_default(),
            score: hit["_score"].as_f64().unwrap_or_default(),
            updated_at: fields["updated_at"][0].as_i64(),
        })
    }
}

/// The ids of the files to rank: where a file stands counts as roughly as the engine's scores allow.
fn chosen(hits: &[Value]) -> Vec<&str> {
    let mut files: Vec<MatchingFile<'_>> = hits.iter().filter_map(MatchingFile::of).collect();
    files.sort_by_key(|file| (file.folder, file.path));
    let mut scores: Vec<f64> = Vec::with_capacity(files.len());
    for folder in files.chunk_by(|one, other| one.folder == other.folder) {
        let most = folder.iter().map(|file| file.score).fold(0.0, f64::max);
        let score = |at: Option<usize>| at.and_then(|at| folder.get(at)).map_or(0.0, |file| file.score);
        for (at, file) in folder.iter().enumerate() {
            let near = NEAR.iter().enumerate().map(|(step, weight)| {
                weight * (score(at.checked_sub(step + 1)) + score(Some(at + step + 1)))
            });
            scores.push(OWN * file.score + near.sum::<f64>() + FOLDER * most);
        }
    }
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
    order.truncate(MOST_RECENT);
    let mut rest = order.split_off(order.len().min(BY_TEXT));
    // of equal ones the better match stays before the other
    rest.sort_by_key(|at| std::cmp::Reverse(files[*at].updated_at));
    order.extend(rest.into_iter().take(MOST_FOUND - BY_TEXT));
    order.into_iter().map(|at| files[at].id).collect()
}

/// The files with these ids.
fn texts(engine: &SearchEngine, ids: &[&str], effort: &mut EngineEffort) -> Result<Vec<FoundEntry>, Stop> {
    let body = |ids: &[&str]| {
        json!({
            "size": MOST_FOUND,
            "_source": ["tree", "remote", "path", "folder", "commit", "actor", "text", "rest"],
            "query": { "ids": { "values": ids } },
        })
    };
    let hits = hits_of(engine, ids, &body, effort)?;
    Ok(hits.iter().filter_map(entry).collect())
}

/// The hits of a question about these; in two halves if the answer is longer than is read. One that is too long by itself is
/// passed over.
fn hits_of(
    engine: &SearchEngine,
    asked: &[&str],
    body: &dyn Fn(&[&str]) -> Value,
    effort: &mut EngineEffort,
) -> Result<Vec<Value>, Stop> {
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    match engine.ask("POST", "/_search", EngineBody::Json(&body(asked)), &[]) {
        Ok(mut reply) => {
            effort.add(engine, &reply)?;
            match reply.body["hits"]["hits"].take() {
                Value::Array(hits) => Ok(hits),
                _ => Err(engine.unusable("hits")),
            }
        }
        Err(stop) if is_too_long(&stop) && asked.len() > 1 => {
            let (first, second) = asked.split_at(asked.len() / 2);
            let mut hits = hits_of(engine, first, body, effort)?;
            hits.extend(hits_of(engine, second, body, effort)?);
            Ok(hits)
        }
        Err(stop) if is_too_long(&stop) => Ok(Vec::new()),
        Err(stop) => Err(stop),
    }
}

/// Whether a text has no word, and nothing else by which it could find.
fn asks_for_nothing(sought: &SoughtTerms) -> bool {
    let SoughtTerms { words, title, tags, days, is_tags_only: _ } = sought;
    words.is_empty() && title.is_none() && tags.is_empty() && days.is_empty()
}

/// A hit that is a document of ours. What another program wrote is passed over.
fn entry(hit: &Value) -> Option<FoundEntry> {
    let source = &hit["_source"];
    let text = |field: &str| source[field].as_str().map(str::to_owned);
    Some(FoundEntry {
        tree: text("tree")?,
        path: TreePath::parse(source["path"].as_str()?.as_bytes()).ok()?,
        text: text("text")?,
        folder: text("folder")?,
        remote: text("remote").unwrap_or_default(),
        commit: text("commit").unwrap_or_default(),
        actor: text("actor").unwrap_or_default(),
        rest: text("rest").unwrap_or_default(),
    })
}

fn query(sought: &SoughtTerms, trees: Option<&str>) -> Value {
    let mut filter = vec![json!({ "term": { "gone": false } })];
    if let Some(trees) = trees {
        filter.push(json!({ "wildcard": { "tree": { "value": trees } } }));
    }
    let tagged = |tag: &String| json!({ "term": { "terms_path": tag } });
    if sought.is_tags_only {
        filter.extend(sought.tags.iter().map(tagged));
        return json!({ "bool": { "filter": filter } });
    }
    let mut should = Vec::new();
    for word in &sought.words {
        clauses(word, &mut should);
    }
    for tag in &sought.tags {
        should.push(json!({ "constant_score": { "filter": tagged(tag), "boost": TAG_BOOST } }));
    }
    if let Some(title) = &sought.title {
        should.push(json!({ "constant_score": { "filter": { "term": { "terms_path": title } }, "boost": TITLE_BOOST } }));
    }
    for (first, last) in sought.days.iter().take(MOST_DAYS) {
        should.push(json!({ "range": { "day": { "gte": first, "lte": last } } }));
    }
    json!({ "bool": { "filter": filter, "should": should, "minimum_should_match": 1 } })
}

/// What a file may have of a word.
fn clauses(word: &SoughtWord, should: &mut Vec<Value>) {
    let is_weighed = word.terms.len() <= MOST_WEIGHED && should.len() < MOST_CLAUSES * TERM_FIELDS.len();
    if is_weighed {
        for (term, credit) in &word.terms {
            for (field, boost) in TERM_FIELDS.iter().zip(FIELD_BOOSTS) {
                should.push(json!({ "term": { *field: { "value": term, "boost": credit * boost } } }));
            }
        }
    } else {
        let terms: Vec<&String> = word.terms.iter().map(|(term, _)| term).collect();
        should.extend(TERM_FIELDS.map(|field| json!({ "terms": { field: terms } })));
    }
    if let Some((beginning, credit)) = &word.begins {
        let begins = |field: &str| json!({ "prefix": { field: { "value": beginning, "boost": credit } } });
        should.extend(TERM_FIELDS.map(begins));
    }
}

/// The terms of a question that are looked for beside the files that were found, and a clause for each and each field: the
/// engine names those that match.
fn named<'s>(sought: &'s SoughtTerms) -> (Vec<&'s str>, Vec<Value>) {
    let (mut terms, mut should): (Vec<&'s str>, Vec<Value>) = Default::default();
    for word in &sought.words {
        if word.terms.len() > MOST_WEIGHED || terms.len() + word.terms.len() > MOST_NAMED {
            continue;
        }
        for (term, _) in &word.terms {
            for (field, name) in TERM_FIELDS.iter().enumerate() {
                let clause = json!({ "value": term, "_name": format!("{}.{field}", terms.len()) });
                should.push(json!({ "term": { *name: clause } }));
            }
            terms.push(term);
        }
    }
    (terms, should)
}

/// A file in the folder of one that was found.
#[derive(Debug)]
pub struct EntryBeside {
    tree: String,
    path: TreePath,
    figures: FileFigures,
    /// Of the question, by field.
    terms: [String; TERM_FIELDS.len()],
}

impl EntryBeside {
    /// As the ranking takes it.
    pub fn file(&self) -> FileBeside<'_> {
        let terms = self.terms.each_ref().map(String::as_str);
        FileBeside { tree: &self.tree, path: &self.path, figures: self.figures, terms }
    }
}

/// The files in the folders of those that were found, and what they have of the question: a file is ranked by its folder and
/// neighbours, too.
///
/// # Errors
/// The engine.
pub fn beside(
    engine: &SearchEngine,
    found: &[FoundEntry],
    sought: &SoughtTerms,
    effort: &mut EngineEffort,
) -> Result<Vec<EntryBeside>, Stop> {
    let folders: BTreeSet<&str> = found.iter().map(|entry| &*entry.folder).collect();
    let folders: Vec<&str> = folders.into_iter().collect();
    let (terms, should) = named(sought);
    let body = |folders: &[&str]| {
        json!({
            "size": MOST_BESIDE,
            "_source": false,
            "docvalue_fields": ["tree", "path", "len", "items", "pieces", "title_words", "meta_words"],
            "query": {
                "bool": {
                    "filter": [{ "term": { "gone": false } }, { "terms": { "folder": folders } }],
                    "should": should,
                }
            },
            "sort": [{ "folder": "asc" }, { "path": "asc" }],
        })
    };
    let hits = hits_of(engine, &folders, &body, effort)?;
    Ok(hits.iter().filter_map(|hit| neighbour(hit, &terms)).collect())
}

fn neighbour(hit: &Value, terms: &[&str]) -> Option<EntryBeside> {
    let fields = &hit["fields"];
    let figure = |name: &str| u32::try_from(fields[name][0].as_u64()?).ok();
    Some(EntryBeside {
        tree: fields["tree"][0].as_str()?.to_owned(),
        path: TreePath::parse(fields["path"][0].as_str()?.as_bytes()).ok()?,
        figures: FileFigures {
            items: figure("items")?,
            pieces: figure("pieces")?,
            body_words: figure("len")?,
            title_words: figure("title_words")?,
            meta_words: figure("meta_words")?,
        },
        terms: matched(&hit["matched_queries"], terms),
    })
}

/// The terms that a file has by the names of the clauses that matched, by field.
fn matched(names: &Value, terms: &[&str]) -> [String; TERM_FIELDS.len()] {
    let mut found: [String; TERM_FIELDS.len()] = Default::default();
    for name in names.as_array().into_iter().flatten().filter_map(Value::as_str) {
        let place = name.split_once('.').and_then(|(term, field)| {
            Some((terms.get(term.parse::<usize>().ok()?)?, found.get_mut(field.parse::<usize>().ok()?)?))
        });
        if let Some((term, field)) = place {
            field.push_str(term);
            field.push(' ');
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_chosen_by_their_text_their_place_and_their_age() {
        let hit = |id: usize, folder: &str, score: f64, updated_at: i64| {
            json!({ "_id": id.to_string(), "_score": score, "fields": {
                "folder": [folder], "path": [format!("{folder}/{id:04}.md")], "updated_at": [updated_at],
            }})
        };
        // one of two equal ones stands beside a better match, and two weak ones changed last
        let mut hits: Vec<Value> = (0..400).map(|id| hit(id, &format!("f{id}"), 5.0, 100)).collect();
        hits.extend([hit(400, "good", 9.0, 0), hit(401, "good", 4.0, 0), hit(402, "bad", 4.0, 0)]);
        hits.extend([hit(403, "weak", 0.1, 200), hit(404, "other", 0.1, 150)]);
        let found = chosen(&hits);
        assert_eq!((found.len(), found[0]), (MOST_FOUND, "400"));
        let place = |id: &str| found.iter().position(|found| *found == id);
        assert!(place("401").is_some_and(|place| place < BY_TEXT) && place("402").is_none(), "{found:?}");
        assert_eq!((place("403"), place("404")), (Some(BY_TEXT), Some(BY_TEXT + 1)));
    }

    #[test]
    fn the_engine_names_the_terms_that_a_file_beside_has() {
        let word = |terms: &[&str]| SoughtWord {
            terms: terms.iter().map(|term| ((*term).to_owned(), 1.0)).collect(),
            begins: None,
        };
        let words = vec![word(&["retri", "again"]), word(&["pool"])];
        let sought =
            SoughtTerms { words, title: None, tags: Vec::new(), days: Vec::new(), is_tags_only: false };
        let (terms, clauses) = named(&sought);
        assert_eq!((terms.clone(), clauses.len()), (vec!["retri", "again", "pool"], 9));
        assert_eq!(clauses[7], json!({ "term": { TERM_FIELDS[1]: { "value": "pool", "_name": "2.1" } } }));
        let names = json!(["2.1", "0.2", "1.2", "9.0", "0.7", "x", 3]);
        assert_eq!(matched(&names, &terms), ["", "pool ", "retri again "]);
        assert_eq!(matched(&Value::Null, &terms), ["", "", ""]);
    }

    #[test]
    fn a_pasted_log_has_no_more_clauses_than_engines_take() {
        let words = (0..64).map(|word| SoughtWord {
            terms: (0..20).map(|term| (format!("w{word}t{term}"), 1.0)).collect(),
            begins: Some((format!("w{word}"), 0.5)),
        });
        let few = |word: SoughtWord| SoughtWord { terms: word.terms[..4].to_vec(), ..word };
        let sought = SoughtTerms {
            words: words.map(few).collect(),
            title: Some("=1".into()),
            tags: vec!["#a".into(); 8],
            days: vec![(1, 2); 50],
            is_tags_only: false,
        };
        let asked = query(&sought, None);
        let clauses = asked["bool"]["should"].as_array().unwrap().len();
        assert!((600..1024).contains(&clauses), "{clauses}");
        let (terms, clauses) = named(&sought);
        assert_eq!((terms.len(), clauses.len()), (MOST_NAMED, MOST_NAMED * TERM_FIELDS.len()));
    }
}
