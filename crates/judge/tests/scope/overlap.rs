//! Whether two scopes may meet: known pairs, and against all paths of a small world.

use proptest::prelude::*;
use tollgate_core::work::{ChangeType, FileChange, ScopeClass};
use tollgate_judge::scope::{ScopeRules, may_overlap, sort};

fn list(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn scopes_that_may_overlap_are_distinguished_from_those_that_cannot() {
    let meet = [
        ("src/a.ts", "src/a.ts"),
        ("src/a.ts", "./src/a.ts"),
        ("src/**/*.ts", "src/x/y.ts"),
        ("src/", "src/a.ts"),
        ("src/a/", "src/"),
        ("src/*.ts", "src/a*"),
        ("**/*.md", "docs/"),
        ("src/{a,b}.ts", "src/b.ts"),
        ("app/[id]/page.tsx", "app/[id]/page.tsx"),
        ("src/auth", "src/auth/x.ts"),
        // Through tests.
        ("src/a.ts", "src/a.test.ts"),
        ("src/a.ts", "src/a.tsx"),
        ("src/a.ts", "tests/"),
        ("src/a.ts", "src/__tests__/*.ts"),
        ("src/a.ts", "src/__snapshots__/a.test.ts.snap"),
        ("src/main/java/p/*.java", "src/test/java/p/"),
        ("shop/cart.py", "tests/test_cart.py"),
        ("a/cart.py", "b/cart.py"),
        ("src/App/Foo.cs", "tests/App.Tests/FooTests.cs"),
        ("lib/a/foo.rb", "spec/a/foo_spec.rb"),
        ("app/controllers/x_controller.rb", "spec/requests/x_spec.rb"),
        ("src/foo.rs", "src/foo/mod.rs"),
        ("src/foo.rs", "tests/foo.rs"),
        // Both may be tested in src/foo/tests/bar.rs.
        ("src/foo.rs", "src/foo/bar.rs"),
        ("blog/models.py", "blog/views.py"),
        ("src/A/Foo.php", "tests/Unit/A/FooTest.php"),
    ];
    for (a, b) in meet {
        assert!(may_overlap(&list(a), &list(b)), "{a} | {b}");
        assert!(may_overlap(&list(b), &list(a)), "{b} | {a}");
    }
    let apart = [
        ("src/a.ts", "src/b.ts"),
        ("src/a.ts", "src/ab.ts"),
        ("src/a.ts", "lib/x/a.ts"),
        ("src/a/", "src/b/"),
        ("docs/*.md", "src/*.md"),
        ("src/a.ts", "src/a.py"),
        ("src/*.ts", "src/*.py"),
        ("src/login.component.ts", "src/login.service.ts"),
        ("src/lib.rs", "src/foo.rs"),
        ("pkg/rate.go", "pkg/limit.go"),
        ("src/main/java/p/A.java", "src/main/java/p/B.java"),
        ("src/main/java/p/", "src/main/java/q/"),
        ("src/App/A.cs", "src/App/B.cs"),
        ("app/models/a.rb", "app/models/b.rb"),
        ("crates/a/src/x.rs", "crates/b/src/x.rs"),
        ("src/a.ts src/b.ts docs/x.md", "src/c.ts src/d.ts pkg/"),
        ("", "src/"),
    ];
    for (a, b) in apart {
        assert!(!may_overlap(&list(a), &list(b)), "{a} | {b}");
        assert!(!may_overlap(&list(b), &list(a)), "{b} | {a}");
    }
}

/// Paths that the conventions of all languages can reach from one another.
fn world() -> Vec<String> {
    let mut world = Vec::new();
    let folders = [
        "",
        "src",
        "src/a",
        "src/tests",
        "src/a/tests",
        "tests",
        "tests/a",
        "tests/unit/a",
        "test",
        "spec",
        "spec/requests",
        "spec/a",
        "lib",
        "lib/a",
        "app/controllers",
        "src/__tests__",
        "src/a/foo",
        "src/main/java/p",
        "src/test/java/p",
        "tests/App.Tests",
        "src/App",
        "App",
        "App.Tests/Unit",
        "src/__snapshots__",
        "src/foo",
        "src/foo/tests",
        "tests/foo",
        "tests/test_a",
        "includes",
    ];
    let names = [
        "foo.ts",
        "foo.test.ts",
        "foo.spec.tsx",
        "index.ts",
        "a.test.ts",
        "foo.test.ts.snap",
        "foo.rs",
        "foo_test.rs",
        "tests.rs",
        "mod.rs",
        "lib.rs",
        "foo.py",
        "test_foo.py",
        "__init__.py",
        "test_a.py",
        "_foo.py",
        "models.py",
        "tests.py",
        "foo.go",
        "foo_test.go",
        "foo_internal_test.go",
        "Foo.java",
        "FooTest.java",
        "FooIT.java",
        "Foo.cs",
        "FooTests.cs",
        "foo.rb",
        "foo_spec.rb",
        "foo_controller.rb",
        "Foo.php",
        "FooTest.php",
        "class-foo.php",
        "test-foo.php",
        "foo.md",
    ];
    for folder in folders {
        for name in names {
            world.push(if folder.is_empty() {
                name.to_owned()
            } else {
                format!("{folder}/{name}")
            });
        }
    }
    world
}

fn in_scope(scope: &[String], world: &[FileChange]) -> Vec<bool> {
    let rules = ScopeRules { in_scope: scope.to_vec(), ..ScopeRules::default() };
    let is_in = |class| class != ScopeClass::Violation;
    sort(&rules, world).iter().map(|file| is_in(file.class)).collect()
}

fn entry() -> impl Strategy<Value = String> {
    let world = world();
    let path = proptest::sample::select(world.clone());
    let folder = proptest::sample::select(world.clone()).prop_map(|path| {
        path.rsplit_once('/').map_or_else(|| path.clone(), |(f, _)| format!("{f}/"))
    });
    let by_extension = proptest::sample::select(world.clone()).prop_map(|path| {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let extension = name.rsplit('.').next().unwrap_or_default();
        if folder.is_empty() { format!("*.{extension}") } else { format!("{folder}/*.{extension}") }
    });
    let deep = proptest::sample::select(world).prop_map(|path| {
        let (first, rest) = path.split_once('/').unwrap_or(("**", &path));
        let extension = rest.rsplit('.').next().unwrap_or_default();
        format!("{first}/**/*.{extension}")
    });
    prop_oneof![4 => path, 1 => folder, 1 => by_extension, 1 => deep]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn two_scopes_with_a_path_in_common_are_never_called_apart(
        a in proptest::collection::vec(entry(), 1..3),
        b in proptest::collection::vec(entry(), 1..3),
    ) {
        let world: Vec<FileChange> = world()
            .into_iter()
            .map(|path| FileChange { path, change_type: ChangeType::Added, old_path: None })
            .collect();
        let both = in_scope(&a, &world).into_iter().zip(in_scope(&b, &world));
        let shared = both.zip(&world).find(|((a, b), _)| *a && *b).map(|(_, change)| &change.path);
        if let Some(path) = shared {
            prop_assert!(may_overlap(&a, &b), "{a:?} and {b:?} have {path}");
        }
    }
}
