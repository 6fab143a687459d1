//! Markdown as HTML: own tags with own attributes, and everything else as text. What a text has of HTML is shown and never
//! acts; an image is named and never fetched; a link leads into the tree, to a web address or to a mail address.

use crate::say::sheet::Sheet;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Where a link of the text leads: an address of this site; `None` if nothing is shown there.
pub type Resolve<'r> = &'r dyn Fn(&str) -> Option<String>;

/// Write a text. Its headings are those of a section: the largest is an `h2`.
pub fn write(sheet: &mut Sheet, text: &str, resolve: Resolve<'_>) {
    let mut writer = MarkdownWriter { sheet, resolve, open: Vec::new(), image: None, is_head: false };
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        writer.event(event);
    }
}

struct MarkdownWriter<'w> {
    sheet: &'w mut Sheet,
    resolve: Resolve<'w>,
    /// What ends each open link.
    open: Vec<LinkEnd>,
    /// The destination of the image whose text is being written.
    image: Option<(String, String)>,
    /// Whether the cells are those of a table's head.
    is_head: bool,
}

enum LinkEnd {
    Anchor,
    /// It leads nowhere that may be followed: its destination is written after it.
    Text(String),
}

impl MarkdownWriter<'_> {
    fn event(&mut self, event: Event<'_>) {
        if let Some((_, alternative)) = &mut self.image {
            match event {
                Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => {
                    alternative.push_str(&text)
                }
                Event::SoftBreak | Event::HardBreak => alternative.push(' '),
                Event::End(TagEnd::Image) => self.image_ends(),
                _ => {}
            }
            return;
        }
        match event {
            Event::Start(tag) => self.starts(tag),
            Event::End(tag) => self.ends(tag),
            Event::Text(text) | Event::Html(text) => {
                self.sheet.value(&*text);
            }
            Event::Code(text) | Event::InlineHtml(text) => {
                self.sheet.own("<code>").value(&*text).own("</code>");
            }
            Event::SoftBreak => self.tag("\n"),
            Event::HardBreak => self.tag("<br>\n"),
            Event::Rule => self.tag("<hr>\n"),
            // not asked for
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.sheet.value(&*text);
            }
            Event::TaskListMarker(_) => {}
        }
    }

    fn tag(&mut self, html: &'static str) {
        self.sheet.own(html);
    }

    fn starts(&mut self, tag: Tag<'_>) {
        let html = match tag {
            Tag::Paragraph => "<p>",
            Tag::Heading { level, .. } => heading(level as usize).0,
            Tag::BlockQuote(_) => "<blockquote>\n",
            Tag::CodeBlock(_) | Tag::HtmlBlock => "<pre tabindex=\"0\"><code>",
            Tag::List(None) => "<ul>\n",
            Tag::List(Some(first)) => {
                let first = usize::try_from(first).unwrap_or(1);
                self.sheet.own("<ol start=\"").number(first).own("\">\n");
                return;
            }
            Tag::Item => "<li>",
            Tag::Table(_) => "<div class=\"wide\" tabindex=\"0\"><table>\n",
            Tag::TableHead => {
                self.is_head = true;
                "<thead><tr>"
            }
            Tag::TableRow => "<tr>",
            Tag::TableCell if self.is_head => "<th scope=\"col\">",
            Tag::TableCell => "<td>",
            Tag::Emphasis => "<em>",
            Tag::Strong => "<strong>",
            Tag::Strikethrough => "<s>",
            Tag::Link { dest_url, .. } => return self.link(&dest_url),
            Tag::Image { dest_url, .. } => {
                self.image = Some((dest_url.into_string(), String::new()));
                return;
            }
            _ => return,
        };
        self.tag(html);
    }

    fn ends(&mut self, tag: TagEnd) {
        let html = match tag {
            TagEnd::Paragraph => "</p>\n",
            TagEnd::Heading(level) => heading(level as usize).1,
            TagEnd::BlockQuote(_) => "</blockquote>\n",
            TagEnd::CodeBlock | TagEnd::HtmlBlock => "</code></pre>\n",
            TagEnd::List(true) => "</ol>\n",
            TagEnd::List(false) => "</ul>\n",
            TagEnd::Item => "</li>\n",
            TagEnd::Table => "</tbody></table></div>\n",
            TagEnd::TableHead => {
                self.is_head = false;
                "</tr></thead>\n<tbody>\n"
            }
            TagEnd::TableRow => "</tr>\n",
            TagEnd::TableCell if self.is_head => "</th>",
            TagEnd::TableCell => "</td>",
            TagEnd::Emphasis => "</em>",
            TagEnd::Strong => "</strong>",
            TagEnd::Strikethrough => "</s>",
            TagEnd::Link => match self.open.pop() {
                Some(LinkEnd::Text(destination)) => {
                    self.sheet.own(" <span class=\"to\">(").value(destination).own(")</span>");
                    return;
                }
                _ => "</a>",
            },
            _ => return,
        };
        self.tag(html);
    }

    fn link(&mut self, destination: &str) {
        let is_outside = is_outside(destination);
        let address = if is_outside { Some(destination.to_owned()) } else { (self.resolve)(destination) };
        match address {
            Some(address) => {
                self.sheet.own("<a href=\"").bare(address).own("\"");
                self.sheet.own(if is_outside { " rel=\"noreferrer\">" } else { ">" });
                self.open.push(LinkEnd::Anchor);
            }
            None => self.open.push(LinkEnd::Text(destination.to_owned())),
        }
    }

    fn image_ends(&mut self) {
        let Some((destination, alternative)) = self.image.take() else { return };
        self.sheet
            .own("<span class=\"to\">[image: ")
            .value(alternative)
            .own("] ")
            .value(destination)
            .own("</span>");
    }
}

/// The tags of a heading of this level: one below, since a page has one title.
const fn heading(level: usize) -> (&'static str, &'static str) {
    match level {
        1 => ("<h2>", "</h2>\n"),
        2 => ("<h3>", "</h3>\n"),
        3 => ("<h4>", "</h4>\n"),
        4 => ("<h5>", "</h5>\n"),
        _ => ("<h6>", "</h6>\n"),
    }
}

/// Whether it is an address of the web or of mail, and nothing that a browser would take for another one.
fn is_outside(destination: &str) -> bool {
    let known = ["http://", "https://", "mailto:"];
    let is_known = known.iter().any(|scheme| {
        destination.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    is_known && !destination.chars().any(|char| char.is_control() || char.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn html(text: &str) -> String {
        let mut sheet = Sheet::default();
        write(&mut sheet, text, &|destination| {
            destination.ends_with(".md").then(|| format!("/entry/{destination}"))
        });
        sheet.finish()
    }

    #[test]
    fn each_form_has_its_tag() {
        for (text, expected) in [
            (
                "# A\n\nb *c* **d** `e`\n",
                "<h2>A</h2>\n<p>b <em>c</em> <strong>d</strong> <code>e</code></p>\n",
            ),
            ("3. a\n", "<ol start=\"3\">\n<li>a</li>\n</ol>\n"),
            ("> a\n", "<blockquote>\n<p>a</p>\n</blockquote>\n"),
            ("```sh\na & b\n```\n", "<pre tabindex=\"0\"><code>a &amp; b\n</code></pre>\n"),
            ("[a](b.md)\n", "<p><a href=\"/entry/b.md\">a</a></p>\n"),
            ("[a](c.png)\n", "<p>a <span class=\"to\">(c.png)</span></p>\n"),
            ("[a](HTTPS://b.c)\n", "<p><a href=\"HTTPS://b.c\" rel=\"noreferrer\">a</a></p>\n"),
            ("[a](javascript:b)\n", "<p>a <span class=\"to\">(javascript:b)</span></p>\n"),
            ("![a *b*](c.png)\n", "<p><span class=\"to\">[image: a b] c.png</span></p>\n"),
            ("a <b onclick=x>c</b>\n", "<p>a <code>&lt;b onclick=x&gt;</code>c<code>&lt;/b&gt;</code></p>\n"),
            ("<!-- a -->\n", "<pre tabindex=\"0\"><code>&lt;!-- a --&gt;\n</code></pre>\n"),
            (
                "|a|\n|-|\n|b|\n",
                "<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">a</th></tr></thead>\n<tbody>\n\
                 <tr><td>b</td></tr>\n</tbody></table></div>\n",
            ),
        ] {
            assert_eq!(html(text), expected, "{text}");
        }
    }

    /// The tags and attributes that may be written.
    const TAGS: [&str; 25] = [
        "p",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "blockquote",
        "pre",
        "code",
        "ul",
        "ol",
        "li",
        "div",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "em",
        "strong",
        "a",
        "span",
        "br",
        "hr",
    ];

    proptest! {
        #![proptest_config(crate::cases::held_to(512))]

        #[test]
        fn any_text_gives_listed_tags_and_attributes_alone(parts in prop::collection::vec(prop_oneof![
            prop::sample::select(vec![
                "# ", "- ", "1. ", "> ", "\n", "\n\n", "```", "`", "*", "**", "[", "](", ")", "![", "|", "|-|", "<", ">", "<script>",
                "<img src=x onerror=y>", "javascript:", "http://a", "https://b\"c", "data:text/html,x", "mailto:x", "\"", "'", "&",
                "<!--", "-->", "a.md", "../b.md", "\t", "\u{202e}", "<http://x\">", "[r]: java\nscript:x", "\\", "&#x22;", "&lt;",
            ]).prop_map(str::to_owned),
            "\\PC{0,3}",
        ], 0..24)) {
            let text = parts.concat();
            let written = html(&text);
            for (at, tag) in written.split('<').skip(1).enumerate() {
                let Some((inside, rest)) = tag.split_once('>') else { panic!("{at}: an open tag in {written}") };
                prop_assert!(!rest.contains('>'), "{}", written);
                let (name, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
                let name = name.strip_prefix('/').unwrap_or(name);
                prop_assert!(TAGS.contains(&name), "{}: {}", name, written);
                let mut attributes = attributes;
                while !attributes.is_empty() {
                    let (name, value) = attributes.split_once("=\"").unwrap();
                    let (value, after) = value.split_once('"').unwrap();
                    let is_allowed = match name {
                        "class" => ["x", "to", "wide"].contains(&value),
                        "href" => {
                            let value = value.to_ascii_lowercase();
                            ["/entry/", "http://", "https://", "mailto:"].iter().any(|start| value.starts_with(start))
                        }
                        "rel" => value == "noreferrer",
                        "tabindex" => value == "0",
                        "scope" => value == "col",
                        "start" => value.bytes().all(|byte| byte.is_ascii_digit()),
                        _ => false,
                    };
                    prop_assert!(is_allowed, "{}={}: {}", name, value, written);
                    attributes = after.trim_start();
                }
            }
        }
    }
}
