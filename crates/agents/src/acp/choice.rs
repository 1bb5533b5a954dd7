//! What to choose of what an agent offers: a mode in which it asks before it changes things, and the model of the settings.

use super::wrapped::{OverAcp, over_acp};
use crate::Access;
use serde_json::{Value, json};

/// A request that makes a choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub method: &'static str,
    pub params: Value,
}

/// The mode for this role when the agent is in another one; `session` is what it said when the session began.
///
/// Where it asks, we answer by the role. A mode that asks nobody is never chosen, nor one in which it only plans: that
/// changes what it is told to do.
pub fn mode(session: &Value, access: Access) -> Option<Choice> {
    const ASKING: [&str; 5] = ["default", "approve", "ask", "manual", "workspace-write"];
    const READING: [&str; 1] = ["read-only"];
    let offered: Vec<&str> =
        items(&session["modes"]["availableModes"]).filter_map(|mode| mode["id"].as_str()).collect();
    let first: &[&str] = if access == Access::Read { &READING } else { &[] };
    let ours = over_acp().filter_map(OverAcp::mode);
    let mut all = ours.chain(first.iter().chain(&ASKING).copied());
    let wanted = all.find(|id| offered.contains(id))?;
    (session["modes"]["currentModeId"] != wanted).then(|| Choice {
        method: "session/set_mode",
        params: json!({ "sessionId": session["sessionId"], "modeId": wanted }),
    })
}

/// Nothing when it is the one already; the inner error lists what there is.
pub fn model(session: &Value, wanted: &str) -> Result<Option<Choice>, String> {
    let option = items(&session["configOptions"])
        .find(|option| option["category"] == "model" || option["id"] == "model");
    let offered: Vec<&str> = option.map(values).unwrap_or_default();
    if let Some(option) = option.filter(|_| offered.contains(&wanted)) {
        let params = json!({
            "sessionId": session["sessionId"], "configId": option["id"], "value": wanted
        });
        let choice = Choice { method: "session/set_config_option", params };
        return Ok((option["currentValue"] != wanted).then_some(choice));
    }
    let models = &session["models"];
    let listed: Vec<&str> =
        items(&models["availableModels"]).filter_map(|model| model["modelId"].as_str()).collect();
    if listed.contains(&wanted) {
        let params = json!({ "sessionId": session["sessionId"], "modelId": wanted });
        let choice = Choice { method: "session/set_model", params };
        return Ok((models["currentModelId"] != wanted).then_some(choice));
    }
    let all = [offered, listed].concat();
    Err(match all.is_empty() {
        true => format!(
            "the agent does not let Tollgate choose a model, so model = {wanted:?} cannot be used; set it in the agent's own settings or variables"
        ),
        false => format!("the agent offers no model {wanted:?}; it offers {}", all.join(", ")),
    })
}

/// The values of an option, in groups or not.
fn values(option: &Value) -> Vec<&str> {
    let flat = items(&option["options"]);
    let in_groups = items(&option["options"]).flat_map(|group| items(&group["options"]));
    flat.chain(in_groups).filter_map(|value| value["value"].as_str()).collect()
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// A way to log in for which nobody has to do anything: the key is in the environment, or it fails.
pub fn login(methods: &Value) -> Option<&str> {
    items(methods)
        .filter_map(|method| method["id"].as_str())
        .find(|id| id.contains("api-key") || id.contains("api_key"))
}
