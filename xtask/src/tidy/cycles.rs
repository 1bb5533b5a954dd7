//! The files of a folder do not import each other in circles: each can be read after those that it uses.

use super::Problem;
use crate::source::{SourceFile, is_word};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The sources whose folders are looked at, each from the root of its crate.
const CRATES: [&str; 15] = [
    "crates/core/src",
    "crates/judge/src",
    "crates/contract/src",
    "crates/files/src",
    "crates/process/src",
    "crates/git/src",
    "crates/snapshot/src",
    "crates/tracker/src",
    "crates/agents/src",
    "crates/host/src",
    "crates/cli/src",
    "crates/sim/src",
    "crates/standin/src",
    "crates/programs/src",
    "xtask/src",
];

pub fn check(files: &[SourceFile]) -> Vec<Problem> {
    CRATES.iter().flat_map(|root| circles_below(files, root)).collect()
}

/// A module by its path from the crate's root.
type Module = Vec<String>;

/// Who imports whom among the files of one folder; what lies in a folder of its own counts as one of them.
type Folder = BTreeMap<String, BTreeSet<String>>;

fn circles_below(files: &[SourceFile], root: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (folder, imports) in folders(files, root) {
        let mut told = BTreeSet::new();
        for start in imports.keys() {
            // One circle at a time: the next may go when this one does.
            let is_new = |circle: &Vec<String>| circle.iter().all(|name| !told.contains(name));
            if let Some(circle) = circle(&imports, start).filter(is_new) {
                let way = format!("{} → {start}", circle.join(" → "));
                told.extend(circle);
                let message = format!(
                    "{way} import each other in a circle; move what they share into a file that imports none of them"
                );
                problems.push(Problem { place: format!("{root}/{}", folder.join("/")), message });
            }
        }
    }
    problems
}

/// The shortest way from a file over its imports back to it.
fn circle(imports: &Folder, start: &str) -> Option<Vec<String>> {
    let mut ways = VecDeque::from([vec![start.to_owned()]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in way.last().and_then(|last| imports.get(last)).into_iter().flatten() {
            if next == start {
                return Some(way);
            }
            if seen.insert(next) {
                ways.push_back(way.iter().chain([next]).cloned().collect());
            }
        }
    }
    None
}

fn folders(files: &[SourceFile], root: &str) -> BTreeMap<Module, Folder> {
    let sources: BTreeMap<Module, &SourceFile> = files
        .iter()
        .filter(|file| file.is_below(root) && !file.shipped.is_empty())
        .filter_map(|file| Some((module_of(file, root)?, file)))
        .collect();
    let exports: BTreeMap<(&Module, String), String> =
        sources.iter().flat_map(|(module, file)| exports(&sources, module, file)).collect();
    let mut folders: BTreeMap<Module, Folder> = BTreeMap::new();
    for (module, file) in &sources {
        for path in imports(module, &file.shipped) {
            let shared = module.iter().zip(&path).take_while(|(a, b)| a == b).count();
            // A file and what lies below it belong together.
            let (Some(from), Some(name)) = (module.get(shared), path.get(shared)) else {
                continue;
            };
            let (parent, sibling) = (module[..shared].to_vec(), [&path[..=shared]].concat());
            let to = match sources.contains_key(&sibling) {
                true => Some(name.clone()),
                false => exports.get(&(&parent, name.clone())).cloned(),
            };
            if let Some(to) = to.filter(|to| to != from) {
                folders.entry(parent).or_default().entry(from.clone()).or_default().insert(to);
            }
        }
    }
    folders
}

fn module_of(file: &SourceFile, root: &str) -> Option<Module> {
    let path = file.path.strip_prefix(root)?.strip_prefix('/')?.strip_suffix(".rs")?;
    let mut module: Module = path.split('/').map(str::to_owned).collect();
    if matches!(module.last().map(String::as_str), Some("lib" | "main" | "mod")) {
        module.pop();
    }
    Some(module)
}

/// Names that a file takes over from a file below it: whoever imports the name imports that file.
fn exports<'a>(
    sources: &BTreeMap<Module, &SourceFile>,
    module: &'a Module,
    file: &SourceFile,
) -> Vec<((&'a Module, String), String)> {
    let uses = file.shipped.match_indices("use ").map(|(at, word)| at + word.len());
    let paths = uses.flat_map(|at| tree(&file.shipped[at..]).0);
    paths
        .filter_map(|path| {
            let child = path.first()?.clone();
            let name = path.last().filter(|_| path.len() > 1)?.clone();
            let is_below = sources.contains_key(&[&module[..], &path[..1]].concat());
            is_below.then_some(((module, name), child))
        })
        .collect()
}

/// Everything of the crate that a file names, in `use` or in place, from the crate's root.
fn imports(module: &Module, code: &str) -> Vec<Module> {
    let starts = ["crate::", "super::", "self::"].into_iter().flat_map(|word| {
        let found = code.match_indices(word).map(|(at, _)| at);
        found.filter(|at| !code[..*at].ends_with(|c| is_word(c) || c == ':' || c == '$'))
    });
    starts.flat_map(|at| tree(&code[at..]).0).map(|path| resolved(module, &path)).collect()
}

fn resolved(module: &Module, path: &[String]) -> Module {
    let mut base = module.clone();
    let mut rest = path;
    while let [first, others @ ..] = rest {
        match first.as_str() {
            "crate" => base.clear(),
            "super" => drop(base.pop()),
            "self" => {}
            _ => break,
        }
        rest = others;
    }
    base.extend(rest.iter().cloned());
    base
}

/// The paths of a tree such as `a::{b, c::{D, E}}`, and how long its text is.
fn tree(code: &str) -> (Vec<Module>, usize) {
    let begin = code.len() - code.trim_start().len();
    let text = &code[begin..];
    if let Some(inside) = text.strip_prefix('{') {
        let mut paths = Vec::new();
        let mut at = 0;
        loop {
            let rest = &inside[at..];
            let (found, length) = tree(rest);
            if length > 0 {
                paths.extend(found);
                at += length;
            } else if rest.trim_start().starts_with(',') {
                at += rest.len() - rest.trim_start().len() + 1;
            } else {
                let close = rest.find('}').map_or(rest.len(), |close| close + 1);
                return (paths, begin + 1 + at + close);
            }
        }
    }
    let word = text.find(|c| !is_word(c)).unwrap_or(text.len());
    if word == 0 {
        return (Vec::new(), 0);
    }
    let name = text[..word].to_owned();
    let below = text[word..].strip_prefix("::").map(tree).unwrap_or_default();
    match below {
        (paths, length) if length > 0 => {
            let paths = paths.into_iter().map(|path| [vec![name.clone()], path].concat());
            (paths.collect(), begin + word + 2 + length)
        }
        _ => (vec![vec![name]], begin + word),
    }
}

#[cfg(test)]
mod tests {
    use super::{check, circles_below};
    use crate::source::SourceFile;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let file = |(path, text): &(&str, &str)| SourceFile::new(&format!("x/src/{path}"), text);
        let files: Vec<SourceFile> = files.iter().map(file).collect();
        let problems = circles_below(&files, "x/src");
        problems
            .iter()
            .map(|p| p.to_string().split(" import").next().unwrap_or("").to_owned())
            .collect()
    }

    #[test]
    fn a_circle_is_found_once_wherever_it_is_written() {
        let a = ("a.rs", "use crate::{b::{self, B}, c};");
        assert_eq!(found(&[a, ("b.rs", ""), ("c.rs", "")]), Vec::<String>::new());
        assert_eq!(
            found(&[a, ("b.rs", "fn f() { super::a::g() }"), ("c.rs", "")]),
            ["x/src/: a → b → a"]
        );
        let longer = [("b.rs", "use super::c;"), ("c.rs", "use crate::a::A;")];
        assert_eq!(found(&[a, longer[0], longer[1]]), ["x/src/: a → c → a"]);
    }

    #[test]
    fn a_folder_counts_as_one_file_for_its_neighbours() {
        let files = [("a.rs", "mod x;"), ("a/x.rs", "use crate::b::B;"), ("b.rs", "use super::a;")];
        assert_eq!(found(&files), ["x/src/: a → b → a"]);
    }

    #[test]
    fn a_name_that_the_parent_passes_on_hides_no_circle() {
        let parent = ("a.rs", "mod x;\nmod y;\npub use x::X;\npub use y::{Y, Z as Other};");
        let files = [parent, ("a/x.rs", "use super::Y;"), ("a/y.rs", "use crate::a::X;")];
        assert_eq!(found(&files), ["x/src/a: x → y → x"]);
    }

    #[test]
    fn what_is_below_a_file_may_use_it_and_tests_may_use_all() {
        let test = "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n";
        let files = [
            ("a.rs", "mod x;\nuse crate::b::B;\nstruct A;"),
            ("a/x.rs", "use super::A;"),
            ("b.rs", test),
        ];
        assert_eq!(found(&files), Vec::<String>::new());
    }

    #[test]
    fn the_core_is_looked_at() {
        let file =
            |name: &str, text: &str| SourceFile::new(&format!("crates/core/src/{name}.rs"), text);
        let files =
            [file("decide/ask", "use super::reply;"), file("decide/reply", "use super::ask::ask;")];
        assert_eq!(check(&files).len(), 1);
    }
}
