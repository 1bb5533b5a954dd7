//! The words, language by language.

use super::super::Kind;
use super::Language;

/// Where a word is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) enum In {
    Code,
    /// In code, with what is in quotes.
    Quoted,
    /// In the text as it is.
    Comment,
}

#[derive(Debug)]
pub(super) struct Word {
    /// Without space.
    pub any_of: &'static [&'static str],
    /// Not where one of these is on the same line.
    pub unless: &'static [&'static str],
    pub place: In,
    pub kind: Kind,
    pub says: &'static str,
    pub counts_in_new: bool,
    /// It speaks of the line after it.
    pub about_next: bool,
    /// Only in a file that works for all tests around it and in which something works unasked.
    pub only_shared: bool,
}

const PLAIN: Word = Word {
    any_of: &[],
    unless: &[],
    place: In::Code,
    kind: Kind::Skipped,
    says: "",
    counts_in_new: true,
    about_next: false,
    only_shared: false,
};

const ENDS: &str = "this line can end the run as if all were well";
const LEAVES_OUT: &str = "this line decides which tests run";
const HIDES: &str = "this line changes what a failed test counts as";
const NO_CHECK: &str = "this line keeps a check from looking";

pub(super) fn of(language: Language) -> &'static [Word] {
    match language {
        Language::Python => PYTHON,
        Language::JavaScript => JAVASCRIPT,
        Language::Rust => RUST,
        Language::Go => GO,
        Language::Java | Language::Kotlin => JVM,
        Language::CSharp => CSHARP,
        Language::Ruby => RUBY,
        Language::Php => PHP,
        Language::Shell | Language::Bats => SHELL,
    }
}

const PYTHON: &[Word] = &[
    Word {
        any_of: &[
            "os._exit(",
            "sys.exit(0)",
            "sys.exit()",
            "SystemExit(0)",
            "raiseSystemExit",
            "pytest.exit(",
            "os.kill(os.getpid()",
            "atexit.register(",
            "os.abort(",
            "_exit(0)",
        ],
        unless: &["pytest.raises", "assertRaises"],
        says: ENDS,
        ..PLAIN
    },
    Word {
        any_of: &[
            "defload_tests(",
            "collect_ignore",
            "defpytest_collection_modifyitems",
            "defpytest_ignore_collect",
            "defpytest_collect_file",
            "defpytest_runtest_setup",
            "defpytest_runtestloop",
            "defpytest_pycollect",
            "defpytest_deselected",
            "defpytest_collection_finish",
            "defpytest_itemcollected",
        ],
        says: LEAVES_OUT,
        kind: Kind::GateConfig,
        ..PLAIN
    },
    Word {
        any_of: &[
            "defpytest_runtest_makereport",
            "defpytest_sessionfinish",
            "defpytest_runtest_call",
            "defpytest_runtest_protocol",
            "defpytest_pyfunc_call",
            "defpytest_report_teststatus",
            "defpytest_cmdline_main",
            "defpytest_exception_interact",
            "defpytest_runtest_logreport",
            "exitstatus=",
            ".outcome=",
            "config.option.",
            "pytest_plugins=",
            "defpytest_load_initial_conftests",
            "unittest.TestCase.assert",
            "unittest.TestCase.fail",
            "unittest.TestCase.run",
            "defaddFailure(",
            "defaddError(",
            "wasSuccessful=",
            "defwasSuccessful(",
            "setattr(unittest",
            "sys.modules[",
            "sys.setprofile(",
            "builtins.",
            "TestCase.run=",
            "__debug__",
        ],
        unless: &[
            "==",
            "sys.modules[__name__]",
            "builtins.open",
            "builtins.print",
            "builtins.input",
        ],
        says: HIDES,
        kind: Kind::GateConfig,
        ..PLAIN
    },
    Word {
        any_of: &["monkeypatch.setattr(", "mocker.patch(", "mocker.patch.object("],
        unless: &[
            "requests", "socket", "time", "random", "environ", "http", "urllib", "sys.", "network",
            "smtp",
        ],
        place: In::Quoted,
        says: "this line puts something in place of what is tested, for more than one test",
        kind: Kind::GateConfig,
        only_shared: true,
        ..PLAIN
    },
    Word {
        any_of: &["pytest.skip(", "pytest.mark.skip"],
        says: LEAVES_OUT,
        only_shared: true,
        ..PLAIN
    },
    Word {
        any_of: &["defrun(self,result", "def__call__(self,result", "def_callTestMethod("],
        says: HIDES,
        ..PLAIN
    },
    Word {
        any_of: &[
            "skip_module",
            "allow_module_level",
            "importorskip(",
            "raiseunittest.SkipTest",
            "raiseSkipTest",
        ],
        says: LEAVES_OUT,
        counts_in_new: false,
        ..PLAIN
    },
];

const JAVASCRIPT: &[Word] = &[
    Word {
        any_of: &[
            "process.exit(",
            "process.exitCode=",
            "process.reallyExit",
            "process.kill(process.pid",
            "process.abort(",
            "Deno.exit(",
            "Bun.exit(",
        ],
        unless: &["process.exit(1)", "exitCode=1", "spyOn", "expect(", "exitCode==", "stub("],
        says: ENDS,
        ..PLAIN
    },
    Word {
        any_of: &[
            "process.on('exit'",
            "process.on(\"exit\"",
            "process.once('exit'",
            "on('beforeExit'",
        ],
        place: In::Quoted,
        says: ENDS,
        ..PLAIN
    },
    Word {
        any_of: &[
            "global.expect=",
            "globalThis.expect=",
            "global.it=",
            "globalThis.it=",
            "global.test=",
            "globalThis.test=",
            "global.describe=",
            "globalThis.describe=",
            "global.assert=",
            "window.expect=",
            "Assertion.prototype",
            "assert.equal=",
            "assert.strictEqual=",
            "assert.deepEqual=",
            "assert.ok=",
            "runner.on(",
            "Runner.prototype",
            "Mocha.prototype",
            "Module._load=",
            "require.cache[",
            "jest.retryTimes(",
        ],
        unless: &["==="],
        says: HIDES,
        kind: Kind::GateConfig,
        ..PLAIN
    },
    Word {
        any_of: &["this.skip(", "ctx.skip(", "context.skip(", "currentTest.skip("],
        says: LEAVES_OUT,
        counts_in_new: false,
        ..PLAIN
    },
    Word { any_of: &["this.currentTest"], says: LEAVES_OUT, ..PLAIN },
    Word {
        any_of: &["@ts-nocheck"],
        place: In::Comment,
        says: NO_CHECK,
        counts_in_new: false,
        kind: Kind::GateConfig,
        ..PLAIN
    },
    Word {
        any_of: &["@ts-ignore", "@ts-expect-error", "istanbul ignore", "eslint-disable"],
        place: In::Comment,
        says: NO_CHECK,
        counts_in_new: false,
        about_next: true,
        kind: Kind::GateConfig,
        ..PLAIN
    },
];

const RUST: &[Word] = &[
    Word {
        any_of: &["process::exit(", "process::abort(", "libc::_exit(", "libc::exit(", "exit(0)"],
        says: ENDS,
        ..PLAIN
    },
    Word {
        any_of: &["macro_rules!assert", "panic::set_hook(", "catch_unwind("],
        says: HIDES,
        counts_in_new: false,
        ..PLAIN
    },
];

const GO: &[Word] = &[
    Word { any_of: &["os.Exit(0)", "syscall.Exit(", "runtime.Goexit("], says: ENDS, ..PLAIN },
    Word { any_of: &["recover()"], says: HIDES, counts_in_new: false, ..PLAIN },
    Word { any_of: &["&testing.T{}", "new(testing.T)", "testing.T{}"], says: HIDES, ..PLAIN },
    Word {
        any_of: &[
            "want=got",
            "expected=actual",
            "expected=got",
            "want=actual",
            "expected:=got",
            "want:=got",
        ],
        says: HIDES,
        ..PLAIN
    },
];

const JVM: &[Word] = &[
    Word {
        any_of: &["System.exit(", "exitProcess(", ".halt(", "getRuntime().exit("],
        says: ENDS,
        ..PLAIN
    },
    Word {
        any_of: &[
            "assumeTrue(",
            "assumeFalse(",
            "assumeThat(",
            "Assumptions.",
            "Assume.assume",
            "assumingThat(",
            "abort(",
        ],
        says: LEAVES_OUT,
        counts_in_new: false,
        ..PLAIN
    },
    Word {
        any_of: &[
            "classAssertions",
            "classAssert{",
            "packageorg.junit",
            "implementsTestExecutionExceptionHandler",
            "implementsTestWatcher",
            "InvocationInterceptor",
            "ExecutionCondition",
            "handleTestExecutionException(",
        ],
        says: HIDES,
        kind: Kind::GateConfig,
        ..PLAIN
    },
];

const CSHARP: &[Word] = &[
    Word {
        any_of: &[
            "Environment.Exit(",
            "GetCurrentProcess().Kill(",
            "Assert.Pass(",
            "Assert.Inconclusive(",
            "Assert.Ignore(",
        ],
        says: ENDS,
        ..PLAIN
    },
    Word {
        any_of: &["classAssert", "namespaceXunit", "namespaceNUnit"],
        says: HIDES,
        kind: Kind::GateConfig,
        ..PLAIN
    },
    Word { any_of: &["#if"], place: In::Comment, says: LEAVES_OUT, counts_in_new: false, ..PLAIN },
    Word {
        any_of: &["Skip.If(", "Skip.IfNot(", "Assume.That(", "Assert.Skip"],
        says: LEAVES_OUT,
        counts_in_new: false,
        ..PLAIN
    },
];

const RUBY: &[Word] = &[
    Word {
        any_of: &[
            "exit!",
            "exit(0)",
            "exit0",
            "at_exit",
            "Process.exit",
            "Kernel.exit",
            "exit(true)",
            "exittrue",
        ],
        unless: &["raise_error", "assert_raises"],
        says: ENDS,
        ..PLAIN
    },
    Word {
        any_of: &[
            "filter_run",
            "exclude_pattern",
            "config.filter",
            "c.filter",
            "config.exclude",
            "run_all_when_everything_filtered",
            "around{",
            "around(",
            "arounddo",
            "filter_run_excluding",
            "define_derived_metadata",
            "config.dry_run",
            "c.dry_run",
            "failure_exit_code",
            "runnable_methods",
            "fail_if_no_examples",
        ],
        says: LEAVES_OUT,
        kind: Kind::GateConfig,
        ..PLAIN
    },
    Word {
        any_of: &[
            "defpassed?",
            "deferror?",
            "Minitest::Test.class_eval",
            "moduleMinitest",
            "classMinitest",
            "moduleRSpec",
            "alias_method:assert",
            "deffailure",
            "Minitest.backtrace",
            "Minitest::Assertions",
        ],
        unless: &["require"],
        says: HIDES,
        kind: Kind::GateConfig,
        ..PLAIN
    },
];

const PHP: &[Word] = &[
    Word {
        any_of: &[
            "exit(",
            "exit;",
            "die(",
            "die;",
            "__halt_compiler",
            "register_shutdown_function(",
        ],
        unless: &["exit(1)", "->exit"],
        says: ENDS,
        ..PLAIN
    },
    Word {
        any_of: &[
            "expectNotToPerformAssertions(",
            "addToAssertionCount(",
            "DoesNotPerformAssertions",
            "functionrunTest(",
            "functiononNotSuccessfulTest(",
        ],
        says: HIDES,
        ..PLAIN
    },
    Word {
        any_of: &[
            "RequiresPhp",
            "RequiresOperatingSystem",
            "RequiresFunction",
            "RequiresSetting",
            "Attributes\\Group",
            "#[Group(",
        ],
        says: LEAVES_OUT,
        counts_in_new: false,
        ..PLAIN
    },
    Word {
        any_of: &["@doesNotPerformAssertions", "@group", "@requires", "@codeCoverageIgnore"],
        place: In::Comment,
        says: LEAVES_OUT,
        counts_in_new: false,
        ..PLAIN
    },
];

const SHELL: &[Word] = &[
    Word { any_of: &["set+e", "set+o"], says: HIDES, counts_in_new: false, ..PLAIN },
    Word {
        any_of: &["||true", "||:", "||exit0", "||return0", "||echo", ";true", ";exit0", "&&exit0"],
        unless: &[
            "rm", "kill", "docker", "rmdir", "umount", "wait", "mkdir", "stop", "cleanup", "git",
            "down",
        ],
        says: HIDES,
        counts_in_new: false,
        ..PLAIN
    },
    Word {
        any_of: &["trap'exit0'", "trap\"exit0\"", "trap:EXIT", "trap'true'", "trap'exit0;'"],
        place: In::Quoted,
        says: ENDS,
        ..PLAIN
    },
    Word {
        any_of: &["iffalse", "exit0", "return0", "shopt-uo", "unset-f"],
        says: LEAVES_OUT,
        counts_in_new: false,
        ..PLAIN
    },
];
