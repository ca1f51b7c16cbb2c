//! Texts of a study: Markdown to HTML.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pulldown_cmark::{CowStr, Event, Parser, Tag};

/// Pictures that may be shown, by the end of their file's name.
const PICTURES: [(&str, &str); 5] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("webp", "image/webp"),
    ("svg", "image/svg+xml"),
];

/// HTML of a Markdown text. Raw HTML in it is shown as text, never run. Pictures that lie
/// beside the text (`file` gives them) become part of it; others are shown by their description.
pub(super) fn html(markdown: &str, file: &dyn Fn(&str) -> Option<Vec<u8>>) -> String {
    let events = Parser::new(markdown).map(|event| match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        Event::Start(Tag::Image {
            link_type,
            dest_url,
            title,
            id,
        }) => Event::Start(Tag::Image {
            link_type,
            dest_url: picture(&dest_url, file).map_or(CowStr::Borrowed(""), CowStr::from),
            title,
            id,
        }),
        other => other,
    });
    let mut html = String::with_capacity(markdown.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, events);
    html
}

/// A picture as a `data:` address.
fn picture(name: &str, file: &dyn Fn(&str) -> Option<Vec<u8>>) -> Option<String> {
    let (_, end) = name.rsplit_once('.')?;
    let (_, media_type) = PICTURES
        .iter()
        .find(|(known, _)| end.eq_ignore_ascii_case(known))?;
    let bytes = file(name)?;
    Some(format!(
        "data:{media_type};base64,{}",
        STANDARD.encode(bytes)
    ))
}

#[cfg(test)]
mod tests {
    fn html(markdown: &str) -> String {
        super::html(markdown, &|name| (name == "a.png").then(|| b"abc".to_vec()))
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
