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

/// In letters that every terminal and file system has: `Größe` is `groesse`, and what no letters stand for goes.
fn slug_of(goal: &str) -> String {
    let mut slug = String::new();
    for word in in_ascii(goal).split(|letter: char| !letter.is_ascii_alphanumeric()) {
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

/// As a German would spell it, then by the sound of each letter.
fn in_ascii(goal: &str) -> String {
    let mut text = String::new();
    for letter in composed(goal) {
        match letter {
            'ä' | 'Ä' => text.push_str("ae"),
            'ö' | 'Ö' => text.push_str("oe"),
            'ü' | 'Ü' => text.push_str("ue"),
            letter if letter.is_alphanumeric() => {
                text.push_str(deunicode::deunicode_char(letter).unwrap_or_default());
            }
            '\'' | '’' | COMBINING_FIRST..=COMBINING_LAST => {}
            _ => text.push(' '),
        }
    }
    text.make_ascii_lowercase();
    text
}

/// Marks such as accents, written after the letter that they belong to.
const COMBINING_FIRST: char = '\u{300}';
const COMBINING_LAST: char = '\u{36f}';
const DIAERESIS: char = '\u{308}';

/// Some programs write `ö` as `o` with two dots behind it.
fn composed(goal: &str) -> impl Iterator<Item = char> {
    let mut letters = goal.chars().peekable();
    std::iter::from_fn(move || {
        let letter = letters.next()?;
        let umlaut = match letter {
            'a' | 'A' => 'ä',
            'o' | 'O' => 'ö',
            'u' | 'U' => 'ü',
            _ => return Some(letter),
        };
        Some(if letters.next_if_eq(&DIAERESIS).is_some() { umlaut } else { letter })
    })
}
