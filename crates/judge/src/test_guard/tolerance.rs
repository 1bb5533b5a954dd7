//! How far a value may be off: `delta`, `places`, `rel` and their like, as differences that are allowed.

use super::scan::words;

/// In the order in which they stand.
pub(super) fn of(body: &str) -> Vec<f64> {
    let mut all = Vec::new();
    for (at, word) in words(body) {
        let rest = body[at + word.len()..].trim_start();
        let value = rest.strip_prefix(['=', ':']).and_then(number);
        match word {
            // `abs(a - b) < 0.01`
            "abs" if !rest.starts_with('=') => {
                let line = rest.lines().next().unwrap_or_default();
                all.extend(
                    line.split_once('<')
                        .and_then(|(_, bound)| number(bound.trim_start_matches('='))),
                );
            }
            "delta" | "rel" | "abs" | "rel_tol" | "abs_tol" | "atol" | "rtol" | "tolerance" => {
                all.extend(value);
            }
            "places" => all.extend(value.map(digits)),
            "toBeCloseTo"
            | "assertEqualsWithDelta"
            | "assertAlmostEqual"
            | "InDelta"
            | "assert_in_delta"
            | "be_within"
            | "closeTo"
            | "assertEquals"
            | "InEpsilon"
            | "AreEqual" => {
                let arguments = arguments(rest);
                let is_digits = word == "toBeCloseTo" || word == "assertAlmostEqual";
                let place = match word {
                    "be_within" => 0,
                    "toBeCloseTo" => 1,
                    "InDelta" | "InEpsilon" => 3,
                    _ => 2,
                };
                let value = arguments.get(place).and_then(|text| number(text));
                all.extend(value.map(|value| if is_digits { digits(value) } else { value }));
            }
            _ => {}
        }
    }
    all
}

fn digits(places: f64) -> f64 {
    10_f64.powf(-places)
}

fn number(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-' | 'e' | 'E' | '_'))
        .unwrap_or(text.len());
    text[..end].replace('_', "").parse().ok().filter(|value: &f64| value.is_finite())
}

/// Of the call that opens here, split at commas outside of brackets.
pub(super) fn arguments(rest: &str) -> Vec<String> {
    const ARGUMENTS_BYTES_MAX: usize = 400;
    let Some(inside) = rest.strip_prefix('(') else { return Vec::new() };
    let (mut depth, mut all) = (0, vec![String::new()]);
    for c in inside.chars().take(ARGUMENTS_BYTES_MAX) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => break,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = all.last_mut() {
            last.push(c);
        }
    }
    all
}
