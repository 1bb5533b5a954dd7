//! Scope corrections as people and agents write them into a text.

use tollgate_judge::scope::corrections_in;

fn read(text: &str) -> Vec<String> {
    let line = |c: &tollgate_judge::scope::ScopeCorrection| {
        format!("{} -> {}: {}", c.listed, c.actual, c.reason)
    };
    corrections_in(text).iter().map(line).collect()
}

#[test]
fn r097_a_scope_correction_is_read_however_it_is_written() {
    let expected = ["src/a.ts -> src/b.ts: the handler is there"];
    for text in [
        "## Scope correction\n- **Listed:** `src/a.ts`\n- **Actual:** `src/b.ts`\n- **Reason:** the handler is there\n",
        "# scope Correction\r\nlisted: src/a.ts\r\nactual: src/b.ts\r\nreason: the handler is there",
        "text before\n\n#### Scope   correction ####\n\n* **Listed**: src/a.ts\n\n* **Actual**: `src/b.ts` (new)\n\n* __Reason:__ the handler\n  is there\n\n## Tests\n- Listed: no",
        "**Scope correction**\n- Listed: `src/a.ts`\n- Actual:src/b.ts\n- Reason :  the handler is there",
        "**Scope correction:**\n**Listed:** src/a.ts\n**Actual:** src/b.ts\n**Reason:**\nthe handler is there\n",
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn r097_several_blocks_and_sections_are_read_and_what_lacks_stays_empty() {
    let text = "## Scope correction\n- Listed: a\n- Actual: b\n- Reason: r\n\n- Listed: c\n- Actual: d\n\n\
                ## Notes\n- Listed: no\n\n## Scope corrections\n- Actual: f\n- Reason: because: it is\n";
    assert_eq!(read(text), ["a -> b: r", "c -> d: ", " -> f: because: it is"]);
    for nothing in [
        "",
        "Listed: a\nActual: b\nReason: c",
        "## Scope correction\nnone",
        "## Scope\n- Listed: a",
    ] {
        assert_eq!(read(nothing), Vec::<String>::new(), "{nothing}");
    }
}
