//! One session: where it is on its way, its tasks beside the agents at work, what happened below.

use crate::frame::{self, Keys as Footer};
use crate::keys::Key;
use crate::paint::{Ink, Paint, Words};
use crate::seen::Seen;
use crate::{agents, head, text, when};
use jiff::tz::TimeZone;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use tollgate_core::id::{DecisionId, DispatchNumber, TaskId};
use tollgate_core::task::TaskStatus;
use tollgate_core::time::Timestamp;
use tollgate_core::view::{Level, TaskView};
use tollgate_desk::LogLine;

/// A task or an agent takes so many rows at most before the activity gets its share.
const ACTIVITY_ROWS_MIN: u16 = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    Tasks,
    Agents,
    Activity,
}

/// What a key on this screen asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asks {
    Back,
    Answer(DecisionId),
    Output(DispatchNumber),
    Prompt(DispatchNumber),
    Task(TaskId),
    Changes,
    Findings,
    Log,
    Files,
    Criteria,
    Cancel,
    Resume,
}

#[derive(Debug)]
pub struct Session {
    pub seen: Seen,
    pub lines: Vec<LogLine>,
    pane: Pane,
    task: usize,
    agent: usize,
    /// How many lines of the activity are below the screen.
    below: usize,
    /// Rows of each pane, when it was drawn last.
    page: usize,
}

impl Session {
    pub fn new(seen: Seen, lines: Vec<LogLine>) -> Self {
        let (task, agent, below, page) = (0, 0, 0, 1);
        Self { seen, lines, pane: Pane::Agents, task, agent, below, page }
    }

    pub fn handle(&mut self, key: &Key) -> Option<Asks> {
        match key {
            Key::Esc | Key::Char('q') => return Some(Asks::Back),
            Key::Tab | Key::Right => self.pane = self.pane.next(),
            Key::BackTab | Key::Left => self.pane = self.pane.next().next(),
            Key::Char('a') => {
                let asked = self.seen.view.pending_decisions.first();
                return asked.map(|question| Asks::Answer(question.decision_id.clone()));
            }
            Key::Char('d') => return Some(Asks::Changes),
            Key::Char('f') => return Some(Asks::Findings),
            Key::Char('l') => return Some(Asks::Log),
            Key::Char('v') => return Some(Asks::Files),
            Key::Char('c') => return Some(Asks::Criteria),
            Key::Char('x') if !self.seen.view.route.standing.is_over() => {
                return Some(Asks::Cancel);
            }
            Key::Char('r') if self.seen.is_left() => return Some(Asks::Resume),
            Key::Char('o') => return self.chosen_agent().map(Asks::Output),
            Key::Char('t') => return self.chosen_agent().map(Asks::Prompt),
            Key::Enter => return self.enter(),
            key => self.moves(key),
        }
        None
    }

    fn enter(&self) -> Option<Asks> {
        match self.pane {
            Pane::Tasks => self.chosen_task().map(|task| Asks::Task(task.id.clone())),
            Pane::Agents => self.chosen_agent().map(Asks::Output),
            Pane::Activity => Some(Asks::Log),
        }
    }

    fn moves(&mut self, key: &Key) {
        let page = self.page.max(1);
        let step: isize = match key {
            Key::Up | Key::Char('k') => -1,
            Key::Down | Key::Char('j') => 1,
            Key::PageUp => -isize::try_from(page).unwrap_or(1),
            Key::PageDown => isize::try_from(page).unwrap_or(1),
            Key::Home | Key::Char('g') => isize::MIN / 2,
            Key::End | Key::Char('G') => isize::MAX / 2,
            _ => return,
        };
        let moved = |at: usize, count: usize, step: isize| {
            at.saturating_add_signed(step).min(count.saturating_sub(1))
        };
        match self.pane {
            Pane::Tasks => self.task = moved(self.task, self.seen.view.work.tasks.len(), step),
            Pane::Agents => {
                self.agent = moved(self.agent, self.seen.view.work.dispatches.len(), step)
            }
            Pane::Activity => self.below = moved(self.below, self.lines.len(), -step),
        }
    }

    fn chosen_task(&self) -> Option<&TaskView> {
        self.seen.view.work.tasks.get(self.task)
    }

    fn chosen_agent(&self) -> Option<DispatchNumber> {
        self.seen.dispatches().get(self.agent).map(|one| one.number)
    }

    pub fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        paint: Paint,
        area: Rect,
        now: Timestamp,
        zone: &TimeZone,
    ) {
        let columns = usize::from(area.width);
        let top = head::lines(&self.seen, paint, columns, area.height, now);
        let height = u16::try_from(top.len()).unwrap_or(1);
        let [head, body, footer] = frame::rows(area, [height, 0, 1]);
        frame::lines(frame, head, top);
        let work = &self.seen.view.work;
        let wanted = work.tasks.len().max(agents::rows(&self.seen)).max(2);
        let most = (body.height / 2).min(body.height.saturating_sub(ACTIVITY_ROWS_MIN));
        let middle = u16::try_from(wanted).unwrap_or(u16::MAX).saturating_add(2).min(most);
        let [middle, activity] = frame::rows(body, [middle.max(3), 0]);
        let [left, right] =
            Layout::horizontal([Constraint::Percentage(45), Constraint::Percentage(55)])
                .areas(middle);
        self.draw_tasks(frame, paint, left);
        let has_keys = self.pane == Pane::Agents;
        self.agent = self.agent.min(self.seen.view.work.dispatches.len().saturating_sub(1));
        agents::draw(frame, paint, right, &self.seen, now, has_keys.then_some(self.agent));
        self.draw_activity(frame, paint, activity, zone);
        frame::footer(frame, paint, footer, &self.keys());
    }

    fn draw_tasks(&mut self, frame: &mut Frame<'_>, paint: Paint, area: Rect) {
        let tasks = &self.seen.view.work.tasks;
        let has_keys = self.pane == Pane::Tasks;
        let done = tasks.iter().filter(|task| task.status == TaskStatus::Completed).count();
        let title = match tasks.is_empty() {
            true => "Tasks".to_owned(),
            false => format!("Tasks {done}/{}", tasks.len()),
        };
        let inner = frame::pane(frame, paint, area, &title, has_keys);
        let columns = usize::from(inner.width);
        self.task = self.task.min(tasks.len().saturating_sub(1));
        if tasks.is_empty() {
            let words = vec![(Ink::Dim, "There is no plan yet.".to_owned())];
            return frame::lines(frame, inner, vec![paint.line(&words, columns)]);
        }
        let from = frame::window(self.task, tasks.len(), usize::from(inner.height), has_keys);
        let shown = tasks.iter().enumerate().skip(from).take(usize::from(inner.height));
        let shown = shown.map(|(index, one)| {
            let line = task(one, tasks, paint, columns);
            if has_keys && index == self.task { paint.chosen(line, columns) } else { line }
        });
        let shown = shown.collect();
        frame::lines(frame, inner, shown);
    }

    fn draw_activity(&mut self, frame: &mut Frame<'_>, paint: Paint, area: Rect, zone: &TimeZone) {
        let has_keys = self.pane == Pane::Activity;
        let title = match self.below {
            0 => "Activity".to_owned(),
            below => {
                format!("Activity, {} below", tollgate_core::count::counted(below as u64, "line"))
            }
        };
        let inner = frame::pane(frame, paint, area, &title, has_keys);
        let height = usize::from(inner.height);
        self.page = height;
        self.below = self.below.min(self.lines.len().saturating_sub(height));
        let end = self.lines.len() - self.below;
        let from = end.saturating_sub(height);
        let columns = usize::from(inner.width);
        let shown =
            self.lines[from..end].iter().map(|line| paint.line(&log_line(line, zone), columns));
        let shown: Vec<Line<'static>> = shown.collect();
        frame::lines(frame, inner, shown);
    }

    fn keys(&self) -> Vec<Footer> {
        let mut keys: Vec<Footer> = Vec::new();
        if !self.seen.view.pending_decisions.is_empty() {
            keys.push(("a", "answer"));
        }
        if self.seen.is_left() {
            keys.push(("r", "continue"));
        }
        keys.push(match self.pane {
            Pane::Tasks => ("Enter", "task"),
            Pane::Agents => ("Enter", "output"),
            Pane::Activity => ("Enter", "log"),
        });
        keys.extend([("d", "diff"), ("f", "findings"), ("v", "files")]);
        keys.extend([("Tab", "pane"), ("q", "back"), ("?", "help")]);
        keys
    }
}

impl Pane {
    fn next(self) -> Self {
        match self {
            Self::Tasks => Self::Agents,
            Self::Agents => Self::Activity,
            Self::Activity => Self::Tasks,
        }
    }
}

/// A mark, a word and what it waits for.
fn task(one: &TaskView, all: &[TaskView], paint: Paint, columns: usize) -> Line<'static> {
    let (ink, mark, word) = standing_of(one.status);
    let is_open = |id: &&TaskId| {
        all.iter().any(|other| other.id == **id && other.status != TaskStatus::Completed)
    };
    let waits: Vec<String> = match one.status {
        TaskStatus::NotStarted | TaskStatus::Blocked => {
            one.depends_on.iter().filter(is_open).map(ToString::to_string).collect()
        }
        _ => Vec::new(),
    };
    let word = match waits.is_empty() {
        true => word.to_owned(),
        false => format!("after {}", text::one_line(&waits.join(", "))),
    };
    let left: Words = vec![
        (ink, format!("{mark} ")),
        (Ink::Strong, format!("{} ", one.id)),
        (Ink::Plain, text::one_line(&one.title)),
    ];
    let ink = if waits.is_empty() { ink } else { Ink::Dim };
    paint.sides(&left, &vec![(ink, word)], columns)
}

pub fn standing_of(status: TaskStatus) -> (Ink, &'static str, &'static str) {
    match status {
        TaskStatus::NotStarted => (Ink::Dim, "·", "to do"),
        TaskStatus::InProgress => (Ink::Note, "▸", "at work"),
        TaskStatus::Implemented => (Ink::Note, "◦", "in review"),
        TaskStatus::Completed => (Ink::Good, "✓", "done"),
        TaskStatus::Blocked => (Ink::Bad, "✗", "blocked"),
    }
}

pub fn log_line(line: &LogLine, zone: &TimeZone) -> Words {
    let ink = match line.level {
        Level::Heading => Ink::Strong,
        Level::Detail => Ink::Plain,
        Level::Small => Ink::Dim,
    };
    vec![
        (Ink::Dim, format!("{} ", when::clock(line.at, zone))),
        (line.tone.into(), format!("{:>8} ", line.mark)),
        (ink, text::one_line(&line.text)),
    ]
}
