//! What GitHub would have done: labels and issues of the repository acme/shop.

use super::{Asked, TOKEN};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// GitHub gives at most a hundred entries a page; a small number makes every list a long one.
const PAGE_MAX: usize = 3;
/// Links to further pages name the repository by its number.
const BY_NUMBER: &str = "/repositories/1/";

#[derive(Debug, Default)]
pub struct Model {
    pub labels: Vec<Value>,
    pub issues: Vec<Value>,
    pub comments: Vec<Value>,
    /// The status label of each issue, whenever it was another one.
    pub moves: Vec<(u64, String)>,
}

type Answer = (u16, Vec<(String, String)>, String);

impl Model {
    pub fn add_label(&mut self, name: &str, colour: &str, description: Value) {
        self.labels.push(json!({ "name": name, "color": colour, "description": description }));
    }

    /// An issue that someone else made.
    pub fn add_issue(&mut self, association: &str, labels: &[&str], body: &str) -> u64 {
        let labels: Vec<Value> = labels.iter().map(|name| json!({ "name": name })).collect();
        let number = self.issues.len() as u64 + 1;
        self.issues.push(json!({
            "number": number, "title": "by somebody", "body": body, "state": "open", "state_reason": null,
            "labels": labels, "author_association": association, "user": { "login": "eve", "type": "User" },
        }));
        number
    }

    pub fn answer(&mut self, asked: &Asked, address: SocketAddr) -> Answer {
        if asked.header("authorization") != Some(&format!("Bearer {TOKEN}")) {
            return refusal(401, "Bad credentials");
        }
        let named = asked.path.strip_prefix("/repos/acme/shop/");
        let Some(rest) = named.or(asked.path.strip_prefix(BY_NUMBER)) else {
            return refusal(404, "Not Found");
        };
        let parts: Vec<&str> = rest.split('/').collect();
        match (asked.method.as_str(), &parts[..]) {
            ("GET", ["labels"]) => page(&self.labels, asked, address),
            ("POST", ["labels"]) => self.make_label(&asked.body),
            ("GET", ["labels", name]) => match self.label(name) {
                Some(at) => good(200, &self.labels[at]),
                None => refusal(404, "Not Found"),
            },
            ("PATCH", ["labels", name]) => self.change_label(name, &asked.body),
            ("GET", ["issues"]) => self.list(asked, address),
            ("POST", ["issues"]) => self.make_issue(&asked.body),
            ("GET", ["issues", number]) => match self.issue(number) {
                Some(at) => good(200, &self.issues[at]),
                None => refusal(404, "Not Found"),
            },
            ("PATCH", ["issues", number]) => self.change_issue(number, &asked.body),
            ("GET", ["issues", number, "comments"]) => {
                let of = |comment: &&Value| comment["issue"].as_u64() == number.parse().ok();
                let found: Vec<Value> = self.comments.iter().filter(of).cloned().collect();
                page(&found, asked, address)
            }
            ("POST", ["issues", number, "comments"]) => self.make_comment(number, &asked.body),
            _ => refusal(404, "Not Found"),
        }
    }

    fn label(&self, encoded: &str) -> Option<usize> {
        let name = encoded.replace("%3A", ":");
        let is = |label: &Value| label["name"].as_str().unwrap().eq_ignore_ascii_case(&name);
        self.labels.iter().position(is)
    }

    fn make_label(&mut self, body: &Value) -> Answer {
        let name = body["name"].as_str().unwrap_or_default();
        if self.label(name).is_some() {
            return invalid("Label", "name", "already_exists");
        }
        if let Some(refused) = refused_label(body) {
            return refused;
        }
        let label =
            json!({ "name": name, "color": body["color"], "description": body["description"] });
        self.labels.push(label.clone());
        good(201, &label)
    }

    fn change_label(&mut self, name: &str, body: &Value) -> Answer {
        let Some(at) = self.label(name) else { return refusal(404, "Not Found") };
        if let Some(refused) = refused_label(body) {
            return refused;
        }
        for (from, to) in [("new_name", "name"), ("color", "color"), ("description", "description")]
        {
            if !body[from].is_null() {
                self.labels[at][to] = body[from].clone();
            }
        }
        good(200, &self.labels[at])
    }

    fn list(&self, asked: &Asked, address: SocketAddr) -> Answer {
        let is_wanted =
            |issue: &&Value| asked.query("state") == Some("all") || issue["state"] == "open";
        let mut found: Vec<Value> = self.issues.iter().filter(is_wanted).cloned().collect();
        if asked.query("direction") != Some("asc") {
            found.reverse();
        }
        page(&found, asked, address)
    }

    fn issue(&self, number: &str) -> Option<usize> {
        let number: u64 = number.parse().ok()?;
        self.issues.iter().position(|issue| issue["number"] == number)
    }

    fn make_issue(&mut self, body: &Value) -> Answer {
        if body["title"].as_str().is_none_or(|title| title.trim().is_empty() || title.len() > 256) {
            return invalid("Issue", "title", "missing_field");
        }
        let number = self.add_issue("OWNER", &[], body["body"].as_str().unwrap_or_default());
        let at = number as usize - 1;
        self.issues[at]["title"] = body["title"].clone();
        self.set_labels(at, &body["labels"]);
        good(201, &self.issues[at])
    }

    fn change_issue(&mut self, number: &str, body: &Value) -> Answer {
        let Some(at) = self.issue(number) else { return refusal(404, "Not Found") };
        for key in ["title", "body", "state", "state_reason"] {
            if !body[key].is_null() {
                self.issues[at][key] = body[key].clone();
            }
        }
        if !body["labels"].is_null() {
            self.set_labels(at, &body["labels"]);
        }
        good(200, &self.issues[at])
    }

    fn make_comment(&mut self, number: &str, body: &Value) -> Answer {
        let Some(at) = self.issue(number) else { return refusal(404, "Not Found") };
        let comment = json!({
            "issue": self.issues[at]["number"], "body": body["body"], "author_association": "OWNER",
        });
        self.comments.push(comment.clone());
        good(201, &comment)
    }

    /// Labels that nobody made before are made with an issue, grey and without a description.
    fn set_labels(&mut self, at: usize, names: &Value) {
        let mut labels = Vec::new();
        for name in names.as_array().into_iter().flatten() {
            let name = name.as_str().unwrap();
            if self.label(name).is_none() {
                self.add_label(name, "ededed", Value::Null);
            }
            labels.push(self.labels[self.label(name).unwrap()].clone());
        }
        self.issues[at]["labels"] = Value::Array(labels);
        let named = self.issues[at]["labels"].as_array().into_iter().flatten();
        let status = named.filter_map(|l| l["name"].as_str()).find(|n| n.starts_with("status:"));
        if let Some(status) = status.map(str::to_owned) {
            let number = self.issues[at]["number"].as_u64().unwrap();
            let last = self.moves.iter().rev().find(|(of, _)| *of == number);
            if last.is_none_or(|(_, last)| *last != status) {
                self.moves.push((number, status));
            }
        }
    }
}

fn refused_label(body: &Value) -> Option<Answer> {
    let colour = body["color"].as_str().unwrap_or_default();
    if colour.len() != 6 || !colour.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Some(invalid("Label", "color", "invalid"));
    }
    let is_long = body["description"].as_str().is_some_and(|text| text.chars().count() > 100);
    is_long.then(|| invalid("Label", "description", "invalid"))
}

fn page(all: &[Value], asked: &Asked, address: SocketAddr) -> Answer {
    let number = |name: &str, usual: usize| {
        asked.query(name).and_then(|text| text.parse::<usize>().ok()).unwrap_or(usual)
    };
    let size = number("per_page", 30).min(PAGE_MAX);
    let at = number("page", 1);
    let shown: Vec<Value> = all.iter().skip((at - 1) * size).take(size).cloned().collect();
    let last = all.len().div_ceil(size).max(1);
    let query: Vec<&str> =
        asked.query.split('&').filter(|pair| !pair.starts_with("page=")).collect();
    let link = |page: usize, rel: &str| {
        let path = asked.path.replace("/repos/acme/shop/", BY_NUMBER);
        format!("<http://{address}{path}?{}&page={page}>; rel=\"{rel}\"", query.join("&"))
    };
    let mut links = Vec::new();
    if at > 1 {
        links.push(link(at - 1, "prev"));
    }
    if at < last {
        links.push(link(at + 1, "next"));
        links.push(link(last, "last"));
    }
    let headers = match links.is_empty() {
        true => Vec::new(),
        false => vec![("Link".to_owned(), links.join(", "))],
    };
    (200, headers, Value::Array(shown).to_string())
}

fn good(status: u16, body: &Value) -> Answer {
    (status, Vec::new(), body.to_string())
}

fn refusal(status: u16, message: &str) -> Answer {
    (status, Vec::new(), json!({ "message": message, "status": status.to_string() }).to_string())
}

fn invalid(resource: &str, field: &str, code: &str) -> Answer {
    let errors = json!([{ "resource": resource, "field": field, "code": code }]);
    let body = json!({ "message": "Validation Failed", "errors": errors });
    (422, Vec::new(), body.to_string())
}
