//! Where the text of a role comes from.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use std::fs;
use tempfile::TempDir;

struct Tree(TempDir);

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            tree.write(path, text);
        }
        tree
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn find(&self, role: Role, called: Option<&str>) -> Result<FoundRole, MissingRole> {
        super::find(&Layout::new(self.0.path()), role, called)
    }

    #[track_caller]
    fn source(&self, role: Role, called: Option<&str>) -> String {
        self.find(role, called).unwrap().source
    }

    #[track_caller]
    fn missing(&self, role: Role, called: Option<&str>) -> String {
        self.find(role, called).unwrap_err().detail
    }
}

fn skill_of(name: &str, rest: &str) -> String {
    format!("---\nname: {name}\ndescription: Ours\n{rest}---\n\nBe quick.\n")
}

#[test]
fn r057_the_repositorys_folder_counts_before_everything_else() {
    let own = skill_of("coder", "");
    let tree =
        Tree::new(&[(".claude/agents/coder.md", "---\nname: coder\n---\nOf another tool.\n")]);
    assert_eq!(tree.source(Role::Coder, None), ".claude/agents/coder.md");
    tree.write("agents/coder/SKILL.md", &own);
    let found = tree.find(Role::Coder, None).unwrap();
    assert_eq!(
        (found.source.as_str(), found.file.body.trim()),
        ("agents/coder/SKILL.md", "Be quick.")
    );
    // It says nothing about writing, so that of the built-in one holds.
    assert_eq!(found.file.writes, ["**"]);
    assert_eq!(tree.source(Role::Architect, None), BUILT_IN);
}

#[test]
fn r148_a_folder_without_a_role_file_hides_nothing_and_a_broken_one_means_that_the_role_is_missing()
{
    let tree = Tree::new(&[("agents/coder/notes.txt", "")]);
    assert_eq!(tree.source(Role::Coder, None), BUILT_IN);
    tree.write("agents/coder/SKILL.md", "---\nname: coder\nwrites: a\nartefacts: [../x]\n---\n");
    let detail = tree.missing(Role::Coder, None);
    for words in ["SKILL.md:3", "SKILL.md:4", "no text"] {
        assert!(detail.contains(words), "{words}: {detail}");
    }
    tree.write("agents/coder/SKILL.md", &skill_of("coder", "role: QA\n"));
    assert!(tree.missing(Role::Coder, None).contains("is the text of QA"));
    fs::write(tree.0.path().join("agents/coder/SKILL.md"), b"---\xff\n").unwrap();
    assert!(tree.missing(Role::Coder, None).contains("UTF-8"));
}

#[test]
fn r057_a_link_out_of_the_repository_is_not_followed() {
    let tree = Tree::new(&[("outside/SKILL.md", &skill_of("coder", ""))]);
    fs::create_dir(tree.0.path().join("agents")).unwrap();
    let link = tree.0.path().join("agents/coder");
    std::os::unix::fs::symlink(tree.0.path().join("outside"), link).unwrap();
    assert!(tree.missing(Role::Coder, None).contains("agents/coder/SKILL.md"));
}

#[test]
fn names_of_other_conventions_have_texts_of_their_own_or_those_of_their_role() {
    let tree = Tree::new(&[]);
    let text = |called| tree.find(Role::Coder, Some(called)).unwrap().file.name;
    assert_eq!(text("backend-developer"), "backend-developer");
    assert_eq!(text("implementor"), "coder");
    assert!(tree.missing(Role::Coder, Some("wizard")).contains("agents/wizard/SKILL.md"));
    assert!(tree.missing(Role::Docs, Some("implementor")).contains("implementor"));
    tree.write(".github/agents/wizard.agent.md", "Only words, no front matter.\n");
    let wizard = tree.find(Role::Coder, Some("wizard")).unwrap();
    assert_eq!(wizard.source, ".github/agents/wizard.agent.md");
    assert_eq!((wizard.file.writes.len(), wizard.file.name.as_str()), (1, "wizard"));
    tree.write("agents/wizard/SKILL.md", &skill_of("wizard", "role: Coder\nwrites: [src/]\n"));
    assert_eq!(tree.find(Role::Coder, Some("wizard")).unwrap().file.writes, ["src/"]);
}

#[test]
fn agent_files_of_other_tools_may_have_any_field_and_odd_yaml() {
    let odd = "---\nname: reviewer\ndescription: Use this: when code is ready\ntools: Read, Grep\nmodel: opus\ncolor: red\n---\n\nLook closely.\n";
    let tree = Tree::new(&[(".claude/agents/reviewer.md", odd)]);
    let found = tree.find(Role::Reviewer, None).unwrap();
    assert_eq!((found.file.role, found.file.body.trim()), (Role::Reviewer, "Look closely."));
    tree.write(".claude/agents/reviewer.md", "---\nname: reviewer\n---\n\n");
    assert!(tree.missing(Role::Reviewer, None).contains("no text"));
}
