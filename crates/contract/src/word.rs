//! Spelled enums of the core as schema types, so that reading and `schema` share one list of words.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use tollgate_core::decision::{BlockerCode, CorrectionStatus, DecisionStatus};
use tollgate_core::earlier::EarlierState;
use tollgate_core::finding::FindingStatus;
use tollgate_core::reply::{ReplyStatus, Severity};
use tollgate_core::role::{Mode, ProjectType, RepairLoop, Role, State};
use tollgate_core::task::{RiskFlag, TaskKind, TaskStatus};
use tollgate_core::work::ChangeType;

/// One word out of a fixed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Word<T>(pub T);

pub trait Words {
    const NAME: &'static str;
    fn words() -> Vec<&'static str>;
}

macro_rules! words {
    ($($name:ident),+ $(,)?) => {
        $(impl Words for $name {
            const NAME: &'static str = stringify!($name);

            fn words() -> Vec<&'static str> {
                Self::ALL.iter().map(|word| word.as_str()).collect()
            }
        })+
    };
}

words!(
    BlockerCode,
    ChangeType,
    CorrectionStatus,
    DecisionStatus,
    EarlierState,
    FindingStatus,
    Mode,
    ProjectType,
    RepairLoop,
    ReplyStatus,
    RiskFlag,
    Role,
    Severity,
    State,
    TaskKind,
    TaskStatus,
);

impl<T: Words> JsonSchema for Word<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": T::words() })
    }
}

impl<T> From<T> for Word<T> {
    fn from(word: T) -> Self {
        Self(word)
    }
}
