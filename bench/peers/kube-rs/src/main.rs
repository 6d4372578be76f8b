//! The operator of the rows on kube-rs: counts dishes and says Ready. Arguments: kubeconfig,
//! namespace, workers, number of objects. Prints "synced", "first" at its first reconcile, and
//! "done" once it has written the status of all objects. On each line of input it prints the bytes
//! of its live heap, which a counting global allocator knows.
use std::{
    env,
    future::ready,
    io::stdin,
    process::exit,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use anyhow::Context;
use futures::{FutureExt, StreamExt, future::BoxFuture, join};
use kube::{
    Api, Client, Config, Resource, ResourceExt,
    api::{Patch, PatchParams},
    config::{KubeConfigOptions, Kubeconfig},
    runtime::{
        Controller, WatchStreamExt,
        controller::{self, Action},
        reflector::{self, Store},
        watcher,
    },
};
use serde_json::json;

mod live_heap;
mod order;

use live_heap::LiveHeap;
use order::Order;

#[global_allocator]
static HEAP: LiveHeap = LiveHeap::new();

struct Cooks {
    orders: Api<Order>,
    has_begun: AtomicBool,
    left: AtomicUsize,
}

async fn reconcile(order: Arc<Order>, cooks: Arc<Cooks>) -> kube::Result<Action> {
    if !cooks.has_begun.swap(true, Relaxed) {
        println!("first");
    }
    let status = order.served();
    if order.status.as_ref() == Some(&status) {
        return Ok(Action::await_change());
    }
    let patch = json!({
        "apiVersion": Order::api_version(&()),
        "kind": Order::kind(&()),
        "status": status,
    });
    let params = PatchParams::apply("cooks").force();
    cooks
        .orders
        .patch_status(&order.name_any(), &params, &Patch::Apply(&patch))
        .await?;
    if cooks.left.fetch_sub(1, Relaxed) == 1 {
        println!("done");
    }
    Ok(Action::await_change())
}

fn error_policy(order: Arc<Order>, error: &kube::Error, _: Arc<Cooks>) -> Action {
    eprintln!("reconcile {}: {error}", order.name_any());
    Action::requeue(Duration::from_secs(1))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = env::args().skip(1);
    let mut argument = |name| arguments.next().context(name);
    let kubeconfig = Kubeconfig::read_from(argument("kubeconfig")?)?;
    let namespace = argument("namespace")?;
    let workers = argument("workers")?.parse()?;
    let count = argument("count")?.parse()?;

    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    let orders = Api::namespaced(Client::try_from(config)?, &namespace);
    let (store, run) = match workers {
        0 => watch(orders),
        _ => control(orders, workers, count),
    };
    // In one task: a store wakes only the task that polled it last, and the controller waits for
    // it too (kube-runtime 5.0.0, src/utils/delayed_init.rs).
    join!(report(store), run);
    Ok(())
}

/// Reconciles every change, as the other operators do: a predicate on generations would drop those
/// of labels, and the echo of the status.
fn control(
    orders: Api<Order>,
    workers: u16,
    count: usize,
) -> (Store<Order>, BoxFuture<'static, ()>) {
    let cooks = Cooks {
        orders: orders.clone(),
        has_begun: AtomicBool::new(false),
        left: AtomicUsize::new(count),
    };
    let controller = Controller::new(orders, watcher::Config::default())
        .with_config(controller::Config::default().concurrency(workers));
    let store = controller.store();
    let results = controller.run(reconcile, error_policy, Arc::new(cooks));
    (store, results.for_each(|_| ready(())).boxed())
}

fn watch(orders: Api<Order>) -> (Store<Order>, BoxFuture<'static, ()>) {
    let (store, writer) = reflector::store();
    let changes = watcher(orders, watcher::Config::default())
        .default_backoff()
        .reflect(writer)
        .applied_objects();
    (store, changes.for_each(|_| ready(())).boxed())
}

async fn report(store: Store<Order>) {
    store.wait_until_ready().await.expect("the watch goes on");
    println!("synced");
    // As kube's examples read it: a pending read of tokio's stdin would hold up the exit.
    thread::spawn(|| {
        for _ in stdin().lines() {
            println!("{}", HEAP.bytes());
        }
        exit(0)
    });
}
