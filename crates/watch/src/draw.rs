//! Draws what is on the screen: the list or a session, what lies over it, the help, a notice.

use crate::frame;
use crate::paint::Ink;
use crate::screen::{Over, Screen};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

/// A smaller screen has no place for what one must see.
pub const COLUMNS_MIN: u16 = 60;
pub const ROWS_MIN: u16 = 15;

pub fn screen(screen: &mut Screen, frame: &mut Frame<'_>) {
    let area = frame.area();
    let paint = screen.paint;
    screen.is_too_small = area.width < COLUMNS_MIN || area.height < ROWS_MIN;
    if screen.is_too_small {
        let words = format!(
            "This screen is too small: {COLUMNS_MIN} columns and {ROWS_MIN} rows are needed. Ctrl-C leaves."
        );
        let pieces = crate::text::wrap(&words, usize::from(area.width));
        let lines = pieces
            .into_iter()
            .map(|piece| paint.line(&vec![(Ink::Warning, piece)], usize::from(area.width)));
        return frame::lines(frame, area, lines.collect());
    }
    let (now, zone) = (screen.now, screen.zone.clone());
    match (screen.over.last_mut(), &mut screen.session) {
        (Some(Over::Reader(reader)), _) => reader.draw(frame, paint, area),
        (Some(Over::Waits(_, title)), _) => {
            let [head, body, footer] = frame::rows(area, [1, 0, 1]);
            frame::title(frame, paint, head, title, "");
            frame::lines(
                frame,
                body,
                vec![paint.line(&vec![(Ink::Dim, "Reading…".to_owned())], 20)],
            );
            frame::footer(frame, paint, footer, &[("q", "back")]);
        }
        (Some(Over::Files(picker)), _) => picker.draw(frame, paint, area),
        (Some(Over::Question(question)), Some(session)) => {
            question.draw(frame, paint, area, &session.seen, now);
        }
        (Some(Over::Form(form)), _) => form.draw(frame, paint, area),
        (_, Some(session)) => session.draw(frame, paint, area, now, &zone),
        (_, None) => screen.list.draw(frame, paint, area, now),
    }
    if let Some((_, notice)) = &screen.notice {
        let last = Rect { y: area.bottom() - 1, height: 1, ..area };
        frame.render_widget(Clear, last);
        let words = vec![(Ink::Waits, crate::text::one_line(notice))];
        frame::lines(frame, last, vec![paint.line(&words, usize::from(area.width))]);
    }
    if let Some(help) = &mut screen.help {
        help.draw(frame, paint, area);
    }
}
