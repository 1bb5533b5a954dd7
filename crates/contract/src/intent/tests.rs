//! Goals as people write them, each with where it goes.

use super::*;

/// Small stand-ins: name and words.
const ACTIONS: [(&str, &[&str]); 8] = [
    ("deliver", &["deliver"]),
    ("lean", &[]),
    ("init", &["init", "initialise", "initialize"]),
    ("plan", &["plan"]),
    ("review", &["review", "Audit"]),
    ("test", &["test"]),
    ("document", &["document"]),
    ("blog", &["blog"]),
];

fn routed(goal: &str) -> String {
    let intents: Vec<Vec<String>> = ACTIONS
        .iter()
        .map(|(_, words)| words.iter().map(|word| (*word).to_owned()).collect())
        .collect();
    let candidates: Vec<Candidate<'_>> = ACTIONS
        .iter()
        .zip(&intents)
        .map(|((name, _), intent)| Candidate { name, intent })
        .collect();
    match route(goal, &candidates) {
        Route::Action(name) => name,
        Route::Deliver => "-".to_owned(),
        Route::Ambiguous(names) => names.join(" or "),
    }
}

#[test]
fn r058_a_goal_is_routed_by_its_verbs_alone() {
    let table = [
        // One verb.
        ("Review the login code", "review"),
        ("review", "review"),
        ("REVIEW the login code!", "review"),
        ("  \"Review\" the login code", "review"),
        ("**Review** it", "review"),
        ("Audit the session handling", "review"),
        ("Test the parser", "test"),
        ("Document the public interface", "document"),
        ("Plan the next release", "plan"),
        ("Initialise the project", "init"),
        ("Deliver the health endpoint", "deliver"),
        ("review: the login code", "review"),
        ("Review.", "review"),
        // Verbs of nobody.
        ("Add a test for login", "-"),
        ("Fix the review page", "-"),
        ("Write a plan", "-"),
        ("Please review the code", "-"),
        ("I want to test this", "-"),
        ("Reviewing the code would be good", "-"),
        ("Reviews of users can be sorted", "-"),
        ("Tests fail on Windows", "-"),
        ("lean towards less code", "-"),
        ("Make it faster", "-"),
        ("", "-"),
        ("   ", "-"),
        (", , and", "-"),
        ("日本語のテスト", "-"),
        // Several verbs of one action.
        ("Review and audit the code", "review"),
        ("Review, audit the code", "review"),
        ("Review the code, then audit it", "review"),
        ("Review the code and then audit it", "review"),
        ("Review the code, and review it again", "review"),
        ("Review 1,000 lines of code", "review"),
        // A verb of an action beside one of nobody.
        ("Review the code and add tests", "-"),
        ("Add tests and review the code", "-"),
        ("Review login, the parser", "-"),
        ("Test the parser, then fix what fails", "-"),
        // Verbs of two actions.
        ("review and test everything", "review or test"),
        ("test and review everything", "review or test"),
        ("Review,test everything", "review or test"),
        ("Review the code, test it", "review or test"),
        ("Plan the work then review it", "plan or review"),
        ("Plan the work, review, and test it", "plan or review or test"),
        ("Review the code, test it and add more", "review or test"),
        ("Deliver the feature and document it", "deliver or document"),
        ("Review AND Test", "review or test"),
        // The word after "and" only.
        ("Review code and the test suite", "-"),
        ("Review the plan and test", "review or test"),
        ("Review the android test", "review"),
        ("Blog about the release", "blog"),
        ("Blog about the release and add a picture", "-"),
        ("Blog about it and review it", "review or blog"),
    ];
    assert!(table.len() >= 40);
    for (goal, expected) in table {
        assert_eq!(routed(goal), expected, "{goal:?}");
    }
}

#[test]
fn r058_a_word_of_two_actions_is_ambiguous() {
    let words = ["ship".to_owned()];
    let candidate = |name| Candidate { name, intent: &words };
    let found = route("Ship it", &[candidate("release"), candidate("deploy")]);
    assert_eq!(found, Route::Ambiguous(vec!["release".to_owned(), "deploy".to_owned()]));
}
