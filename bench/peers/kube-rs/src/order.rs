//! The Order of ../../../rows/objects.ts.
use k8s_openapi::{
    apimachinery::pkg::apis::meta::v1::{Condition, Time},
    jiff::Timestamp,
};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(
    group = "bench.example.com",
    version = "v1",
    kind = "Order",
    namespaced,
    status = "OrderStatus"
)]
pub struct OrderSpec {
    pub table: i64,
    pub chef: String,
    pub note: String,
    #[serde(default)]
    pub dishes: Vec<Dish>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Dish {
    pub name: String,
    #[serde(default)]
    pub spicy: bool,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderStatus {
    #[serde(default)]
    pub cooked: usize,
    pub observed_generation: Option<i64>,
    #[serde(default)]
    pub conditions: Vec<Condition>,
}

impl Order {
    /// The status of the order once its dishes are counted. A condition that keeps its status keeps
    /// the time of its last transition.
    pub fn served(&self) -> OrderStatus {
        let conditions = self.status.iter().flat_map(|status| &status.conditions);
        let before = conditions
            .clone()
            .find(|condition| condition.type_ == "Ready" && condition.status == "True");
        OrderStatus {
            cooked: self.spec.dishes.len(),
            observed_generation: self.metadata.generation,
            conditions: vec![Condition {
                type_: "Ready".into(),
                status: "True".into(),
                reason: "Served".into(),
                message: String::new(),
                observed_generation: self.metadata.generation,
                last_transition_time: before.map_or_else(
                    || Time(Timestamp::now()),
                    |condition| condition.last_transition_time.clone(),
                ),
            }],
        }
    }
}
