//! Delivers beside the session: each delivery is a thread that ends in time, so that nobody ever waits for a receiver.

use super::announcement::Announcement;
use super::means::{Means, Messenger};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// What came of one announcement by one means.
#[derive(Debug)]
pub struct Report {
    /// As `send` counted the announcement.
    pub number: usize,
    pub means: Means,
    pub came_of_it: Result<String, String>,
}

#[derive(Debug)]
pub struct Courier {
    messenger: Messenger,
    sender: Sender<Report>,
    receiver: Receiver<Report>,
    sent: usize,
    under_way: usize,
    is_stopped: Arc<AtomicBool>,
}

impl Courier {
    pub fn new(messenger: Messenger) -> Self {
        let (sender, receiver) = channel();
        let is_stopped = Arc::new(AtomicBool::new(false));
        Self { messenger, sender, receiver, sent: 0, under_way: 0, is_stopped }
    }

    /// Begins to deliver by all these means at once. The number is in every report of it.
    pub fn send(&mut self, told: Announcement, means: impl IntoIterator<Item = Means>) -> usize {
        self.sent += 1;
        let (number, told) = (self.sent, Arc::new(told));
        for means in means {
            self.under_way += 1;
            let (messenger, told, sender) =
                (self.messenger.clone(), Arc::clone(&told), self.sender.clone());
            let is_stopped = Arc::clone(&self.is_stopped);
            thread::spawn(move || {
                let came_of_it = messenger.deliver(&means, &told, &is_stopped);
                // Nobody may be left who wants to know.
                let _ = sender.send(Report { number, means, came_of_it });
            });
        }
        number
    }

    /// What came of deliveries since the last look.
    pub fn reports(&mut self) -> Vec<Report> {
        let reports: Vec<Report> = self.receiver.try_iter().collect();
        self.under_way -= reports.len();
        reports
    }

    pub fn is_idle(&self) -> bool {
        self.under_way == 0
    }

    /// Ends the person's programs that still run.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}
