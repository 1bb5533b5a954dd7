//! How long something takes, as the median of several runs, and what the numbers were taken on.

use std::time::{Duration, Instant};
use xtask::Trouble;

/// The middle one of `runs` timings, after one that is thrown away to warm the caches.
pub fn median(
    runs: usize,
    mut once: impl FnMut() -> Result<(), Trouble>,
) -> Result<Duration, Trouble> {
    once()?;
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs {
        let begin = Instant::now();
        once()?;
        times.push(begin.elapsed());
    }
    Ok(middle(&mut times))
}

/// The middle of values that were measured already; of an even number the upper middle.
pub fn middle<T: PartialOrd + Copy>(values: &mut [T]) -> T {
    values.sort_by(|a, b| a.partial_cmp(b).expect("times are numbers"));
    values[values.len() / 2]
}

/// One line on the machine, so that a table can be read later.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    format!("{cores} cores, kernel {}, load {load}; medians", kernel.trim())
}

#[cfg(test)]
mod tests {
    use super::{median, middle};

    #[test]
    fn the_middle_is_not_moved_by_one_outlier() {
        assert_eq!(middle(&mut [3.0, 900.0, 1.0]), 3.0);
        assert_eq!(middle(&mut [4, 1, 3, 2]), 3);
    }

    #[test]
    fn one_run_warms_up() {
        let mut count = 0;
        median(3, || {
            count += 1;
            Ok(())
        })
        .expect("nothing fails");
        assert_eq!(count, 4);
        assert!(median(3, || Err("no".into())).is_err());
    }
}
