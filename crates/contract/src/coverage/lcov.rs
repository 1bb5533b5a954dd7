//! lcov tracefiles: records of lines between `SF:` and `end_of_record`.

use super::{Coverage, ReportedFiles};
use crate::diagnostic::{Diagnostic, Report, quote, reports as say};

pub(super) fn is_lcov(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.any(|line| line.starts_with("SF:") || line.starts_with("TN:"))
}

pub(super) fn read(text: &str, path: &str, files: &mut ReportedFiles) -> Result<(), Report> {
    let mut reader =
        LcovReader { path, number: 0, current: None, files, report: Report::default() };
    for (index, line) in text.lines().enumerate() {
        reader.number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let read = reader.line(line.trim());
        if let Err(message) = read {
            reader.fault(message);
        }
        if reader.report.is_full() {
            break;
        }
    }
    if reader.current.is_some() && !reader.report.is_full() {
        reader.fault("the report ends in the middle of a record".to_owned());
    }
    if !reader.report.is_ok() {
        return Err(reader.report);
    }
    Ok(())
}

struct LcovReader<'a> {
    path: &'a str,
    number: u32,
    /// The file whose record is open, with what its record says of its sums.
    current: Option<(&'a str, Sums)>,
    files: &'a mut ReportedFiles,
    report: Report,
}

#[derive(Default, Clone, Copy)]
struct Sums {
    found: Option<u64>,
    hit: Option<u64>,
}

impl<'a> LcovReader<'a> {
    fn fault(&mut self, message: String) {
        let fault: Diagnostic = say::coverage_line(self.path, self.number, message);
        self.report.push(fault);
    }

    fn line(&mut self, line: &'a str) -> Result<(), String> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if line == "end_of_record" {
            return self.close();
        }
        let Some((key, value)) = line.split_once(':') else {
            return Err(format!("{} is not a line of lcov", quote(line)));
        };
        match key {
            "SF" => self.open(value),
            "DA" => self.data(value),
            "LF" => self.sum(value, |sums, number| sums.found = Some(number)),
            "LH" => self.sum(value, |sums, number| sums.hit = Some(number)),
            _ if !key.is_empty()
                && key.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()) =>
            {
                Ok(())
            }
            _ => Err(format!("{} is not a line of lcov", quote(line))),
        }
    }

    fn open(&mut self, file: &'a str) -> Result<(), String> {
        if file.is_empty() {
            return Err("SF: names no file".to_owned());
        }
        let before = self.current.replace((file, Sums::default()));
        self.files.record(file);
        match before {
            Some((open, _)) => Err(format!("the record of {} has no end_of_record", quote(open))),
            None => Ok(()),
        }
    }

    fn data(&mut self, value: &str) -> Result<(), String> {
        let Some((file, _)) = self.current else {
            return Err("DA: comes before any SF:".to_owned());
        };
        let mut parts = value.split(',');
        let line = parts.next().and_then(|line| line.trim().parse::<u32>().ok());
        let is_hit = parts.next().and_then(is_hit);
        let (Some(line), Some(is_hit)) = (line, is_hit) else {
            return Err(format!("DA:{} is not a line number and a count", quote(value)));
        };
        self.files.record(file).note(line, is_hit);
        Ok(())
    }

    fn sum(&mut self, value: &str, set: impl Fn(&mut Sums, u64)) -> Result<(), String> {
        let Some((_, sums)) = &mut self.current else {
            return Err("a sum comes before any SF:".to_owned());
        };
        let number =
            value.trim().parse().map_err(|_| format!("{} is not a count", quote(value)))?;
        set(sums, number);
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        let Some((file, sums)) = self.current.take() else {
            return Err("end_of_record has no record before it".to_owned());
        };
        let (Some(total), Some(covered)) = (sums.found, sums.hit) else { return Ok(()) };
        if covered > total {
            return Err(format!("LH says {covered} lines were hit, but LF has only {total}"));
        }
        self.files.record(file).note_sums(Coverage { covered, total });
        Ok(())
    }
}

/// Counts can be larger than any integer of ours; all that matters is whether they are zero.
fn is_hit(count: &str) -> Option<bool> {
    let count = count.trim();
    let is_count = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    is_count.then(|| count.bytes().any(|byte| byte != b'0'))
}
