//! Whether a report names what it must: by its id, or in its own words.

use tollgate_core::brief::{PointKind, ReportPoint};

/// The points that a report does not name.
pub fn missing<'p>(report: &str, points: &'p [ReportPoint]) -> Vec<&'p ReportPoint> {
    let plain = normal(report);
    points.iter().filter(|point| !is_named(report, &plain, point)).collect()
}

/// Whether the words of a text are in a report, whatever marks and line breaks are between them.
pub fn has_words(report: &str, text: &str) -> bool {
    normal(report).contains(&normal(text))
}

fn is_named(report: &str, plain: &str, point: &ReportPoint) -> bool {
    // A criterion that is met is named by its id as well: of one that is waived the report must say so.
    let by_id = report.lines().any(|line| {
        has_word(line, &point.id)
            && (point.kind != PointKind::WaivedCriterion || line.to_lowercase().contains("waive"))
    });
    by_id || plain.contains(&normal(&point.text))
}

/// The id with nothing on either side that could be a part of it.
fn has_word(line: &str, id: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let mut from = 0;
    while let Some(found) = line[from..].find(id) {
        let (start, end) = (from + found, from + found + id.len());
        let before = line[..start].chars().next_back().is_some_and(is_part);
        // `v1.2` is no name of `v1.2.3`; a full stop at the end of a sentence is none of it.
        let mut after = line[end..].chars();
        let goes_on = match after.next() {
            Some('.') => after.next().is_some_and(is_part),
            other => other.is_some_and(is_part),
        };
        if !before && !goes_on {
            return true;
        }
        from = end;
    }
    false
}

/// Letters and digits in small form, one blank between words.
fn normal(text: &str) -> String {
    let letters = text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' });
    let words: String = letters.flat_map(char::to_lowercase).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(report: &str, id: &str, kind: PointKind, text: &str) -> bool {
        let point = ReportPoint { id: id.to_owned(), kind, text: text.to_owned() };
        missing(report, std::slice::from_ref(&point)).is_empty()
    }

    #[test]
    fn r140_a_point_is_named_by_its_id_or_in_its_words() {
        let issue =
            |report: &str| named(report, "F-2", PointKind::TrackedFinding, "a *slow* query");
        for report in
            ["F-2", "see (F-2).", "**F-2**: slow", "A slow\nquery stays", "`a slow` query"]
        {
            assert!(issue(report), "{report}");
        }
        for report in ["", "F-21", "XF-2", "a query", "F-2b", "F-2-1"] {
            assert!(!issue(report), "{report}");
        }
        let tag = |report: &str| named(report, "v1.2", PointKind::Tag, "to be pushed by a person");
        assert!(tag("push v1.2.") && tag("`v1.2`") && !tag("v1.2.3"));
    }

    #[test]
    fn r140_a_waived_criterion_is_named_only_as_waived() {
        let waived = |report: &str| named(report, "AC-1", PointKind::WaivedCriterion, "It is fast");
        assert!(!waived("AC-1 and AC-2 are met") && waived("AC-1 was waived by Ann"));
        assert!(waived("It is fast"));
    }
}
