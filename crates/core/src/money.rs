//! How money is written for people.

/// US dollars and cents, rounded to the nearest cent: `1.20`.
pub fn dollars(micro_usd: u64) -> String {
    let cents = micro_usd.saturating_add(5_000) / 10_000;
    format!("{}.{:02}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_cent_is_rounded_up_and_less_is_not() {
        let written = [0, 4_999, 5_000, 600_000, 1_004_999, 1_005_000, 19_999_999].map(dollars);
        assert_eq!(written, ["0.00", "0.00", "0.01", "0.60", "1.00", "1.01", "20.00"]);
        assert_eq!(dollars(u64::MAX), "18446744073709.55");
    }
}
