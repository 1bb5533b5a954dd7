//! What keys do: nothing is sent by one of them, and words are never lost.

use super::{AT_THE_GATE, at_work, done, job, opened, press, text};
use crate::doc::Doc;
use crate::job::{Done, Job};
use crate::keys::Keys;
use crate::paint::Ink;
use crate::screen::Wish;
use tollgate_desk::Refused;

fn refused() -> Refused {
    let hints = vec!["say more".to_owned()];
    Refused { code: "answer.bad".to_owned(), message: "that is no answer".to_owned(), hints }
}

#[test]
fn r191_no_single_key_and_no_paste_answers() {
    for byte in 0x20..0x7f_u8 {
        let key = char::from(byte).to_string();
        let mut screen = opened(AT_THE_GATE);
        press(&mut screen, "a");
        let wishes = press(&mut screen, &key);
        assert!(!matches!(job(wishes), Some((_, Job::Answer(..)))), "{key}");
        // Nor does Enter after it.
        let wishes = press(&mut screen, "\r");
        assert!(!matches!(job(wishes), Some((_, Job::Answer(..)))), "{key}, Enter");
    }
    let mut screen = opened(AT_THE_GATE);
    press(&mut screen, "a");
    assert!(job(press(&mut screen, "\u{1b}[200~1y\r\u{1b}[201~")).is_none());
    assert!(text(&mut screen, 80, 24).contains("Your answer"));
}

#[test]
fn r191_an_answer_is_the_option_the_round_and_the_words_that_were_shown() {
    let mut screen = opened(AT_THE_GATE);
    press(&mut screen, "a2one\rtwo\t");
    assert!(
        job(press(&mut screen, "\r")).is_none(),
        "the button in front is the one that goes back"
    );
    press(&mut screen, "2");
    assert!(text(&mut screen, 80, 24).contains("two"), "what was written is still there");
    let (number, given) = job(press(&mut screen, "\ty\r")).unwrap();
    let Job::Answer(which, given) = given else { panic!("{given:?}") };
    assert_eq!((which.session, given.round), (super::name(), 1));
    assert_eq!(
        (given.decision.as_str(), given.answer.as_str()),
        ("UD-APPROVE-DESIGN", "changes-requested")
    );
    assert_eq!(given.words.as_deref(), Some("one\ntwo"));
    assert!(job(press(&mut screen, "\r\r")).is_none(), "it is sent once");

    done(&mut screen, number, Done::Ordered(Err(refused())));
    let shown = text(&mut screen, 80, 24);
    for words in ["Nothing was recorded", "│ that is no answer", "│ say more", "answer.bad", "two"]
    {
        assert!(
            shown.contains(words) || shown.contains(&words.replace('│', "┃")),
            "{words}:\n{shown}"
        );
    }
    let (number, _) = job(press(&mut screen, "\t\t\r")).unwrap();
    done(&mut screen, number, Done::Ordered(Ok(None)));
    let shown = text(&mut screen, 80, 24);
    assert!(shown.contains("Your answer is recorded.") && shown.contains("Activity"), "{shown}");
}

#[test]
fn r191_nothing_is_answered_on_a_screen_that_is_too_small_to_show_it() {
    let mut screen = opened(AT_THE_GATE);
    press(&mut screen, "a1");
    text(&mut screen, 40, 10);
    let unseen = Keys::default().take(b"\ty\r");
    assert!(unseen.iter().all(|key| screen.handle(key).is_empty()));
    // Back on a screen that shows it, the same keys send it.
    text(&mut screen, 80, 24);
    assert!(job(press(&mut screen, "\ty\r")).is_some());
}

#[test]
fn r191_an_answer_that_must_have_words_is_not_sent_without() {
    let mut screen = opened(AT_THE_GATE);
    assert!(job(press(&mut screen, "a2\t\t\r")).is_none());
    assert!(text(&mut screen, 80, 24).contains("needs your words: write them first"));
}

#[test]
fn r191_what_is_read_comes_to_the_place_that_waits_for_it_and_to_no_other() {
    let mut screen = at_work();
    let (first, _) = job(press(&mut screen, "d")).unwrap();
    assert!(text(&mut screen, 80, 24).contains("Reading…"));
    let (second, _) = job(press(&mut screen, "qd")).unwrap();
    let doc = |words: &str| {
        let mut doc = Doc::default();
        doc.say(Ink::Plain, words);
        Done::Text(doc)
    };
    done(&mut screen, first, doc("old"));
    assert!(text(&mut screen, 80, 24).contains("Reading…"), "nobody waits for it any more");
    done(&mut screen, second, doc("new"));
    assert!(text(&mut screen, 80, 24).contains("new"));
}

#[test]
fn r191_the_output_is_followed_until_somebody_scrolls_up() {
    let mut screen = at_work();
    let wishes = press(&mut screen, "\r");
    let Some(Wish::Follow(number)) = wishes.into_iter().next() else { panic!("it is followed") };
    let lines = |from: usize| (from..from + 40).map(|n| format!("line {n}")).collect::<Vec<_>>();
    screen.write(number, &lines(0));
    assert!(text(&mut screen, 80, 24).contains("line 39"));
    press(&mut screen, "k");
    screen.write(number, &lines(40));
    let shown = text(&mut screen, 80, 24);
    assert!(shown.contains("line 38") && !shown.contains("line 79"), "{shown}");
    press(&mut screen, "G");
    screen.write(number, &lines(80));
    assert!(text(&mut screen, 80, 24).contains("line 119"));
    assert!(matches!(press(&mut screen, "q")[..], [Wish::StopFollowing]));
}

#[test]
fn r191_the_log_grows_while_it_is_read() {
    let mut screen = at_work();
    press(&mut screen, "l");
    let (_folder, seen, lines) = super::seen(super::AT_WORK);
    let mut news = lines[lines.len() - 1..].to_vec();
    news[0].text = "something new".to_owned();
    screen.see(seen, &news);
    assert!(text(&mut screen, 80, 24).contains("something new"));
}

#[test]
fn a_difference_is_read_a_file_at_a_time_and_no_line_of_it_is_taken_for_a_heading() {
    let mut doc = Doc::default();
    doc.patch("diff --git a/one b/one\n--- a/one\n+++ b/one\n@@ -1,2 +1,1 @@\n--- a/evil\n one\ndiff --git a/two b/two\n--- a/two\n+++ b/two\n@@ -1 +1 @@\n-x\n+y\n");
    let (rows, parts) = doc.fit(60);
    assert_eq!((rows, parts.to_vec()), (13, vec![0, 7]));
    let mut plain = Doc::default();
    plain.patch(
        "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+one\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n",
    );
    assert_eq!(plain.fit(60).1, [0, 5]);
}
