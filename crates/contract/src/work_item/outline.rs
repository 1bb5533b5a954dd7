//! A body by the headings of its template: which sections are there, where, and with what in them.

use super::plain_heading;
use crate::diagnostic::{Report, work_item as say};
use crate::markdown::{self, Heading, Markdown};

/// A heading that a body must have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Required {
    pub name: &'static str,
    pub level: usize,
}

#[derive(Debug)]
pub(super) struct Section<'a> {
    pub name: &'static str,
    level: usize,
    pub line: u32,
    pub lines: Vec<Line<'a>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub number: u32,
    pub text: &'a str,
    /// Inside a fence, where nothing is a heading or an item of a list.
    pub is_code: bool,
}

#[derive(Debug)]
pub(super) struct Outline<'a> {
    pub sections: Vec<Section<'a>>,
    /// The line after the last one.
    end: u32,
}

impl<'a> Outline<'a> {
    pub fn of(body: &'a str, first_line: u32, template: &[Required]) -> Self {
        let document = Markdown::of(body);
        let mut reader = Reader { template, sections: Vec::new(), is_inside: false };
        let mut headings = document.headings.iter().peekable();
        // A paragraph above a line across the page is often not meant as a heading.
        let is_meant = |reader: &Reader<'_, '_>, heading: &Heading| {
            heading.line == heading.last_line || reader.known(&heading.title).is_some()
        };
        let mut heading_end = 0;
        for (index, (text, kind)) in body.lines().zip(&document.lines).enumerate() {
            let number = first_line + u32::try_from(index).unwrap_or(u32::MAX - first_line);
            let line = Line { number, text, is_code: *kind == markdown::Line::Fenced };
            if let Some(heading) = headings.next_if(|next| markdown::index(next.line) == index)
                && is_meant(&reader, heading)
            {
                reader.heading(&heading.title, heading.level, line);
                heading_end = markdown::index(heading.last_line);
            } else if index == 0 || index > heading_end {
                match kind {
                    markdown::Line::Fence | markdown::Line::Comment => {}
                    _ => reader.content(line),
                }
            }
        }
        let lines = document.lines;
        let end = first_line + u32::try_from(lines.len()).unwrap_or(u32::MAX - first_line);
        Self { sections: reader.sections, end }
    }

    /// The first of this name that says something.
    pub fn section(&self, name: &str) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| section.name == name && section.says_something())
    }

    /// Every required heading once, in order, with something below it.
    pub fn check(&self, template: &[Required], path: &str, report: &mut Report) {
        for (index, required) in template.iter().enumerate() {
            let found: Vec<&Section<'_>> =
                self.sections.iter().filter(|section| section.name == required.name).collect();
            let Some(first) = found.first() else {
                let line = self.place_of(template, index);
                report.push(say::section_missing(path, line, required.name, required.level));
                continue;
            };
            if let Some(second) = found.get(1) {
                let lines = (first.line, second.line);
                report.push(say::section_twice(path, lines, required.name));
            }
            if !found.iter().any(|section| section.says_something()) {
                report.push(say::section_empty(path, first.line, required.name));
            }
            if first.level != required.level {
                let levels = (first.level, required.level);
                report.push(say::section_level(path, first.line, required.name, levels));
            }
        }
        self.check_order(template, path, report);
    }

    /// The line before which a missing section belongs.
    fn place_of(&self, template: &[Required], index: usize) -> u32 {
        let later = template
            .iter()
            .skip(index + 1)
            .find_map(|next| self.sections.iter().find(|section| section.name == next.name));
        later.map_or(self.end, |section| section.line)
    }

    fn check_order(&self, template: &[Required], path: &str, report: &mut Report) {
        let rank = |section: &Section<'_>| template.iter().position(|r| r.name == section.name);
        for pair in self.sections.windows(2) {
            if rank(&pair[0]) > rank(&pair[1]) {
                let names = (pair[1].name, pair[0].name);
                report.push(say::section_order(path, pair[1].line, names));
                return;
            }
        }
    }
}

impl Section<'_> {
    pub fn says_something(&self) -> bool {
        self.lines.iter().any(|line| !line.text.trim().is_empty())
    }

    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.text.trim_end()).collect();
        lines.join("\n").trim_matches('\n').to_owned()
    }
}

struct Reader<'t, 'a> {
    template: &'t [Required],
    sections: Vec<Section<'a>>,
    /// Of the last section; a foreign heading ends it.
    is_inside: bool,
}

impl<'a> Reader<'_, 'a> {
    fn known(&self, title: &str) -> Option<&'static str> {
        let plain = plain_heading(title);
        let named = |required: &&Required| required.name.eq_ignore_ascii_case(&plain);
        self.template.iter().find(named).map(|required| required.name)
    }

    fn heading(&mut self, title: &str, level: usize, line: Line<'a>) {
        if let Some(name) = self.known(title) {
            self.is_inside = true;
            self.sections.push(Section { name, level, line: line.number, lines: Vec::new() });
            return;
        }
        // A deeper heading divides the section it stands in; any other one ends it.
        let is_below = self.sections.last().is_some_and(|section| level > section.level);
        match self.is_inside && is_below {
            true => self.content(line),
            false => self.is_inside = false,
        }
    }

    fn content(&mut self, line: Line<'a>) {
        if self.is_inside
            && let Some(section) = self.sections.last_mut()
        {
            section.lines.push(line);
        }
    }
}
