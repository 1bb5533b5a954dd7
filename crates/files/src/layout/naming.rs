//! Names for new sessions, from what the person wants.

use tollgate_core::id::SessionName;

/// Long enough to recognise the goal, short enough to type.
const SLUG_MAX: usize = 40;

/// `date` is `YYYY-MM-DD`.
pub fn new_session_name(date: &str, slug_or_goal: &str) -> SessionName {
    let text = format!("{date}_{}", slug_of(slug_or_goal));
    SessionName::parse(&text).expect("a date and a slug make a session name")
}

/// The name itself, then the same with numbers, for where it is taken.
pub fn numbered(name: &SessionName) -> impl Iterator<Item = SessionName> {
    let further =
        (2_u32..).map_while(move |number| SessionName::parse(&format!("{name}-{number}")).ok());
    [name.clone()].into_iter().chain(further)
}

fn slug_of(goal: &str) -> String {
    let mut slug = String::new();
    let is_break = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '\'' | '’');
    for word in goal.split(is_break) {
        let word: String = word
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_lowercase())
            .collect();
        if word.is_empty() {
            continue;
        }
        if slug.is_empty() {
            slug = word[..word.len().min(SLUG_MAX)].to_owned();
        } else if slug.len() + 1 + word.len() <= SLUG_MAX {
            slug = format!("{slug}-{word}");
        } else {
            break;
        }
    }
    if slug.is_empty() { "session".to_owned() } else { slug }
}
