//! The names that a file offers to others, by its grammar.

use super::FILE_BYTES_MAX;
use super::code;
use super::form::{Form, Language};
use std::collections::BTreeSet;
use tree_sitter::Node;

/// None where the language has no grammar here, or the text does not parse: nothing can be told then.
pub fn exported(path: &str, text: &str) -> Option<BTreeSet<String>> {
    let Some(Form::Code(language)) = Form::of(path) else { return None };
    if text.len() > FILE_BYTES_MAX {
        return None;
    }
    code::with_tree(language, text, |root| {
        let mut names = Names { text, language, found: BTreeSet::new() };
        names.look(root, "", 0);
        names.found
    })
}

/// Declarations inside declarations; nobody nests what is public deeper.
const DEPTH_MAX: u32 = 8;

struct Names<'a> {
    text: &'a str,
    language: Language,
    found: BTreeSet<String>,
}

impl<'a> Names<'a> {
    /// Declarations right below a node; `owner` is what they are part of.
    fn look(&mut self, node: Node<'_>, owner: &str, depth: u32) {
        if depth > DEPTH_MAX {
            return;
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match self.language {
                Language::Rust => self.rust(child, owner, depth),
                Language::JavaScript | Language::TypeScript | Language::Tsx => self.script(child),
                Language::Python => self.python(child, owner, depth),
                Language::Go => self.go(child),
                Language::Java | Language::CSharp => self.marked(child, owner, depth),
                Language::Php => self.php(child, owner, depth),
                Language::Ruby => self.ruby(child, owner, depth),
            }
        }
    }

    fn rust(&mut self, node: Node<'_>, owner: &str, depth: u32) {
        let is_public = child_of(node, "visibility_modifier").is_some_and(|v| self.of(v) == "pub");
        match node.kind() {
            "impl_item" => {
                let own = node.child_by_field_name("type").map(|of| self.of(of)).unwrap_or("");
                // What a trait demands has the visibility of the trait.
                if node.child_by_field_name("trait").is_none() {
                    self.below(node, "body", own, depth);
                }
            }
            "use_declaration" if is_public => self.add(owner, self.of(node).to_owned()),
            "mod_item" if is_public => {
                let name = self.name(node, owner);
                self.below(node, "body", &name, depth);
            }
            _ if is_public => {
                self.name(node, owner);
            }
            _ => {}
        }
    }

    fn script(&mut self, node: Node<'_>) {
        match node.kind() {
            "export_statement" => self.exported_by(node),
            "expression_statement" => self.exported_by_assignment(node),
            _ => {}
        }
    }

    fn exported_by(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "default" => self.add("", "default".to_owned()),
                "export_clause" => {
                    let mut inner = child.walk();
                    for one in child.named_children(&mut inner) {
                        let name =
                            one.child_by_field_name("alias").or(one.child_by_field_name("name"));
                        let name = name.map(|name| self.of(name).to_owned());
                        name.into_iter().for_each(|name| self.add("", name));
                    }
                }
                "*" | "namespace_export" => self.add("", self.of(node).to_owned()),
                "lexical_declaration" | "variable_declaration" => {
                    let mut inner = child.walk();
                    for one in child.named_children(&mut inner) {
                        self.name(one, "");
                    }
                }
                _ if child.is_named() => {
                    self.name(child, "");
                }
                _ => {}
            }
        }
    }

    /// `exports.a = …`, `module.exports.a = …` and `module.exports = { a, b }`.
    fn exported_by_assignment(&mut self, node: Node<'_>) {
        let Some(set) = node.named_child(0).filter(|n| n.kind() == "assignment_expression") else {
            return;
        };
        let left = set.child_by_field_name("left").map(|left| self.of(left)).unwrap_or_default();
        if left == "module.exports" {
            let right = set.child_by_field_name("right").filter(|right| right.kind() == "object");
            let Some(right) = right else { return self.add("", "default".to_owned()) };
            let mut cursor = right.walk();
            for one in right.named_children(&mut cursor) {
                let key = one.child_by_field_name("key").or(one.child_by_field_name("name"));
                let key = self.of(key.unwrap_or(one)).to_owned();
                self.add("", key);
            }
        } else if let Some(name) =
            left.strip_prefix("module.exports.").or(left.strip_prefix("exports."))
        {
            self.add("", name.to_owned());
        }
    }

    fn python(&mut self, node: Node<'_>, owner: &str, depth: u32) {
        match node.kind() {
            "decorated_definition" => self.look(node, owner, depth + 1),
            "function_definition" | "class_definition" => {
                let own = node.child_by_field_name("name").map(|name| self.of(name)).unwrap_or("");
                if own.starts_with('_') {
                    return;
                }
                let name = self.name(node, owner);
                if node.kind() == "class_definition" {
                    self.below(node, "body", &name, depth);
                }
            }
            "expression_statement" if owner.is_empty() => {
                let set = node.named_child(0).filter(|n| n.kind() == "assignment");
                let left = set.and_then(|set| set.child_by_field_name("left"));
                let left =
                    left.filter(|left| left.kind() == "identifier").map(|left| self.of(left));
                if let Some(name) = left.filter(|name| !name.starts_with('_')) {
                    self.add("", name.to_owned());
                }
            }
            _ => {}
        }
    }

    fn go(&mut self, node: Node<'_>) {
        let is_exported = |name: &str| name.starts_with(char::is_uppercase);
        match node.kind() {
            "function_declaration" | "method_declaration" => {
                let on = node.child_by_field_name("receiver").map(|on| self.of(on).to_owned());
                let name = node.child_by_field_name("name").map(|name| self.of(name).to_owned());
                if let Some(name) = name.filter(|name| is_exported(name)) {
                    let on = on.unwrap_or_default();
                    let kind = on.trim_matches(['(', ')']).rsplit([' ', '*']).next();
                    self.add(kind.unwrap_or_default(), name);
                }
            }
            "type_declaration" | "const_declaration" | "var_declaration" | "var_spec_list" => {
                let mut cursor = node.walk();
                for one in node.named_children(&mut cursor) {
                    if one.kind() == "var_spec_list" {
                        self.go(one);
                        continue;
                    }
                    let name = one.child_by_field_name("name").map(|name| self.of(name).to_owned());
                    name.filter(|name| is_exported(name)).into_iter().for_each(|n| self.add("", n));
                }
            }
            _ => {}
        }
    }

    /// Java and C#: what has the word `public` before it.
    fn marked(&mut self, node: Node<'_>, owner: &str, depth: u32) {
        match node.kind() {
            "namespace_declaration" | "file_scoped_namespace_declaration" | "declaration_list" => {
                return self.look(node, owner, depth + 1);
            }
            _ => {}
        }
        let mut cursor = node.walk();
        let is_public = node.children(&mut cursor).any(|child| {
            matches!(child.kind(), "modifiers" | "modifier")
                && self.of(child).split_whitespace().any(|word| word == "public")
        });
        let is_of_interface = owner.starts_with("interface ");
        if !is_public && !is_of_interface {
            return;
        }
        let mark = if node.kind() == "interface_declaration" { "interface " } else { "" };
        let name = self.name(node, owner.trim_start_matches("interface "));
        if name.is_empty() {
            let mut cursor = node.walk();
            for one in node.named_children(&mut cursor) {
                let declares = matches!(one.kind(), "variable_declarator" | "variable_declaration");
                if declares && self.name(one, owner).is_empty() {
                    let mut inner = one.walk();
                    for declared in one.named_children(&mut inner) {
                        self.name(declared, owner);
                    }
                }
            }
        }
        self.below(node, "body", &format!("{mark}{name}"), depth);
    }

    fn php(&mut self, node: Node<'_>, owner: &str, depth: u32) {
        match node.kind() {
            "namespace_definition" => self.below(node, "body", owner, depth),
            "method_declaration" | "property_declaration" | "const_declaration" => {
                let hidden = child_of(node, "visibility_modifier").map(|v| self.of(v));
                if hidden.is_none_or(|word| word == "public") {
                    self.name(node, owner);
                }
            }
            "function_definition"
            | "class_declaration"
            | "interface_declaration"
            | "trait_declaration"
            | "enum_declaration" => {
                let name = self.name(node, owner);
                if node.kind() != "function_definition" {
                    self.below(node, "body", &name, depth);
                }
            }
            _ => {}
        }
    }

    fn ruby(&mut self, node: Node<'_>, owner: &str, depth: u32) {
        match node.kind() {
            "class" | "module" => {
                let name = self.name(node, owner);
                self.below(node, "body", &name, depth);
            }
            "method" | "singleton_method" => {
                self.name(node, owner);
            }
            _ => {}
        }
    }

    fn below(&mut self, node: Node<'_>, field: &str, owner: &str, depth: u32) {
        if let Some(body) = node.child_by_field_name(field) {
            self.look(body, owner, depth + 1);
        }
    }

    /// Adds the name of a declaration; empty where it has none.
    fn name(&mut self, node: Node<'_>, owner: &str) -> String {
        let name = node.child_by_field_name("name").map(|name| self.of(name).to_owned());
        let Some(name) = name.filter(|name| !name.is_empty()) else { return String::new() };
        self.add(owner, name.clone());
        if owner.is_empty() { name } else { format!("{owner}.{name}") }
    }

    fn add(&mut self, owner: &str, name: String) {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        self.found.insert(if owner.is_empty() { name } else { format!("{owner}.{name}") });
    }

    fn of(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }
}

fn child_of<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == kind)
}

#[cfg(test)]
mod tests {
    use super::exported;

    #[test]
    fn r161_what_a_file_exports_is_known_in_the_common_languages() {
        for (path, text, names) in [
            (
                "a.rs",
                "pub fn a() {}\nfn b() {}\npub(crate) fn c() {}\npub struct D;\nimpl D { pub fn e(&self) {} fn f() {} }\n\
                 impl Clone for D { fn clone(&self) -> D { D } }\npub mod m { pub const G: u8 = 1; }\npub use x::y;",
                "D D.e a m m.G pub use x::y;",
            ),
            (
                "a.ts",
                "export function a() {}\nexport const b = 1, c = 2;\nfunction d() {}\nexport { d as e };\n\
                 export default class F {}\nexport interface G {}\nexport type H = 1;\nexport * from './x';",
                "F G H a b c default e export * from './x';",
            ),
            ("a.js", "exports.a = 1;\nmodule.exports.b = 2;\nlet c = 3;", "a b"),
            ("b.js", "module.exports = { a, b: 1 };", "a b"),
            (
                "a.py",
                "A = 1\n_b = 2\ndef c(): pass\n@x\ndef d(): pass\nclass E:\n    def f(self): pass\n    def _g(self): pass\n",
                "A E E.f c d",
            ),
            (
                "a.go",
                "package a\nfunc A() {}\nfunc b() {}\nfunc (t *T) C() {}\ntype T struct{}\nconst D = 1\nvar e = 2\n",
                "A D T T.C",
            ),
            (
                "A.java",
                "public class A { public int b() { return 1; } void c() {} public static final int D = 1; }",
                "A A.D A.b",
            ),
            (
                "A.cs",
                "namespace N { public class A { public int B() => 1; int C() => 2; } }",
                "A A.B",
            ),
            (
                "a.php",
                "<?php function a() {} class B { public function c() {} private function d() {} }",
                "B B.c a",
            ),
            ("a.rb", "class A\n  def b; end\nend\ndef c; end\n", "A A.b c"),
        ] {
            let found = exported(path, text);
            let found: Vec<String> = found.into_iter().flatten().collect();
            assert_eq!(found.join(" "), names, "{path}");
        }
        assert_eq!(exported("a.txt", "x"), None);
        assert_eq!(exported("a.rs", "pub fn ("), None);
    }
}
