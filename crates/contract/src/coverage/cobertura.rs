//! Cobertura XML: `line` elements with their hits below classes, else the sums of the root.

use super::{Coverage, ReportedFiles};
use crate::diagnostic::{Report, quote, reports as say};
use crate::xml;
use roxmltree::Node;

pub(super) fn read(text: &str, path: &str, files: &mut ReportedFiles) -> Result<(), Report> {
    let document = xml::parse(text, path)?;
    let root = document.root_element();
    let name = root.tag_name().name();
    let is_clover = root.children().any(|child| child.has_tag_name("project"));
    if name != "coverage" || is_clover {
        let found = if is_clover {
            "Clover XML".to_owned()
        } else {
            format!("XML with the root {}", quote(name))
        };
        return Err(say::coverage_kind(path, Some(xml::line_of(root)), &found).into());
    }
    let mut report = Report::default();
    let sources = root.descendants().filter(|node| node.has_tag_name("source"));
    let folders = sources.filter_map(|source| source.text()).map(|text| text.trim().to_owned());
    files.folders.splice(0..0, folders);
    let has_lines = lines(root, path, files, &mut report);
    if !report.is_ok() {
        return Err(report);
    }
    if !has_lines {
        for name in root.descendants().filter_map(|node| node.attribute("filename")) {
            files.record(name);
        }
        files.whole = sums(root, path)?;
    }
    Ok(())
}

/// Says whether there are any. A line stands once below its class and once below its method: the same file and line is
/// one line.
fn lines(root: Node<'_, '_>, path: &str, files: &mut ReportedFiles, report: &mut Report) -> bool {
    let mut has_lines = false;
    for line in root.descendants().filter(|node| node.has_tag_name("line")) {
        let file = line.ancestors().find_map(|node| node.attribute("filename")).unwrap_or_default();
        let number = line.attribute("number").and_then(|number| number.trim().parse().ok());
        let hits = line.attribute("hits").and_then(|hits| hits.trim().parse::<f64>().ok());
        match (number, hits.filter(|hits| hits.is_finite() && *hits >= 0.0)) {
            (Some(number), Some(hits)) => {
                has_lines = true;
                files.record(file).note(number, hits > 0.0);
            }
            _ if report.is_full() => break,
            _ => {
                let shown = |name| line.attribute(name).map_or("missing".to_owned(), quote);
                let message = format!(
                    "a line needs a number and hits, but number is {} and hits is {}",
                    shown("number"),
                    shown("hits")
                );
                report.push(say::coverage_line(path, xml::line_of(line), message));
            }
        }
    }
    has_lines
}

fn sums(root: Node<'_, '_>, path: &str) -> Result<Coverage, Report> {
    let at = xml::line_of(root);
    let bad = |name: &str, found: &str| {
        Report::from(say::coverage_line(
            path,
            at,
            format!("{name} is {}, but must be a number", quote(found)),
        ))
    };
    let count = |name: &str| {
        let read = |text: &str| text.trim().parse::<u64>().map_err(|_| bad(name, text));
        root.attribute(name).map(read).transpose()
    };
    if let (Some(covered), Some(total)) = (count("lines-covered")?, count("lines-valid")?) {
        if covered > total {
            let message = format!("{covered} lines are covered, but there are only {total}");
            return Err(say::coverage_line(path, at, message).into());
        }
        return Ok(Coverage { covered, total });
    }
    // Tools write the rate 1 also where they saw no code at all.
    let has_code = root.descendants().any(|node| node.has_tag_name("class"));
    let Some(rate) = root.attribute("line-rate").filter(|_| has_code) else {
        return Ok(Coverage { covered: 0, total: 0 });
    };
    let share = rate.trim().parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    let share = share.ok_or_else(|| bad("line-rate", rate))?;
    Ok(Coverage { covered: (share * 10_000.0).round() as u64, total: 10_000 })
}
