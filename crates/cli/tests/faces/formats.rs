//! `tollgate report` in the formats of other programs: JUnit XML of the checks, and the provenance of the commit.

use crate::support::plan::{Planned, planner};
use crate::support::{APPROVE, PER_BATCH, Repo, files_below};
use roxmltree::{Document, Node};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;

/// Signs that XML cannot say, an end of an element, and what a terminal would obey.
const HOSTILE: &str = "bad ]]></failure></testsuites>\u{1b}[31mred\u{0}\u{fffe} & \"quoted\"\n";
const CHECK: &str = "cat app.txt; ! grep -q bad app.txt";

/// A task whose check passes while app.txt is not bad; the Coder writes these texts, one after the other.
fn checked(check: &'static str, texts: &[&str]) -> Repo {
    let checks = Box::leak(format!("[{:?}]", format!("cmd: {check}")).into_boxed_str());
    let task = Planned { checks, ..Planned::new("T-001", "app.txt") };
    let mut rules = vec![planner(&[task])];
    rules.extend(texts.iter().enumerate().map(|(index, text)| {
        json!({"when": {"role": "Coder", "nth": index + 1}, "do": {"write": {"app.txt": text}}})
    }));
    Repo::with(Value::Array(rules))
}

fn junit(repo: &Repo) -> String {
    let ran = repo.tollgate(&["report", "--junit"]).exits(0);
    assert_eq!(ran.err, "");
    ran.out
}

fn children<'a>(of: Node<'a, 'a>, name: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    of.children().filter(move |node| node.has_tag_name(name))
}

/// Ant's schema in short: which elements there are, in which order, and with which attributes. It is the strictest one.
#[track_caller]
fn expect_the_schema(document: &Document<'_>) {
    let names = |node: Node<'_, '_>| -> Vec<String> {
        let elements = node.children().filter(Node::is_element);
        elements.map(|node| node.tag_name().name().to_owned()).collect()
    };
    let attributes = |node: Node<'_, '_>| -> Vec<String> {
        let mut names: Vec<String> = node.attributes().map(|one| one.name().to_owned()).collect();
        names.sort();
        names
    };
    let root = document.root_element();
    assert!(root.has_tag_name("testsuites") && root.attributes().len() == 0);
    for (index, suite) in children(root, "testsuite").enumerate() {
        let of = ["errors", "failures", "hostname", "id", "name", "package", "skipped", "tests"];
        assert_eq!(attributes(suite), [&of[..], &["time", "timestamp"]].concat());
        assert_eq!(suite.attribute("id"), Some(index.to_string().as_str()));
        let at = suite.attribute("timestamp").unwrap();
        let form: String = at.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        assert_eq!(form, "0000-00-00T00:00:00");
        let cases: Vec<Node<'_, '_>> = children(suite, "testcase").collect();
        let mut expected = vec!["properties".to_owned()];
        expected.extend(cases.iter().map(|_| "testcase".to_owned()));
        expected.extend(["system-out".to_owned(), "system-err".to_owned()]);
        assert_eq!(names(suite), expected);
        let count = |name: &str| {
            let with = cases.iter().filter(|case| children(**case, name).next().is_some());
            Some(with.count().to_string())
        };
        assert_eq!(suite.attribute("tests"), Some(cases.len().to_string().as_str()));
        assert_eq!(suite.attribute("failures"), count("failure").as_deref());
        assert_eq!(suite.attribute("skipped"), count("skipped").as_deref());
        for case in cases {
            assert_eq!(attributes(case), ["classname", "name", "time"]);
            assert!(case.attribute("time").unwrap().parse::<f64>().unwrap() >= 0.0);
            assert!(names(case).len() <= 1, "{:?}", names(case));
            for failure in children(case, "failure") {
                assert_eq!(attributes(failure), ["message", "type"]);
            }
        }
    }
}

/// The value of a property of a suite.
fn told<'a>(suite: Node<'a, 'a>, name: &str) -> &'a str {
    let properties = children(suite, "properties").next().unwrap();
    let name = format!("tollgate.{name}");
    let mut all = children(properties, "property");
    all.find(|one| one.attribute("name") == Some(&name)).unwrap().attribute("value").unwrap()
}

#[test]
fn r194_what_failed_and_was_repaired_is_in_the_junit_and_fails_nothing() {
    let repo = checked(CHECK, &[HOSTILE, "good\n"]);
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let xml = junit(&repo);
    let document = Document::parse(&xml).unwrap();
    expect_the_schema(&document);
    let suites: Vec<Node<'_, '_>> = children(document.root_element(), "testsuite").collect();
    let started = repo.events("checks_started");
    assert_eq!(suites.len(), started.len(), "every run is there");
    let first = suites[0];
    assert_eq!((first.attribute("name"), told(first, "last")), (Some("T-001"), "false"));
    assert_eq!((told(first, "holds"), told(first, "tree")), ("false", "workspace"));
    let case = children(first, "testcase").next().unwrap();
    assert_eq!(case.attribute("name"), Some(CHECK));
    let why = children(case, "skipped").next().unwrap().attribute("message").unwrap();
    assert_eq!(why, "failed (exit code 1), and ran again in run 2");
    let said = children(first, "system-out").next().unwrap().text().unwrap();
    assert!(said.contains("]]></failure></testsuites>red & \"quoted\""), "{said}");
    let last = suites.last().unwrap();
    assert_eq!((last.attribute("name"), told(*last, "last")), (Some("acceptance"), "true"));
    assert_eq!((told(*last, "holds"), told(*last, "tree")), ("true", "fresh clone"));
    let run = tollgate_contract::junit::read(&xml, "junit.xml").unwrap();
    let commands: usize = started.iter().map(|run| run["commands"].as_array().unwrap().len()).sum();
    assert_eq!(run.tests, u64::try_from(commands).unwrap(), "every command is there");
    assert_eq!((run.skipped, run.failures), (1, Vec::new()));
}

#[test]
fn r194_what_fails_now_is_a_failure_with_its_exit_code_and_the_end_of_its_output() {
    let repo = checked(CHECK, &[HOSTILE, HOSTILE, HOSTILE, HOSTILE]);
    repo.through(&[APPROVE, PER_BATCH]).exits(4);
    let xml = junit(&repo);
    let document = Document::parse(&xml).unwrap();
    expect_the_schema(&document);
    let failures: Vec<Node<'_, '_>> =
        document.descendants().filter(|node| node.has_tag_name("failure")).collect();
    assert_eq!(failures.len(), 1, "those before were replaced");
    assert_eq!(failures[0].attribute("message"), Some("exit code 1"));
    assert!(failures[0].text().unwrap().contains("</testsuites>red & \"quoted\""), "{xml}");
    let run = tollgate_contract::junit::read(&xml, "junit.xml").unwrap();
    assert_eq!(run.failures.len(), 1);
    assert_eq!((run.failures[0].class.as_str(), run.failures[0].is_error), ("T-001", false));
}

#[test]
fn r194_checks_that_cannot_run_and_that_a_person_waived_are_skipped() {
    let repo = checked("no-such-tool", &[]);
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    let xml = junit(&repo);
    assert!(xml.contains("<skipped message=\"it cannot be run here: exit code 127\"/>"), "{xml}");
    repo.answer("UD-1", "waive: it runs in CI only").exits(0);
    let xml = junit(&repo);
    expect_the_schema(&Document::parse(&xml).unwrap());
    assert!(xml.contains("<skipped message=\"waived: it runs in CI only\"/>"), "{xml}");
    let file = repo.outside("junit.xml");
    repo.tollgate(&["report", "--junit", "-o", file.to_str().unwrap()]).exits(0);
    assert_eq!(fs::read_to_string(&file).unwrap().trim_end(), xml.trim_end());
}

fn done() -> Repo {
    let repo = Repo::new();
    repo.git(&["remote", "add", "origin", "https://me:secret@git.example.com/a/b.git"]);
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    repo
}

fn provenance(repo: &Repo) -> Value {
    let ran = repo.tollgate(&["report", "--provenance"]).exits(0);
    serde_json::from_str(&ran.out).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// A resource has an address, a digest or a content, and no field that in-toto does not know.
#[track_caller]
fn expect_a_resource(resource: &Value) {
    let known =
        ["annotations", "content", "digest", "downloadLocation", "mediaType", "name", "uri"];
    assert!(keys(resource).iter().all(|key| known.contains(key)), "{resource}");
    let is_named = ["uri", "digest", "content"].iter().any(|key| resource.get(key).is_some());
    assert!(is_named, "{resource}");
    for (kind, digest) in resource["digest"].as_object().into_iter().flatten() {
        let digest = digest.as_str().unwrap();
        let chars = if kind == "sha256" { 64 } else { 40 };
        let is_hex = digest.bytes().all(|byte| b"0123456789abcdef".contains(&byte));
        assert!(digest.len() == chars && is_hex, "{kind}: {digest}");
    }
    for name in resource.get("annotations").map(keys).unwrap_or_default() {
        assert!(name.starts_with("tollgate_"), "a field of ours has our name: {name}");
    }
}

#[test]
fn r194_provenance_names_the_commit_and_all_that_led_to_it() {
    let repo = done();
    let (name, statement) = (repo.session_name(), provenance(&repo));
    assert_eq!(keys(&statement), ["_type", "predicate", "predicateType", "subject"]);
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(statement["predicateType"], "https://slsa.dev/provenance/v1");
    let rev = |words: &str| repo.git(&["rev-parse", words]).trim().to_owned();
    let branch = format!("tollgate/{name}");
    let tip = rev(&branch);
    assert_eq!(
        statement["subject"],
        json!([
            {"name": branch, "digest": {"gitCommit": tip, "sha1": tip}},
            {"name": format!("{branch}^{{tree}}"), "digest": {"gitTree": rev(&format!("{branch}^{{tree}}"))}},
        ])
    );
    let predicate = &statement["predicate"];
    assert_eq!(keys(predicate), ["buildDefinition", "runDetails"]);
    let build = &predicate["buildDefinition"];
    assert_eq!(keys(build), ["buildType", "externalParameters", "resolvedDependencies"]);
    assert_eq!(build["buildType"], "urn:tollgate:session:v1");
    assert_eq!(build["externalParameters"]["goal"], crate::support::GOAL);
    assert_eq!(build["externalParameters"]["action"], "deliver");
    assert_eq!(build["externalParameters"]["startedFrom"], "refs/heads/main");
    let dependencies = build["resolvedDependencies"].as_array().unwrap();
    dependencies.iter().for_each(expect_a_resource);
    let (base, uri) = (rev("main"), "git+https://git.example.com/a/b.git@refs/heads/main");
    let digest = json!({"gitCommit": base, "sha1": base});
    assert_eq!(dependencies[0], json!({"name": "base", "uri": uri, "digest": digest}));
    let named = |what: &str| dependencies.iter().filter(|one| one["name"] == what).count();
    assert_eq!((named("action deliver"), named("role Coder"), named("agent crew")), (1, 1, 1));
    let run = &predicate["runDetails"];
    assert_eq!(keys(run), ["builder", "byproducts", "metadata"]);
    let version = json!({"tollgate": env!("CARGO_PKG_VERSION")});
    assert_eq!(run["builder"], json!({"id": "urn:tollgate:builder:local:v1", "version": version}));
    assert_eq!(keys(&run["metadata"]), ["finishedOn", "invocationId", "startedOn"]);
    assert_eq!(run["metadata"]["invocationId"], name);
    run["byproducts"].as_array().unwrap().iter().for_each(expect_a_resource);
    assert!(!statement.to_string().contains("secret"), "{statement:#}");
}

#[test]
fn r194_provenance_has_the_journal_the_proofs_and_who_decided_what() {
    let repo = done();
    let statement = provenance(&repo);
    let byproducts = statement["predicate"]["runDetails"]["byproducts"].as_array().unwrap();
    let bytes = fs::read(repo.session().join("journal.jsonl")).unwrap();
    let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(byproducts[0]["digest"]["sha256"], hash);
    let notes = &byproducts[0]["annotations"];
    let verified = repo.tollgate(&["audit", "--verify", "--json"]).exits(0);
    let verified: Value = serde_json::from_str(&verified.out).unwrap();
    assert_eq!(notes["tollgate_lastHash"], verified["last_hash"]);
    assert_eq!(notes["tollgate_records"], verified["records"]);
    let decision = &notes["tollgate_decisions"][0];
    assert_eq!((&decision["id"], &decision["answer"]), (&json!(APPROVE.0), &json!(APPROVE.1)));
    assert_eq!(decision["by"], "person");
    let shown = &decision["shown"][0];
    let path = repo.session().join(shown["name"].as_str().unwrap());
    let text = fs::read(path).unwrap();
    let hash: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(shown["digest"]["sha256"], hash, "what was approved is what is there");
    assert_eq!(notes["tollgate_criteria"][0]["result"]["result"], "met");
    let checks = notes["tollgate_checks"].as_array().unwrap();
    assert!(!checks.is_empty() && checks.iter().all(|check| check["passed"] == true));
}

#[test]
fn r194_a_branch_that_was_moved_later_changes_no_provenance() {
    let repo = done();
    let branch = format!("tollgate/{}", repo.session_name());
    let before = provenance(&repo);
    repo.git(&["checkout", "--quiet", &branch]);
    repo.write("app.txt", "changed by hand\n");
    repo.git(&["commit", "--quiet", "--all", "--message", "later"]);
    let now = repo.git(&["rev-parse", "HEAD"]);
    let ran = repo.tollgate(&["report", "--provenance"]).exits(0);
    let ran = ran.says(&format!("is at {} now", now.trim())).says("which the session made");
    assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), before);
    repo.git(&["checkout", "--quiet", "main"]);
    repo.git(&["branch", "-D", &branch]);
    let ran = repo.tollgate(&["report", "--provenance"]).exits(0).says("is gone");
    assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), before);
}

#[test]
fn r194_only_a_session_that_is_done_and_whose_journal_holds_has_provenance() {
    let repo = Repo::new();
    repo.run().exits(3);
    let ran = repo.tollgate(&["report", "--provenance"]).exits(1).says("has no provenance");
    assert!(ran.says("your-turn").says("cli.provenance").out.is_empty());
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    provenance(&repo);
    let journal = repo.session().join("journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.replacen("\"goal\":\"Add", "\"goal\":\"Put", 1)).unwrap();
    let ran = repo.tollgate(&["report", "--provenance"]).exits(6);
    assert!(ran.out.is_empty());
    assert!(!files_below(&repo.root()).is_empty());
}
