//! Markdown of agents as HTML: no HTML of theirs, no picture, and no address that is not a plain web address.

use maud::{Markup, PreEscaped};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// Longer documents are shown as text.
pub const BYTES_MAX: usize = 512 << 10;

pub fn render(text: &str) -> Markup {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut out = String::with_capacity(text.len() * 2);
    html::push_html(&mut out, Parser::new_ext(text, options).map(harmless));
    PreEscaped(out)
}

fn harmless(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = if is_web(&dest_url) { dest_url } else { CowStr::Borrowed("#") };
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        // A picture would be asked for from whoever has it, who then knows that it is looked at.
        Event::Start(Tag::Image { .. }) => Event::Start(Tag::Emphasis),
        Event::End(TagEnd::Image) => Event::End(TagEnd::Emphasis),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        // An anchor or a class of theirs could stand in for one of ours.
        Event::Start(Tag::Heading { level, .. }) => {
            Event::Start(Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() })
        }
        other => other,
    }
}

fn is_web(address: &str) -> bool {
    let begin: String = address.chars().take(8).collect::<String>().to_ascii_lowercase();
    begin.starts_with("https://") || begin.starts_with("http://")
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn markdown_is_rendered() {
        let html =
            render("# Title\n\n- [x] one\n- `two`\n\n[a](https://example.org/)\n").into_string();
        assert!(html.contains("<h1>Title</h1>") && html.contains("<code>two</code>"), "{html}");
        assert!(html.contains("<a href=\"https://example.org/\">a</a>"), "{html}");
    }

    #[test]
    fn nothing_of_an_agent_is_markup() {
        for hostile in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "text <b onclick=alert(1)>bold</b>",
            "[a](javascript:alert(1))",
            "[a](JaVaScRiPt:alert(1))",
            "[a](data:text/html,x)",
            "[a](vbscript:x)",
            "<javascript:alert(1)>",
            "![a](https://example.org/pixel.png)",
            "[r]: javascript:alert(1)\n\n[r]",
            "# T {#waiting .gate onclick=alert(1)}",
            "```\"><script>alert(1)</script>\nx\n```",
            "| a |\n|---|\n| <script>alert(1)</script> |",
            "</div></section><form action=/s/x/answer>",
            "[a](https://example.org/\"onmouseover=\"alert(1))",
        ] {
            let html = render(hostile).into_string().to_ascii_lowercase();
            for bad in [
                "<script",
                "<img",
                "<form",
                "<b ",
                "href=\"java",
                "href=\"data",
                "href=\"vb",
                "</section",
                "class=\"gate",
                "id=\"waiting",
            ] {
                assert!(!html.contains(bad), "{hostile:?} gave {bad:?}: {html}");
            }
            // An attribute of theirs would stand between quotes of ours.
            assert!(!html.contains("\" on") && !html.contains("\"on"), "{hostile:?}: {html}");
        }
    }
}
