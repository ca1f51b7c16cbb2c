//! Texts of a study: Markdown to HTML.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pulldown_cmark::{CowStr, Event, Parser, Tag, TagEnd};

use super::files::{StudyFileFault, StudyFiles};

/// Pictures that may be shown, by the end of their file's name.
const PICTURES: [(&str, &str); 5] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("webp", "image/webp"),
    ("svg", "image/svg+xml"),
];

/// How the addresses of links may begin: no other ones become links, `javascript:` least of all.
const LINKS: [&str; 3] = ["https://", "http://", "mailto:"];

/// HTML of a Markdown text. Raw HTML in it is shown as text, never run. Links open in a tab of
/// their own, so that nobody leaves a study by one. Pictures that lie
/// beside the text become part of it; others are shown by their description.
///
/// # Errors
/// The first picture that lies beside the text and cannot be used, with the reason.
pub(super) fn html(
    markdown: &str,
    files: &StudyFiles<'_>,
) -> Result<String, (String, StudyFileFault)> {
    let mut unusable = None;
    // Links cannot stand in links.
    let mut dropping = false;
    let events = Parser::new(markdown).filter_map(|event| match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Some(Event::Text(raw)),
        Event::Start(Tag::Link { ref dest_url, .. }) => {
            dropping = !LINKS.iter().any(|start| begins_with(dest_url, start));
            (!dropping).then_some(event)
        }
        Event::End(TagEnd::Link) => (!std::mem::take(&mut dropping)).then_some(event),
        Event::Start(Tag::Image {
            link_type,
            dest_url,
            title,
            id,
        }) => Some(Event::Start(Tag::Image {
            link_type,
            dest_url: match picture(&dest_url, files) {
                Ok(address) => address.map_or(CowStr::Borrowed(""), CowStr::from),
                Err(fault) => {
                    unusable.get_or_insert((dest_url.to_string(), fault));
                    CowStr::Borrowed("")
                }
            },
            title,
            id,
        })),
        other => Some(other),
    });
    let mut html = String::with_capacity(markdown.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, events);
    match unusable {
        Some(unusable) => Err(unusable),
        // The author's own text has its `<` escaped: only links begin like this.
        None => Ok(html.replace(
            "<a href",
            "<a target=\"_blank\" rel=\"noopener noreferrer\" href",
        )),
    }
}

/// Whether a text begins with another, in whatever case.
fn begins_with(text: &str, start: &str) -> bool {
    let begin = text.get(..start.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(start))
}

/// A picture as a `data:` address; none where there is none of this name.
fn picture(name: &str, files: &StudyFiles<'_>) -> Result<Option<String>, StudyFileFault> {
    let is_of = |known: &str, end: &str| end.eq_ignore_ascii_case(known);
    let media_type = name.rsplit_once('.').and_then(|(_, end)| {
        let mut known = PICTURES.iter();
        known.find(|(known, _)| is_of(known, end))
    });
    let Some((_, media_type)) = media_type else {
        return Ok(None);
    };
    match files.bytes(name) {
        Ok(bytes) => Ok(Some(format!(
            "data:{media_type};base64,{}",
            STANDARD.encode(bytes)
        ))),
        Err(StudyFileFault::Missing) => Ok(None),
        Err(fault) => Err(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(markdown: &str) -> String {
        let file = |name: &str| (name == "a.png").then(|| b"abc".to_vec());
        super::html(markdown, &StudyFiles::named(&file)).unwrap()
    }

    #[test]
    fn links_open_beside_the_study_and_none_runs_a_script() {
        assert_eq!(
            html("[a](https://example.org/?x=1&y=\"2\" \"t\") <mailto:c@example.org>"),
            "<p><a target=\"_blank\" rel=\"noopener noreferrer\" \
             href=\"https://example.org/?x=1&amp;y=%222%22\" title=\"t\">a</a> \
             <a target=\"_blank\" rel=\"noopener noreferrer\" \
             href=\"mailto:c@example.org\">mailto:c@example.org</a></p>\n"
        );
        for bad in [
            "javascript:alert(1)",
            "JaVaScript:x",
            "data:text/html,x",
            "/study/other",
        ] {
            assert_eq!(html(&format!("[a *b*]({bad})")), "<p>a <em>b</em></p>\n");
        }
    }

    #[test]
    fn markdown_becomes_html_and_html_becomes_text() {
        assert_eq!(html("# A\n\n*b*"), "<h1>A</h1>\n<p><em>b</em></p>\n");
        assert_eq!(
            html("a <b onclick=x>b</b>"),
            "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n"
        );
        assert!(!html("<script>\nalert(1)\n</script>").contains("<script"));
    }

    #[test]
    fn pictures_beside_the_text_come_with_it_and_no_others() {
        // printf abc | base64
        assert_eq!(
            html("![A](a.png)"),
            "<p><img src=\"data:image/png;base64,YWJj\" alt=\"A\" /></p>\n"
        );
        for other in [
            "![A](https://example.org/a.png)",
            "![A](b.png)",
            "![A](a.exe)",
        ] {
            assert_eq!(html(other), "<p><img src=\"\" alt=\"A\" /></p>\n");
        }
    }
}
