//! kube-rs: a derived definition, a controller with finalizer and owned child, apply, watches both ways, events, refusals.
//! Prints "ok NAME: seen" or "not ok NAME: why" for each case; what was seen is the same on every server.
use std::{collections::BTreeMap, future::Future, sync::Arc, time::Duration};

use anyhow::{anyhow, bail, ensure, Result};
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Namespace, Secret},
    events::v1::Event as RecordedEvent,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    api::{Api, ApiResource, DeleteParams, DynamicObject, ListParams, ObjectMeta, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
    discovery::Discovery,
    runtime::{
        controller::{Action, Controller},
        events::{Event, EventType, Recorder, Reporter},
        finalizer::{finalizer, Event as Finalizer},
        wait::{await_condition, conditions},
        watcher, WatchStreamExt,
    },
    Client, CustomResource, CustomResourceExt, Resource, ResourceExt,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

const GROUP: &str = "outside.example.com";

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "outside.example.com", version = "v1", kind = "Crab", namespaced, status = "CrabStatus", shortname = "cb")]
struct CrabSpec {
    #[schemars(range(min = 1, max = 10))]
    legs: i32,
    colour: Option<String>,
}

#[derive(Serialize, Deserialize, Clone, Debug, Default, JsonSchema)]
struct CrabStatus {
    legs: Option<i32>,
}

struct Session {
    client: Client,
    namespace: String,
    failed: bool,
}

impl Session {
    async fn case<F: Future<Output = Result<String>>>(&mut self, name: &str, run: F) {
        match run.await {
            Ok(seen) => println!("ok {name}: {}", seen.replace('\n', " | ")),
            Err(error) => {
                self.failed = true;
                println!("not ok {name}: {}", format!("{error:#}").replace('\n', " | "));
            }
        }
    }
}

fn refused<T>(answer: kube::Result<T>) -> Result<String> {
    match answer {
        Err(kube::Error::Api(status)) => Ok(format!("{} {} {}", status.code, status.reason, status.message)),
        Err(other) => Err(other.into()),
        Ok(_) => bail!("accepted, and a refusal was expected"),
    }
}

async fn within<T, F: Future<Output = Result<T>>>(limit: Duration, ask: impl Fn() -> F) -> Result<T> {
    let end = tokio::time::Instant::now() + limit;
    loop {
        match ask().await {
            Ok(value) => return Ok(value),
            Err(error) if tokio::time::Instant::now() > end => return Err(error),
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

fn config_map(name: &str, data: &[(&str, &str)]) -> ConfigMap {
    let data: BTreeMap<_, _> = data.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    ConfigMap { metadata: ObjectMeta { name: Some(name.into()), ..Default::default() }, data: Some(data), ..Default::default() }
}

#[tokio::main]
async fn main() -> Result<()> {
    let client = Client::try_default().await?;
    let spaces: Api<Namespace> = Api::all(client.clone());
    let space: Namespace = serde_json::from_value(json!({ "metadata": { "generateName": "outside-" } }))?;
    let namespace = spaces.create(&PostParams::default(), &space).await?.name_any();
    let mut session = Session { client: client.clone(), namespace: namespace.clone(), failed: false };
    run(&mut session).await;
    spaces.delete(&namespace, &DeleteParams::default()).await?;
    std::process::exit(session.failed as i32)
}

async fn run(s: &mut Session) {
    let (client, namespace) = (s.client.clone(), s.namespace.clone());
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), &namespace);
    s.case("a config map is created, replaced, listed, deleted", objects(&maps)).await;
    s.case("refusals", refusals(&maps)).await;
    s.case("patches", patches(&maps)).await;
    s.case("a deployment and its scale", scale(Api::namespaced(client.clone(), &namespace))).await;
    s.case("a watch sees what happens, in order", watch(Api::namespaced(client.clone(), &namespace))).await;
    s.case("a derived definition is applied and established", define(Api::all(client.clone()))).await;
    s.case("discovery finds it", discover(client.clone())).await;
    let crabs: Api<Crab> = Api::namespaced(client.clone(), &namespace);
    s.case("what breaks the schema is refused", async { refused(crabs.create(&PostParams::default(), &Crab::new("bad", CrabSpec { legs: 11, colour: None })).await) }).await;
    s.case("a controller: finalizer, child, status, event", control(client.clone(), namespace.clone(), crabs.clone())).await;
    s.case("watchers by list and by stream agree", watchers(&maps)).await;
    s.case("the definition goes", undefine(Api::all(client), crabs)).await;
}

async fn objects(maps: &Api<ConfigMap>) -> Result<String> {
    let mut made = maps.create(&PostParams::default(), &config_map("one", &[("k", "v")])).await?;
    made.data.get_or_insert_default().insert("k".into(), "w".into());
    made.labels_mut().insert("a".into(), "b".into());
    maps.replace("one", &PostParams::default(), &made).await?;
    let list = maps.list(&ListParams::default().labels("a=b").fields("metadata.name=one")).await?;
    maps.delete("one", &DeleteParams::default()).await?;
    Ok(format!("{:?} {:?}", list.items[0].data, maps.get_opt("one").await?.is_none()))
}

async fn refusals(maps: &Api<ConfigMap>) -> Result<String> {
    let stale = maps.create(&PostParams::default(), &config_map("stale", &[])).await?;
    maps.patch("stale", &PatchParams::default(), &Patch::Merge(json!({ "data": { "k": "v" } }))).await?;
    let seen = [
        refused(maps.get("nobody").await)?,
        refused(maps.create(&PostParams::default(), &config_map("stale", &[])).await)?,
        refused(maps.replace("stale", &PostParams::default(), &stale).await)?,
        refused(maps.create(&PostParams::default(), &config_map("Bad_Name", &[])).await)?,
    ];
    Ok(seen.join(" / "))
}

async fn patches(maps: &Api<ConfigMap>) -> Result<String> {
    let mine = PatchParams::apply("first");
    let body = |value: &str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "applied" }, "data": { "k": value } });
    maps.patch("applied", &mine, &Patch::Apply(body("1"))).await?;
    let conflict = refused(maps.patch("applied", &PatchParams::apply("second"), &Patch::Apply(body("2"))).await)?;
    let forced = maps.patch("applied", &PatchParams::apply("second").force(), &Patch::Apply(body("2"))).await?;
    let strategic = maps.patch("applied", &PatchParams::default(), &Patch::Strategic(json!({ "data": { "s": "3" } }))).await?;
    let metadata = maps.patch_metadata("applied", &PatchParams::default(), &Patch::Merge(json!({ "metadata": { "labels": { "l": "4" } } }))).await?;
    Ok(format!("{conflict} / {:?} / {:?} / {:?}", forced.data, strategic.data, metadata.metadata.labels))
}

async fn scale(deployments: Api<Deployment>) -> Result<String> {
    let body: Deployment = serde_json::from_value(json!({
        "metadata": { "name": "web" },
        "spec": { "selector": { "matchLabels": { "app": "web" } }, "template": { "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [{ "name": "c", "image": "nginx" }] } } },
    }))?;
    deployments.create(&PostParams::default(), &body).await?;
    let scaled = deployments.patch_scale("web", &PatchParams::default(), &Patch::Merge(json!({ "spec": { "replicas": 3 } }))).await?;
    let read = deployments.get("web").await?;
    Ok(format!("{:?} {:?} {:?}", scaled.spec, read.spec.and_then(|spec| spec.replicas), read.metadata.generation))
}

async fn watch(secrets: Api<Secret>) -> Result<String> {
    let version = secrets.list(&ListParams::default()).await?.metadata.resource_version.unwrap_or_default();
    let stream = secrets.watch(&WatchParams::default().timeout(10), &version).await?;
    let secret: Secret = serde_json::from_value(json!({ "metadata": { "name": "seen" }, "stringData": { "k": "v" } }))?;
    secrets.create(&PostParams::default(), &secret).await?;
    secrets.patch("seen", &PatchParams::default(), &Patch::Merge(json!({ "stringData": { "k": "w" } }))).await?;
    secrets.delete("seen", &DeleteParams::default()).await?;
    let mut seen = vec![];
    futures::pin_mut!(stream);
    while let Some(event) = stream.try_next().await? {
        match event {
            WatchEvent::Added(_) => seen.push("added"),
            WatchEvent::Modified(_) => seen.push("modified"),
            WatchEvent::Deleted(_) => {
                seen.push("deleted");
                break;
            }
            WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(error) => bail!("{error:?}"),
        }
    }
    Ok(seen.join(" "))
}

async fn define(definitions: Api<CustomResourceDefinition>) -> Result<String> {
    let made = definitions.patch(&format!("crabs.{GROUP}"), &PatchParams::apply("outside").force(), &Patch::Apply(Crab::crd())).await?;
    tokio::time::timeout(Duration::from_secs(10), await_condition(definitions, &made.name_any(), conditions::is_crd_established())).await??;
    Ok(format!("{:?}", made.spec.names.short_names))
}

async fn discover(client: Client) -> Result<String> {
    within(Duration::from_secs(5), || async {
        let discovery = Discovery::new(client.clone()).filter(&[GROUP]).run().await?;
        let group = discovery.get(GROUP).ok_or_else(|| anyhow!("no such group"))?;
        let (resource, capabilities) = group.recommended_kind("Crab").ok_or_else(|| anyhow!("no such kind"))?;
        let objects: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
        Ok(format!("{} {:?} {}", resource.plural, capabilities.scope, objects.list(&ListParams::default()).await?.items.len()))
    })
    .await
}

struct Context {
    client: Client,
    recorder: Recorder,
}

async fn reconcile(crab: Arc<Crab>, context: Arc<Context>) -> Result<Action, kube::runtime::finalizer::Error<kube::Error>> {
    let namespace = crab.namespace().unwrap_or_default();
    let crabs: Api<Crab> = Api::namespaced(context.client.clone(), &namespace);
    finalizer(&crabs, "outside.example.com/crab", crab, |event| async {
        match event {
            Finalizer::Apply(crab) => shape(&crab, &context, &namespace).await,
            Finalizer::Cleanup(crab) => {
                let maps: Api<ConfigMap> = Api::namespaced(context.client.clone(), &namespace);
                maps.create(&PostParams::default(), &config_map(&format!("{}-cleaned", crab.name_any()), &[])).await?;
                Ok(Action::await_change())
            }
        }
    })
    .await
}

async fn shape(crab: &Crab, context: &Context, namespace: &str) -> kube::Result<Action> {
    let maps: Api<ConfigMap> = Api::namespaced(context.client.clone(), namespace);
    let name = format!("{}-child", crab.name_any());
    let mut child = config_map(&name, &[("legs", &crab.spec.legs.to_string())]);
    child.metadata.owner_references = crab.controller_owner_ref(&()).map(|owner| vec![owner]);
    maps.patch(&name, &PatchParams::apply("crabs").force(), &Patch::Apply(child)).await?;
    let crabs: Api<Crab> = Api::namespaced(context.client.clone(), namespace);
    let status = json!({ "apiVersion": "outside.example.com/v1", "kind": "Crab", "status": { "legs": crab.spec.legs } });
    crabs.patch_status(&crab.name_any(), &PatchParams::apply("crabs").force(), &Patch::Apply(status)).await?;
    let event = Event { type_: EventType::Normal, reason: "Shaped".into(), note: Some(format!("{} legs", crab.spec.legs)), action: "Shape".into(), secondary: None };
    context.recorder.publish(&event, &crab.object_ref(&())).await?;
    Ok(Action::await_change())
}

async fn control(client: Client, namespace: String, crabs: Api<Crab>) -> Result<String> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), &namespace);
    let events: Api<RecordedEvent> = Api::namespaced(client.clone(), &namespace);
    let recorder = Recorder::new(client.clone(), Reporter { controller: "crabs".into(), instance: None });
    let context = Arc::new(Context { client, recorder });
    let controller = Controller::new(crabs.clone(), watcher::Config::default()).owns(maps.clone(), watcher::Config::default());
    let running = tokio::spawn(controller.run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(200)), context).for_each(|_| async {}));
    crabs.create(&PostParams::default(), &Crab::new("crab", CrabSpec { legs: 8, colour: None })).await?;
    let legs = |wanted: i32| {
        let (crabs, maps) = (crabs.clone(), maps.clone());
        move || {
            let (crabs, maps) = (crabs.clone(), maps.clone());
            async move {
                let crab = crabs.get("crab").await?;
                ensure!(crab.status.clone().unwrap_or_default().legs == Some(wanted), "status is {:?}", crab.status);
                let child = maps.get("crab-child").await?;
                Ok(format!("{:?} {:?} {:?}", crab.finalizers(), child.data, child.owner_references().first().map(|owner| owner.kind.clone())))
            }
        }
    };
    let first = within(Duration::from_secs(10), legs(8)).await?;
    crabs.patch("crab", &PatchParams::default(), &Patch::Merge(json!({ "spec": { "legs": 10 } }))).await?;
    let second = within(Duration::from_secs(10), legs(10)).await?;
    let event = within(Duration::from_secs(5), || async { events.list(&ListParams::default()).await?.items.into_iter().find(|event| event.reason.as_deref() == Some("Shaped")).ok_or_else(|| anyhow!("no event")) }).await?;
    crabs.delete("crab", &DeleteParams::default()).await?;
    within(Duration::from_secs(10), || async { if crabs.get_opt("crab").await?.is_some() { bail!("still there") } else { Ok(()) } }).await?;
    running.abort();
    Ok(format!("{first} / {second} / {:?} {:?} / {}", event.note, event.reporting_controller, maps.get("crab-cleaned").await?.name_any()))
}

async fn watchers(maps: &Api<ConfigMap>) -> Result<String> {
    let mut seen = vec![];
    for config in [watcher::Config::default().any_semantic(), watcher::Config::default().streaming_lists()] {
        let stream = watcher(maps.clone(), config).applied_objects();
        futures::pin_mut!(stream);
        let mut names = vec![];
        while let Ok(Some(Ok(map))) = tokio::time::timeout(Duration::from_secs(1), stream.next()).await {
            names.push(map.name_any());
        }
        names.retain(|name| name != "kube-root-ca.crt" && name != "crab-child"); // made or collected where controllers run
        names.sort();
        seen.push(names);
    }
    ensure!(seen[0] == seen[1], "{seen:?}");
    Ok(seen[0].join(" "))
}

async fn undefine(definitions: Api<CustomResourceDefinition>, crabs: Api<Crab>) -> Result<String> {
    definitions.delete(&format!("crabs.{GROUP}"), &DeleteParams::default()).await?;
    within(Duration::from_secs(10), || async { if crabs.list(&ListParams::default()).await.is_ok() { bail!("still served") } else { Ok(()) } }).await?;
    let _ = ApiResource::erase::<Crab>(&());
    Ok("gone".into())
}
