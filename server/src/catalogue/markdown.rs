//! Consent texts: Markdown to HTML.

use pulldown_cmark::{Event, Parser};

/// HTML of a Markdown text. Raw HTML in it is shown as text, never run.
pub(super) fn html(markdown: &str) -> String {
    let events = Parser::new(markdown).map(|event| match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        other => other,
    });
    let mut html = String::with_capacity(markdown.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, events);
    html
}

#[cfg(test)]
mod tests {
    use super::html;

    #[test]
    fn markdown_becomes_html_and_html_becomes_text() {
        assert_eq!(html("# A\n\n*b*"), "<h1>A</h1>\n<p><em>b</em></p>\n");
        assert_eq!(
            html("a <b onclick=x>b</b>"),
            "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n"
        );
        assert!(!html("<script>\nalert(1)\n</script>").contains("<script"));
    }
}
