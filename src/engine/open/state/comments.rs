//! Comments on entries and on changes, and their answers.

use super::{Error, State};
use rusqlite::{Connection, Row, params};

/// A comment as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredComment {
    pub id: String,
    /// The change that it is on, and what that does to its path.
    pub change: Option<[String; 2]>,
    /// The path, relative to the tree.
    pub path: String,
    /// The version that was commented on.
    pub blob: String,
    /// The subject of the fact.
    pub fact: Option<String>,
    pub line: Option<u32>,
    /// The value of the fact, or the line.
    pub quote: String,
    /// Whether the quote is of the version before the change, which the one after it lacks.
    pub is_before: bool,
    pub said: Remark,
    /// How many decisions there were before it.
    pub decided: u32,
    pub answer: Option<Remark>,
}

/// Who said what, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    pub text: String,
    pub actor: String,
    /// In seconds since 1970.
    pub at: i64,
}

/// What became of a change to the comments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommentWrite {
    /// The comment is as wanted, now or already.
    Done(StoredComment),
    /// There are too many that wait for an answer.
    Full,
    /// Another answer came before.
    Answered(StoredComment),
    Unknown,
}

const COLUMNS: &str = "id, change, does, path, blob, fact, line, quote, is_before, text, actor, at, decided, answer, \
                       answer_actor, answer_at";

impl State {
    /// All comments, the oldest first.
    pub fn comments(&self) -> Result<Vec<StoredComment>, Error> {
        read(&self.connection).map_err(|error| self.failed(error))
    }

    /// Keep a comment, after those that are `old` are forgotten. There may be `most` without an answer, those that are
    /// `settled` otherwise not counted. The same comment is not kept twice while it has no answer.
    pub fn add_comment(
        &mut self,
        new: &StoredComment,
        (old, settled, most): (&[String], &[String], usize),
    ) -> Result<CommentWrite, Error> {
        self.in_transaction(|change| {
            for id in old {
                change.prepare_cached("DELETE FROM comments WHERE id = ?1")?.execute([id])?;
            }
            let all = read(change)?;
            if let Some(same) = all.iter().find(|one| is_same(one, new) && !settled.contains(&one.id)) {
                return Ok(CommentWrite::Done(same.clone()));
            }
            let open = all.iter().filter(|one| one.answer.is_none() && !settled.contains(&one.id));
            if open.count() >= most {
                return Ok(CommentWrite::Full);
            }
            let decided: u32 = change.query_row("SELECT count(*) FROM decisions", [], |row| row.get(0))?;
            let new = StoredComment { decided, ..new.clone() };
            let [id, does] = new.change.clone().map_or([None, None], |ids| ids.map(Some));
            let marks = "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, NULL, NULL, NULL";
            let sql = format!("INSERT INTO comments ({COLUMNS}) VALUES ({marks})");
            change.execute(
                &sql,
                params![
                    new.id,
                    id,
                    does,
                    new.path,
                    new.blob,
                    new.fact,
                    new.line,
                    new.quote,
                    new.is_before,
                    new.said.text,
                    new.said.actor,
                    new.said.at,
                    decided
                ],
            )?;
            Ok(CommentWrite::Done(new))
        })
    }

    /// Answer a comment, after those that are `old` are forgotten. The same answer may come again.
    pub fn answer_comment(
        &mut self,
        id: &str,
        answer: &Remark,
        old: &[String],
    ) -> Result<CommentWrite, Error> {
        self.in_transaction(|change| {
            for id in old {
                change.prepare_cached("DELETE FROM comments WHERE id = ?1")?.execute([id])?;
            }
            let Some(found) = read(change)?.into_iter().find(|one| one.id == id) else {
                return Ok(CommentWrite::Unknown);
            };
            if let Some(before) = &found.answer {
                let is_same = before.text == answer.text && before.actor == answer.actor;
                return Ok(if is_same { CommentWrite::Done(found) } else { CommentWrite::Answered(found) });
            }
            let sql = "UPDATE comments SET answer = ?2, answer_actor = ?3, answer_at = ?4 WHERE id = ?1";
            change.execute(sql, params![id, answer.text, answer.actor, answer.at])?;
            Ok(CommentWrite::Done(StoredComment { answer: Some(answer.clone()), ..found }))
        })
    }
}

fn read(connection: &Connection) -> rusqlite::Result<Vec<StoredComment>> {
    let sql = format!("SELECT {COLUMNS} FROM comments ORDER BY number");
    connection.prepare_cached(&sql)?.query_map([], comment)?.collect()
}

fn comment(row: &Row<'_>) -> rusqlite::Result<StoredComment> {
    let (change, does): (Option<String>, Option<String>) = (row.get(1)?, row.get(2)?);
    let answer = match row.get(13)? {
        Some(text) => Some(Remark { text, actor: row.get(14)?, at: row.get(15)? }),
        None => None,
    };
    Ok(StoredComment {
        id: row.get(0)?,
        change: change.zip(does).map(|(id, does)| [id, does]),
        path: row.get(3)?,
        blob: row.get(4)?,
        fact: row.get(5)?,
        line: row.get(6)?,
        quote: row.get(7)?,
        is_before: row.get(8)?,
        said: Remark { text: row.get(9)?, actor: row.get(10)?, at: row.get(11)? },
        decided: row.get(12)?,
        answer,
    })
}

/// Whether a comment without an answer says the same of the same as another one, by the same author.
fn is_same(one: &StoredComment, other: &StoredComment) -> bool {
    let place = |of: &StoredComment| {
        (of.change.clone(), of.path.clone(), of.blob.clone(), of.fact.clone(), of.line, of.is_before)
    };
    one.answer.is_none()
        && place(one) == place(other)
        && one.said.text == other.said.text
        && one.said.actor == other.said.actor
}
