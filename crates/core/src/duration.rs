//! Reads lengths of time: what a person writes in settings and answers, and what a service writes in its messages.

/// `500ms`, `90s`, `30m`, `1h`: a whole number above zero with its unit; at most a year.
pub fn read_ms(text: &str) -> Option<u64> {
    const YEAR_MS: u64 = 366 * 24 * 3_600_000;
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let ms = number.parse::<u64>().ok()?.checked_mul(unit_ms(unit)?)?;
    (1..=YEAR_MS).contains(&ms).then_some(ms)
}

/// `1h2m3.5s`: several parts, with fractions and days, as services say how long to wait.
pub fn read_parts_ms(text: &str) -> Option<u64> {
    const DAY_MS: f64 = 86_400_000.0;
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let amount: f64 = rest[..digits].parse().ok()?;
        let unit = &rest[digits..];
        let length = unit.find(|c: char| c.is_ascii_digit()).unwrap_or(unit.len());
        total += amount
            * match &unit[..length] {
                "d" => DAY_MS,
                unit => unit_ms(unit)? as f64,
            };
        rest = &unit[length..];
    }
    // Far beyond any wait that makes sense, and small enough to be exact.
    (total > 0.0 && total < 1e12).then_some(total as u64)
}

fn unit_ms(unit: &str) -> Option<u64> {
    match unit {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{read_ms, read_parts_ms};

    #[test]
    fn durations_have_a_unit_and_bounds() {
        let cases = [
            ("1ms", Some(1)),
            ("90s", Some(90_000)),
            ("30m", Some(1_800_000)),
            ("8h", Some(28_800_000)),
        ];
        for (text, ms) in cases {
            assert_eq!(read_ms(text), ms, "{text}");
        }
        for text in [
            "",
            "5",
            "s",
            "1.5h",
            "-1s",
            "1 s",
            "1d",
            "0s",
            "99999999999999999999h",
            "9000000h",
            "1S",
        ] {
            assert_eq!(read_ms(text), None, "{text}");
        }
    }

    #[test]
    fn durations_of_several_parts_are_added() {
        assert_eq!(read_parts_ms("250ms"), Some(250));
        assert_eq!(read_parts_ms("1h2m3.5s"), Some(3_723_500));
        assert_eq!(read_parts_ms("2d"), Some(172_800_000));
        for odd in ["", "s", "3", "3x", "-3s", "3s!", "1e9s", "99999999999999d", "0s"] {
            assert_eq!(read_parts_ms(odd), None, "{odd}");
        }
    }
}
