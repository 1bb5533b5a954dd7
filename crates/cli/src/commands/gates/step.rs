//! Gates as a step of GitHub Actions shows them.

use super::text;
use crate::github;
use tollgate_contract::lifecycle::LifecycleStage;
use tollgate_desk::formats::actions::{Annotation, Weight};
use tollgate_desk::formats::markdown::{block, in_html, plain, table};
use tollgate_host::lifecycle::GateResult;

const CELL_CHARS_MAX: usize = 400;
const OUTPUT_LINES_MAX: usize = 40;

pub fn tell(stage: &LifecycleStage, results: &[GateResult]) {
    if !github::is_told() {
        return;
    }
    let failed = || results.iter().filter(|result| !result.ok);
    github::annotate(failed().map(annotation).collect());
    let rows: Vec<[String; 3]> = results.iter().map(row).collect();
    let title = plain(&stage.name, CELL_CHARS_MAX);
    let head = table(["Gate", "Result", "Time"], &rows);
    let mut parts = vec![format!("### Tollgate: gates of stage {title}\n\n{head}")];
    parts.extend(failed().map(output));
    github::summarize(&parts);
}

fn annotation(result: &GateResult) -> Annotation {
    let title = format!("gate failed: {}", result.name);
    let words = format!("{}\n{}", text::how(result), result.output_tail);
    Annotation::new(Weight::Error, title, words)
}

fn row(result: &GateResult) -> [String; 3] {
    let how = match result.ok {
        true => "passed".to_owned(),
        false => format!("**failed**, {}", plain(&text::how(result), CELL_CHARS_MAX)),
    };
    [plain(&result.name, CELL_CHARS_MAX), how, format!("{} ms", result.duration_ms)]
}

fn output(result: &GateResult) -> String {
    let name = in_html(&result.name, CELL_CHARS_MAX);
    let lines = block(&result.output_tail, OUTPUT_LINES_MAX);
    format!("\n<details><summary>{name}</summary>\n\n{lines}\n</details>\n")
}
