//! How each language names its tests and where it keeps them: the table behind "a test beside the file".

/// Conventions of one language. Words are file or folder names; `a/b` is a folder in a folder.
#[derive(Debug)]
pub(super) struct Language {
    pub id: Id,
    /// Of test files.
    pub extensions: &'static [&'static str],
    /// Of files that are tested beyond those.
    pub also_tested: &'static [&'static str],
    /// Between the tested name and the extension.
    pub suffixes: &'static [&'static str],
    /// Before the tested name.
    pub prefixes: &'static [&'static str],
    /// Between the tested name and the suffix: what kind of test it is.
    pub infixes: &'static [&'static str],
    /// Folders of tests, and the folders beside them that they test; an empty one is the folder they are in.
    pub places: &'static [Place],
    /// In a folder of tests a file may bear the tested name alone.
    pub is_bare_in_folder: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Id {
    Rust,
    Script,
    Python,
    Go,
    Java,
    CSharp,
    Ruby,
    Php,
}

#[derive(Debug)]
pub(super) struct Place {
    pub tests: &'static [&'static str],
    pub sources: &'static [&'static str],
    /// The same with one folder of any name, as `src/*`: they hold for files that are listed by their path.
    pub loose_sources: &'static [&'static str],
}

/// Folders that sort tests by kind: `tests/unit/a/foo` tests `a/foo`.
pub(super) const KINDS: &[&str] = &[
    "unit",
    "integration",
    "functional",
    "feature",
    "e2e",
    "system",
    "acceptance",
    "Unit",
    "Integration",
    "Functional",
    "Feature",
];

/// What the name of a C# project of tests ends in.
pub(super) const PROJECT_SUFFIXES: &[&str] = &[
    ".Tests",
    ".Test",
    ".UnitTests",
    ".UnitTest",
    ".IntegrationTests",
    ".FunctionalTests",
    ".Unit.Tests",
    ".Integration.Tests",
    ".Tests.Unit",
    ".Tests.Integration",
    ".Specs",
];

/// Modules of a Django app whose tests are `tests.py` beside them.
pub(super) const DJANGO: &[&str] =
    &["models", "views", "admin", "apps", "forms", "urls", "serializers", "signals", "managers"];

pub(super) const LANGUAGES: &[Language] = &[
    Language {
        id: Id::Rust,
        extensions: &["rs"],
        also_tested: &[],
        suffixes: &["_test", "_tests"],
        prefixes: &["test_", "tests_"],
        infixes: &[],
        places: &[Place {
            tests: &["tests", "test"],
            sources: &["", "src", "src/bin"],
            loose_sources: &[],
        }],
        is_bare_in_folder: true,
    },
    Language {
        id: Id::Script,
        extensions: &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"],
        also_tested: &["vue", "svelte"],
        suffixes: &[
            ".test",
            ".spec",
            ".tests",
            ".specs",
            "-test",
            "-spec",
            "_test",
            "_spec",
            "Test",
            "Spec",
            ".cy",
            ".e2e",
            ".e2e-spec",
            ".e2e-test",
            ".test-d",
        ],
        prefixes: &["test-", "test_", "test."],
        infixes: &[
            ".unit",
            ".integration",
            ".int",
            ".e2e",
            ".browser",
            ".node",
            ".server",
            ".client",
        ],
        places: &[Place {
            tests: &["__tests__", "__test__", "tests", "test", "spec", "specs"],
            sources: &["", "src", "lib", "app", "source"],
            loose_sources: &[],
        }],
        is_bare_in_folder: true,
    },
    Language {
        id: Id::Python,
        extensions: &["py"],
        also_tested: &[],
        suffixes: &["_test", "_tests"],
        prefixes: &["test_", "tests_"],
        infixes: &["_unit", "_integration"],
        places: &[Place {
            tests: &["tests", "test"],
            sources: &["", "src", "lib", "app"],
            loose_sources: &["*", "src/*"],
        }],
        is_bare_in_folder: false,
    },
    Language {
        id: Id::Go,
        extensions: &["go"],
        also_tested: &[],
        suffixes: &["_test"],
        prefixes: &[],
        infixes: &[
            "_internal",
            "_external",
            "_integration",
            "_unit",
            "_e2e",
            "_bench",
            "_benchmark",
            "_fuzz",
            "_example",
            "_linux",
            "_darwin",
            "_windows",
            "_unix",
            "_amd64",
            "_arm64",
        ],
        places: &[],
        is_bare_in_folder: false,
    },
    Language {
        id: Id::Java,
        extensions: &["java"],
        also_tested: &[],
        suffixes: &[
            "Test",
            "Tests",
            "TestCase",
            "IT",
            "ITCase",
            "UnitTest",
            "UnitTests",
            "IntegrationTest",
            "IntegrationTests",
            "Spec",
        ],
        prefixes: &["Test", "IT"],
        infixes: &[],
        places: &[
            Place {
                tests: &[
                    "src/test/java",
                    "src/integrationTest/java",
                    "src/integration-test/java",
                    "src/intTest/java",
                    "src/it/java",
                    "src/functionalTest/java",
                    "src/androidTest/java",
                ],
                sources: &["src/main/java"],
                loose_sources: &[],
            },
            Place { tests: &["test", "tests"], sources: &["", "src"], loose_sources: &[] },
        ],
        is_bare_in_folder: false,
    },
    Language {
        id: Id::CSharp,
        extensions: &["cs"],
        also_tested: &[],
        suffixes: &[
            "Tests",
            "Test",
            "UnitTests",
            "UnitTest",
            "IntegrationTests",
            "IntegrationTest",
            "Specs",
            "Spec",
            "Facts",
            ".Tests",
            ".Test",
        ],
        prefixes: &[],
        infixes: &[],
        places: &[Place {
            tests: &["tests", "test", "Tests", "Test"],
            sources: &["", "src", "source"],
            loose_sources: &[],
        }],
        is_bare_in_folder: false,
    },
    Language {
        id: Id::Ruby,
        extensions: &["rb"],
        also_tested: &[],
        suffixes: &["_spec", "_test"],
        prefixes: &["test_", "spec_"],
        infixes: &[],
        places: &[Place {
            tests: &["spec", "test", "specs", "tests"],
            sources: &["", "lib", "app"],
            loose_sources: &["lib/*"],
        }],
        is_bare_in_folder: false,
    },
    Language {
        id: Id::Php,
        extensions: &["php"],
        also_tested: &[],
        suffixes: &["Test", "_Test", "Tests", "Spec", "Cest", "IntegrationTest"],
        prefixes: &["test-", "Test"],
        infixes: &[],
        places: &[Place {
            tests: &["tests", "test", "Tests", "Test", "spec"],
            sources: &["", "src", "lib", "app", "includes"],
            loose_sources: &["app/*"],
        }],
        is_bare_in_folder: false,
    },
];

impl Id {
    pub(super) fn test_extensions(self) -> impl Iterator<Item = &'static str> {
        let own = LANGUAGES.iter().filter(move |language| language.id == self);
        own.flat_map(|language| language.extensions.iter().copied())
    }
}

impl Language {
    pub(super) fn of_test(extension: &str) -> Option<&'static Self> {
        LANGUAGES.iter().find(|language| language.extensions.contains(&extension))
    }

    /// Extensions of the files that its tests may be about.
    pub(super) fn tested(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.extensions.iter().chain(self.also_tested).copied()
    }

    /// The names that a test's name, without extension, may be about.
    pub(super) fn stems(&self, name: &str) -> Vec<String> {
        let mut stems: Vec<String> = Vec::new();
        let mut add = |stem: &str| {
            if !stem.is_empty() && stems.iter().all(|known| known != stem) {
                stems.push(stem.to_owned());
            }
        };
        for suffix in self.suffixes {
            let Some(stem) = name.strip_suffix(suffix) else { continue };
            add(stem);
            self.infixes.iter().filter_map(|infix| stem.strip_suffix(infix)).for_each(&mut add);
        }
        self.prefixes.iter().filter_map(|prefix| name.strip_prefix(prefix)).for_each(&mut add);
        stems
    }
}
