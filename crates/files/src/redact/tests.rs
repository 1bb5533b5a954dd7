#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use proptest::prelude::*;

const SECRETS: [&str; 4] = ["hunter2-hunter2", "p\"quoted-part", "n0t-seen", "e9abcdef"];

#[track_caller]
fn check(text: &str, clean: &str) {
    let redactor = Redactor::new(SECRETS);
    assert_eq!(redactor.redact(text), clean);
    assert_eq!(in_pieces(&redactor, text.as_bytes(), 1), clean.as_bytes(), "byte by byte");
}

fn in_pieces(redactor: &Redactor, text: &[u8], size: usize) -> Vec<u8> {
    let (mut stream, mut clean) = (redactor.stream(), Vec::new());
    for piece in text.chunks(size) {
        stream.push(piece, &mut clean);
    }
    stream.finish(&mut clean);
    clean
}

#[test]
fn r113_known_values_are_taken_out() {
    check("a hunter2-hunter2 b hunter2-hunter2", "a [redacted] b [redacted]");
    check(r#"{"a":"p\"quoted-part"}"#, r#"{"a":"[redacted]"}"#);
    check("hunter2-hunter", "hunter2-hunter");
}

#[test]
fn r113_an_escape_before_a_value_stays_whole() {
    check(r#""\n0t-seen""#, r#""\n[redacted]""#);
    check(r#""\u00e9abcdef""#, r#""\u00e9[redacted]""#);
    check(r"\\n0t-seen", r"\\[redacted]");
}

#[test]
fn r113_tokens_of_known_shape_are_taken_out() {
    check("key sk-ant-api03-abcDEF123456_7-x.", "key [redacted].");
    check("ghp_0123456789abcdefghijABCDEFGHIJ012345!", "[redacted]!");
    check("github_pat_11ABCDEFG0123456789_abcdefghij", "[redacted]");
    check("id=AKIAIOSFODNN7EXAMPLE", "id=[redacted]");
    check("xoxb-123456789012-abcdef", "[redacted]");
    check("AIzaSyA0123456789abcdefghijklmnopqrstuvw", "[redacted]");
    check("x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl y", "x [redacted] y");
    check("Authorization: Bearer abc.def-0123", "Authorization: Bearer [redacted]");
    check("authorization: basic dXNlcjpwYXNz", "authorization: basic [redacted]");
    check("DB_PASSWORD=s3cr&t more", "DB_PASSWORD=[redacted] more");
    check("a=1&token=s3cr3t&b=2", "a=1&token=[redacted]&b=2");
    check("postgres://bob:pa55@db/x", "postgres://[redacted]@db/x");
    check(r#""one\nsk-proj-0123456789abcdef""#, r#""one\n[redacted]""#);
    check(r#""one\\nsk-proj-0123456789abcdef""#, r#""one\\n[redacted]""#);
}

#[test]
fn ordinary_text_is_left() {
    for text in [
        "task-based-configuration-1-of-the-loop",
        "the disk-space-usage-report-2026-11 and sk-short",
        "Bearer authentication is used",
        "password=$PASSWORD token=<your-token> secret==x",
        "see https://example.com:8080/path@v2 and ssh://git@host/x",
        "{\"input_tokens\": 200000, \"password\": \"\"}",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq\n-----END PUBLIC KEY-----",
        "refuses -----BEGIN PRIVATE KEY-----, always",
        "eyJub3QiOiJhIHRva2VuIn0=",
    ] {
        check(text, text);
        assert!(matches!(Redactor::new(SECRETS).redact(text), Cow::Borrowed(_)));
    }
}

#[test]
fn r083_an_address_of_a_person_becomes_a_marker() {
    check("ask alice@example.com, please", "ask [e-mail], please");
    check("Jane <jane.doe+x@mail.example.co.uk>.", "Jane <[e-mail]>.");
    check("a@b.io", "[e-mail]");
    check("li@163.com or j\u{fc}rgen@m\u{fc}ller.de.", "[e-mail] or [e-mail].");
    check(r#"{"a":"one\nbob@example.com","n":1}"#, r#"{"a":"one\n[e-mail]","n":1}"#);
    check(r#"{"a":"\u00e9bob@example.com"}"#, r#"{"a":"\u00e9[e-mail]"}"#);
    check(r#"{"a":"\\nbob@example.com"}"#, r#"{"a":"\\[e-mail]"}"#);
    check("mailto:bob@example.com?subject=x", "mailto:[e-mail]?subject=x");
    check("line\nbob@example.com\nnext", "line\n[e-mail]\nnext");
    check("https://bob@example.com/x", "https://[e-mail]/x");
    let long = "x".repeat(1_500);
    check(&format!("{long}@example.com"), &format!("{}[e-mail]", &long[64..]));
    check(&format!("{long} bob@example.com"), &format!("{long} [e-mail]"));
}

#[test]
fn r083_of_work_only_what_is_certainly_secret_is_taken_out() {
    let text =
        "as bob@example.com, password=made-for-the-test, ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let clean = "as bob@example.com, password=made-for-the-test, [redacted]";
    assert_eq!(Redactor::new(SECRETS).for_work().redact(text), clean);
}

#[test]
fn what_only_looks_like_an_address_is_left() {
    for text in [
        "npm install left-pad@1.3.0 @types/node@20.1.0 x@1.2.3-beta.rc",
        "@pytest.mark.slow and @scope/pkg and user@host:path and root@localhost",
        "git@github.com:org/repo.git and ssh://git@host.example.com/x",
        "logo@2x.png getty@tty1.service this@Outer.finish() a@b.T",
        "a @ b.com, @example.com, x@, x@.com, x@a..com, 50%@",
    ] {
        check(text, text);
    }
}

#[test]
fn r113_a_private_key_is_taken_out_line_by_line() {
    check(
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/\nIBAAK==\n-----END RSA PRIVATE KEY-----\nafter",
        "-----BEGIN RSA PRIVATE KEY-----\n[redacted]\n[redacted]\n-----END RSA PRIVATE KEY-----\nafter",
    );
    check(
        r#"{"k":"-----BEGIN PRIVATE KEY-----\nMIIE\nIBAA\n-----END PRIVATE KEY-----\n","n":12}"#,
        r#"{"k":"-----BEGIN PRIVATE KEY-----\n[redacted]\n[redacted]\n-----END PRIVATE KEY-----\n","n":12}"#,
    );
    check(
        r#"{"k":"-----BEGIN PRIVATE KEY-----\nMIIE","n":12}"#,
        r#"{"k":"-----BEGIN PRIVATE KEY-----\n[redacted]","n":12}"#,
    );
}

#[test]
fn r113_overlapping_values_leave_no_rest() {
    let redactor = Redactor::new(["abcdef-ghij", "ghij-klmnop"]);
    assert_eq!(redactor.redact("x abcdef-ghij-klmnop y"), "x [redacted] y");
}

#[test]
fn r113_a_long_value_is_found_over_the_borders_of_pieces() {
    let secret: String = (0..300).map(|number| format!("v{number}-")).collect();
    let redactor = Redactor::new([&secret]);
    let text = format!("{}{secret}{}", "x ".repeat(5_000), " y".repeat(5_000));
    for size in [1, 7, 1_000, 65_536] {
        let clean = String::from_utf8(in_pieces(&redactor, text.as_bytes(), size)).unwrap();
        let shown = clean.replace("[redacted]", "");
        assert_eq!(shown, format!("{}{}", "x ".repeat(5_000), " y".repeat(5_000)));
    }
}

#[test]
fn a_token_without_an_end_costs_no_memory() {
    let redactor = Redactor::new(SECRETS);
    let (mut stream, mut clean) = (redactor.stream(), Vec::new());
    stream.push(b"sk-0123456789", &mut clean);
    for _ in 0..1_000 {
        stream.push(&[b'a'; 1_000], &mut clean);
        assert!(stream.unread.len() <= WINDOW_BYTES + 1_000);
    }
    stream.push(b" end", &mut clean);
    stream.finish(&mut clean);
    assert_eq!(clean, b"[redacted] end");
}

#[test]
fn a_complete_line_is_not_held_back() {
    let redactor = Redactor::new(SECRETS);
    let (mut stream, mut clean) = (redactor.stream(), Vec::new());
    stream.push(b"progress\nnext", &mut clean);
    assert_eq!(clean, b"progress\n");
}

#[test]
fn bytes_that_are_not_text_pass() {
    let bytes = b"\xff\xfe\x80 hunter2-hunter2 \xc3";
    assert_eq!(in_pieces(&Redactor::new(SECRETS), bytes, 3), b"\xff\xfe\x80 [redacted] \xc3");
}

#[test]
fn numbers_and_short_values_are_not_secrets() {
    let redactor = Redactor::new(["200000", "[1, 2, 3]", "short", "true"]);
    let text = "{\"tokens\": 200000, \"list\": [1, 2, 3], \"a\": \"short\"}";
    assert_eq!(redactor.redact(text), text);
}

#[test]
fn r113_a_value_that_json_writes_in_another_way_is_taken_out_as_a_whole() {
    for secret in ["x7Kq\"w2Lm9\\P4vT", "aB3\"dE5\"fG7\"hI9\"jK1\\mN2", "Zq8back\u{fc}s-tail"] {
        let redactor = Redactor::new([secret]);
        let once = serde_json::json!({ "k": secret }).to_string();
        let twice = serde_json::json!({ "content": &once }).to_string();
        let thrice = serde_json::json!({ "content": &twice }).to_string();
        for text in [format!("err {secret}\n"), once, twice, thrice] {
            let clean = redactor.redact(&text);
            assert!(clean.contains("[redacted]"), "{clean}");
            assert!(
                !clean.contains(&secret[..3]) && !clean.contains(&secret[secret.len() - 3..]),
                "{clean}"
            );
        }
    }
    let redactor = Redactor::new(["Zq8back\u{fc}s-tail"]);
    let ascii = r#"{"k": "{\"j\": \"Zq8back\\u00fcs-tail\"}"}"#;
    assert_eq!(redactor.redact(ascii), r#"{"k": "{\"j\": \"[redacted]\"}"}"#);
}

#[test]
fn r113_a_value_that_looks_like_json_is_not_taken_out_over_its_edges() {
    let text = r#"{"abcd":"efgh","back":"tail-back\""}"#;
    let redactor = Redactor::new(["abcd\":\"efgh", "tail-back\\"]);
    let clean = redactor.redact(text);
    assert!(serde_json::from_str::<serde_json::Value>(&clean).is_ok(), "{clean}");
}

#[test]
fn a_redactor_does_not_show_its_values() {
    assert!(!format!("{:?}", Redactor::new(SECRETS)).contains("hunter2"));
}

#[test]
fn r157_invisible_characters_hide_no_secret() {
    let redactor = Redactor::new(SECRETS);
    for hidden in
        ["p\u{1b}[0massword: aQ20x7", "Pass\u{200b}word: aQ20x7", "tok\u{2060}en=aQ20x7b3"]
    {
        assert!(!redactor.redact(hidden).contains("aQ20x7"), "{hidden:?}");
    }
    let coloured = "\u{1b}[31mred\u{1b}[0m\r\n";
    assert_eq!(redactor.redact(coloured), coloured, "what holds no secret stays as it is");
    let authored = "{\"a\": 1}\r\npassword: aQ20x7\r\n";
    assert_eq!(redactor.for_work().redact(authored), authored);
}

#[test]
fn r157_a_header_is_taken_out_to_its_end() {
    for length in [16, 500, 640, 1_000, 1_150, 5_000] {
        let (token, cookie) = ("a1".repeat(length / 2), "sid=a1b2; ".repeat(length / 10));
        check(
            &format!("Authorization: Bearer {token}\nnext"),
            "Authorization: Bearer [redacted]\nnext",
        );
        check(&format!("Cookie: {cookie}x=1\nnext"), "Cookie: [redacted]\nnext");
        let json = format!(r#"{{"Cookie":"{cookie}x=1","n":1}}"#);
        check(&json, r#"{"Cookie":"[redacted]","n":1}"#);
    }
}

#[test]
fn r157_a_long_value_in_quotes_is_taken_out_to_its_end() {
    for length in [100, 520, 640, 1_150, 5_000] {
        let words = r#"two words, & \"more\"; \\ "#.repeat(length / 25);
        let clean = r#"{"password": "[redacted]", "n": 1}"#;
        check(&format!(r#"{{"password": "{words}end", "n": 1}}"#), clean);
        let inner = serde_json::json!({ "password": words, "n": 1 }).to_string();
        let clean = r#"{"log":"{\"n\":1,\"password\":\"[redacted]\"}"}"#;
        check(&serde_json::json!({ "log": inner }).to_string(), clean);
    }
}

#[test]
fn r157_a_value_below_its_name_is_taken_out() {
    check(
        "password: |\n  one two\n  three\n\n  four\nuser: bob\n",
        "password: |\n  [redacted]\n  [redacted]\n\n  [redacted]\nuser: bob\n",
    );
    check(
        r#"{"a":"password: >-\n  one two\nuser: bob"}"#,
        r#"{"a":"password: >-\n  [redacted]\nuser: bob"}"#,
    );
    check(
        "- name: DB_PASSWORD\n  value: one\n- name: X\n  value: two",
        "- name: DB_PASSWORD\n  value: [redacted]\n- name: X\n  value: two",
    );
    check("Password:\nLast login: Monday", "Password:\nLast login: Monday");
}

#[test]
fn r157_the_passwords_of_a_command_line_end_with_it() {
    check("curl -u bob:one x\nls -u bob:two", "curl -u bob:[redacted] x\nls -u bob:two");
    check(
        r#"{"a":"curl -u bob:one\nls -u bob:two"}"#,
        r#"{"a":"curl -u bob:[redacted]\nls -u bob:two"}"#,
    );
}

#[test]
fn r113_a_known_secret_in_the_name_of_another_is_taken_out() {
    check(
        "-----BEGIN PRIVATE KEY-----hunter2-hunter2--token u00",
        "-----BEGIN PRIVATE KEY-----[redacted]--token [redacted]",
    );
    check("x hunter2-hunter2--token u00", "x [redacted]--token [redacted]");
}

/// Words that make trouble when put together.
fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(vec![
            "hunter2-hunter2",
            "p\"quoted-part",
            "n0t-seen",
            "e9abcdef",
            "sk-0123456789abcdef01",
            "eyJhbGciOiJIUzI1NiJ9.",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "\n",
            "\\",
            "\"",
            "u00",
            "é",
            "Bearer ",
            "password=",
            "\"password\": ",
            "api_key: ",
            "--token ",
            "Cookie: a=1; ",
            "password: |\n  ",
            "name: DB_PASSWORD\n  value: ",
            "curl -u a:",
            "<password>",
            "</",
            "'",
            "; & , ",
            "phone: 0151 ",
            "4111111111111111",
            "+49 151 23456789",
            "DE89370400440532013000",
            "81.2.69.160",
            "://a:b@c",
            "MIIE",
            "bob@example.com",
            "@",
            ".com",
            " ",
        ])
        .prop_map(str::to_owned),
        "[a-z0-9]{0,12}",
    ]
}

proptest! {
    #[test]
    fn r113_json_stays_json(
        fragments in proptest::collection::vec(fragment(), 0..20), number: i64, size in 1_usize..50,
    ) {
        let value = serde_json::json!({"text": fragments.concat(), "n": number, "list": [true, null]});
        let text = value.to_string();
        let redactor = Redactor::new(SECRETS);
        let clean = redactor.redact(&text);
        let read: serde_json::Value = serde_json::from_str(&clean).unwrap();
        // A number that could be a card is taken out, too, and stays a number.
        prop_assert!(read["n"] == value["n"] || read["n"] == 0, "{clean}");
        prop_assert!(!clean.contains("hunter2-hunter2") && !clean.contains("quoted-part"));
        prop_assert_eq!(in_pieces(&redactor, text.as_bytes(), size), clean.as_bytes());
    }
}
