//! What is taken out of text and what stays, line by line: `redact_corpus/secrets.txt` marks what must vanish with «…»,
//! nothing of `redact_corpus/innocent.txt` may change. `⏎` stands for the end of a line in text of more than one.

use tollgate_files::redact::Redactor;

const SECRETS: &str = include_str!("redact_corpus/secrets.txt");
const INNOCENT: &str = include_str!("redact_corpus/innocent.txt");

fn without_marks(line: &str) -> String {
    line.replace(['«', '»'], "").replace('⏎', "\n")
}

fn in_pieces(redactor: &Redactor, text: &str, size: usize) -> String {
    let (mut stream, mut clean) = (redactor.stream(), Vec::new());
    for piece in text.as_bytes().chunks(size) {
        stream.push(piece, &mut clean);
    }
    stream.finish(&mut clean);
    String::from_utf8_lossy(&clean).into_owned()
}

fn marked(line: &str) -> Vec<&str> {
    line.split('«').skip(1).filter_map(|part| part.split('»').next()).collect()
}

/// Whether anything of the secrets of a line is still to be read: no piece of four letters of one may be.
fn leaks(line: &str, clean: &str) -> bool {
    let outside = line.split('«').map(|part| part.rsplit('»').next().unwrap_or_default());
    let around: String = outside.collect();
    marked(line).iter().any(|secret| {
        let pieces: Vec<char> = secret.chars().collect();
        let piece_chars = pieces.len().min(4);
        pieces.windows(piece_chars).any(|piece| {
            let piece: String = piece.iter().collect();
            let is_telling = piece.chars().any(char::is_alphanumeric);
            is_telling && clean.matches(&piece).count() > around.matches(&piece).count()
        })
    })
}

#[test]
fn r157_no_secret_of_the_corpus_is_left() {
    let redactor = Redactor::new(["known-to-be-secret"]);
    assert!(SECRETS.lines().count() >= 550);
    let mut leaked = Vec::new();
    for line in SECRETS.lines() {
        assert!(!marked(line).is_empty(), "nothing is marked: {line}");
        let clean = redactor.redact(&without_marks(line)).into_owned();
        if leaks(line, &clean) {
            leaked.push(format!("{line}\n    {clean}"));
        }
    }
    assert!(leaked.is_empty(), "{} lines leak:\n{}", leaked.len(), leaked.join("\n"));
}

#[test]
fn r157_innocent_lines_stay_as_they_are() {
    let redactor = Redactor::new(["known-to-be-secret"]);
    let count = INNOCENT.lines().count();
    assert!(count >= 550);
    let changed: Vec<String> = INNOCENT
        .lines()
        .filter_map(|line| {
            let text = without_marks(line);
            let clean = redactor.redact(&text).into_owned();
            (clean != text).then(|| format!("{line}\n    {clean}"))
        })
        .collect();
    let allowed = count * 2 / 100;
    assert!(changed.len() <= allowed, "{} of {count}:\n{}", changed.len(), changed.join("\n"));
}

#[test]
fn r157_text_in_pieces_is_cleaned_as_the_whole_is() {
    let redactor = Redactor::new(["known-to-be-secret"]);
    let all = SECRETS.lines().chain(INNOCENT.lines()).map(without_marks);
    let joined = all.clone().collect::<Vec<_>>().join("\n");
    for text in all.chain([joined]) {
        let clean = redactor.redact(&text);
        for size in [1, 7, 64, 600, 1_100] {
            assert_eq!(in_pieces(&redactor, &text, size), clean, "{size} bytes a piece: {text}");
        }
    }
}

#[test]
fn r157_json_of_the_corpus_stays_json() {
    let redactor = Redactor::new(["known-to-be-secret"]);
    let json = SECRETS.lines().chain(INNOCENT.lines()).map(without_marks);
    let mut count = 0;
    for line in json.filter(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()) {
        let clean = redactor.redact(&line);
        assert!(serde_json::from_str::<serde_json::Value>(&clean).is_ok(), "{line}\n    {clean}");
        count += 1;
    }
    assert!(count >= 10, "{count}");
}
