//! Where the commit of a finished session comes from: an in-toto Statement with SLSA Provenance v1. It is not signed here.

mod facts;

use super::CheckHistory;
use crate::{Opened, OpenedError};
use facts::Facts;
use serde_json::{Value, json};
use std::path::Path;
use tollgate_core::id::CommitId;
use tollgate_core::view::{Audit, Standing, View};
use tollgate_files::hash_bytes;
use tollgate_git::repository::Repository;
use tollgate_host::client::Verified;

const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const PREDICATE: &str = "https://slsa.dev/provenance/v1";
/// Names without a host, because none is ours; docs/guide/provenance.md says what they stand for.
pub const BUILD_TYPE: &str = "urn:tollgate:session:v1";
pub const BUILDER: &str = "urn:tollgate:builder:local:v1";

#[derive(Debug)]
pub struct Provenance {
    pub statement: Value,
    /// Where the branch is now, where that is not the commit of the session.
    pub branch_now: Option<BranchNow>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchNow {
    At(CommitId),
    Gone,
}

#[derive(Debug, thiserror::Error)]
pub enum ProvenanceError {
    #[error("it is {standing}, and only a session that is done has an origin to tell")]
    NotDone { standing: Standing },
    #[error("it has no accepted change, so there is no commit whose origin could be told")]
    NothingMade,
    #[error("its commit {commit} is no longer in this repository")]
    Gone { commit: CommitId },
    #[error("it is in an archive, and provenance needs the repository with its commit")]
    Apart,
    #[error(transparent)]
    Opened(#[from] OpenedError),
}

/// The commit is that of the journal, whose chain is checked first. A branch that was moved since changes nothing.
pub fn provenance(
    opened: &mut Opened,
    state: Option<&Path>,
) -> Result<Provenance, ProvenanceError> {
    if opened.is_apart() {
        return Err(ProvenanceError::Apart);
    }
    let view = opened.view()?;
    if view.route.standing != Standing::Done {
        return Err(ProvenanceError::NotDone { standing: view.route.standing });
    }
    if !view.branch.has_accepted_work() {
        return Err(ProvenanceError::NothingMade);
    }
    let chain = opened.verify(state)?;
    let repository = Repository::discover(&opened.repo.root).map_err(OpenedError::from)?;
    let tip = &view.branch.tip;
    let tree =
        repository.tree_of(tip).map_err(|_| ProvenanceError::Gone { commit: tip.clone() })?;
    let now = repository.tip_of_branch(&view.branch.name).map_err(OpenedError::from)?;
    let branch_now = match now {
        None => Some(BranchNow::Gone),
        Some(now) => (now != *tip).then_some(BranchNow::At(now)),
    };
    let told = Told {
        facts: Facts::read(opened)?,
        audit: opened.audit()?,
        checks: CheckHistory::read(opened.layout()).map_err(OpenedError::from)?,
        origin: repository.origin(),
        journal: std::fs::read(opened.layout().journal()).unwrap_or_default(),
        chain,
        view,
        tree,
    };
    Ok(Provenance { statement: told.statement(), branch_now })
}

/// All that goes into a statement.
struct Told {
    view: View,
    audit: Audit,
    facts: Facts,
    checks: CheckHistory,
    /// The address of the repository, without what is private of it.
    origin: Option<String>,
    journal: Vec<u8>,
    chain: Verified,
    tree: String,
}

impl Told {
    fn statement(&self) -> Value {
        let name = &self.view.branch.name;
        json!({
            "_type": STATEMENT,
            "subject": [
                {"name": name, "digest": commit_digest(&self.view.branch.tip)},
                {"name": format!("{name}^{{tree}}"), "digest": {"gitTree": self.tree}},
            ],
            "predicateType": PREDICATE,
            "predicate": {
                "buildDefinition": {
                    "buildType": BUILD_TYPE,
                    "externalParameters": self.parameters(),
                    "resolvedDependencies": self.dependencies(),
                },
                "runDetails": {
                    "builder": {
                        "id": BUILDER,
                        "version": {"tollgate": self.facts.opening.tollgate_version},
                    },
                    "metadata": {
                        "invocationId": self.view.session,
                        "startedOn": self.view.opened_at,
                        "finishedOn": self.facts.closed_at.unwrap_or(self.view.updated_at),
                    },
                    "byproducts": self.byproducts(),
                },
            },
        })
    }

    /// What a person gave to it.
    fn parameters(&self) -> Value {
        let opening = &self.facts.opening;
        json!({
            "goal": opening.goal,
            "action": opening.action.name,
            "mode": opening.mode,
            "projectType": opening.project_type,
            "inputs": opening.inputs,
            "requestedRoles": opening.requested,
            "startedFrom": opening.base_branch.as_ref().map(|branch| format!("refs/heads/{branch}")),
            "settings": self.facts.settings.iter().map(|policy| json!({"sha256": digest_of(policy)})).collect::<Vec<_>>(),
        })
    }

    fn dependencies(&self) -> Vec<Value> {
        let opening = &self.facts.opening;
        let started_from = opening.base_branch.as_deref();
        let mut all = vec![self.commit("base", &opening.base, started_from)];
        if let Some(merged) = &self.view.branch.merged {
            all.push(self.commit("merged base", &merged.commit, Some(&merged.branch)));
        }
        let actions = [Some(&opening.action), opening.full_action.as_ref()];
        all.extend(actions.into_iter().flatten().map(|action| {
            json!({
                "name": format!("action {}", action.name),
                "digest": {"sha256": digest_of(action)},
                "mediaType": "application/json",
            })
        }));
        for role in &self.audit.roles {
            all.extend(role.role_files.iter().map(|file| {
                json!({
                    "name": format!("role {}", role.called),
                    "digest": {"sha256": file.sha256},
                    "annotations": {"tollgate_file": file.path},
                })
            }));
        }
        all.extend(self.facts.agents());
        all
    }

    fn commit(&self, name: &str, commit: &CommitId, branch: Option<&str>) -> Value {
        let mut found = json!({"name": name, "digest": commit_digest(commit)});
        if let Some(origin) = &self.origin {
            let at = branch.map(|branch| format!("@refs/heads/{branch}")).unwrap_or_default();
            found["uri"] = json!(format!("git+{origin}{at}"));
        }
        found
    }

    fn byproducts(&self) -> Vec<Value> {
        let journal = json!({
            "name": self.view.path_of("journal.jsonl"),
            "digest": {"sha256": hash_bytes(&self.journal)},
            "mediaType": "application/x-ndjson",
            "annotations": {
                "tollgate_records": self.chain.records,
                "tollgate_lastHash": self.chain.last_hash,
                "tollgate_criteria": self.criteria(),
                "tollgate_decisions": self.decisions(),
                "tollgate_checks": self.last_checks(),
                "tollgate_knownIssues": self.view.record.known_issues,
            },
        });
        let artefacts = self.view.results.artefacts.iter().map(|artefact| {
            json!({
                "name": self.view.path_of(&artefact.path),
                "digest": {"sha256": artefact.sha256},
            })
        });
        std::iter::once(journal).chain(artefacts).collect()
    }

    fn criteria(&self) -> Vec<Value> {
        let criteria = self.view.work.criteria.iter();
        let told = criteria.map(|criterion| {
            json!({
                "id": criterion.id,
                "description": criterion.description,
                "verify": criterion.verify.iter().map(|proof| &proof.check).collect::<Vec<_>>(),
                "result": criterion.result,
            })
        });
        told.collect()
    }

    /// Who decided what, when, and by the hashes of what was shown.
    fn decisions(&self) -> Vec<Value> {
        let decisions = self.audit.decisions.iter();
        let told = decisions.map(|decision| {
            json!({
                "id": decision.decision_id,
                "kind": decision.kind,
                "status": decision.status,
                "askedAt": decision.asked_at,
                "by": decision.resolved_by,
                "resolvedAt": decision.resolved_at,
                "answer": decision.answer,
                "reason": decision.reason,
                "shown": decision.shown.iter().map(|shown| json!({
                    "name": shown.path, "digest": {"sha256": shown.sha256},
                })).collect::<Vec<_>>(),
            })
        });
        told.collect()
    }

    /// The results that no later run has replaced.
    fn last_checks(&self) -> Vec<Value> {
        let mut told = Vec::new();
        for (index, run) in self.checks.runs.iter().enumerate() {
            if !self.checks.is_last(index) {
                continue;
            }
            told.extend(run.results.iter().map(|result| {
                json!({
                    "run": run.number,
                    "of": run.purpose.to_string(),
                    "command": result.command,
                    "passed": result.passed,
                    "exitCode": result.exit_code,
                })
            }));
        }
        told
    }
}

/// Git's own name for it, and the one that other tools know.
fn commit_digest(commit: &CommitId) -> Value {
    const SHA1_CHARS: usize = 40;
    let mut digest = json!({"gitCommit": commit});
    if commit.as_str().len() == SHA1_CHARS {
        digest["sha1"] = json!(commit);
    }
    digest
}

/// Of a value as the journal has it.
fn digest_of(value: &impl serde::Serialize) -> String {
    let bytes = serde_json::to_vec(value).expect("what the journal has can be written as JSON");
    hash_bytes(&bytes).to_string()
}
