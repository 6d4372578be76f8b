// Namespace deletion: empties a namespace that is being deleted, says in five conditions what is left, and takes the
// `kubernetes` finalizer off its spec once nothing is.
// Upstream: k8s.io/kubernetes/pkg/controller/namespace/namespace_controller.go.
import { isConflict, isNotFound, type JsonObject } from "homeostat/api";
import { type Client, dynamicKind } from "homeostat/client";
import { createWorkQueue, type WorkQueue } from "homeostat/queue";
import type { RunningSimulator, Simulator, SimulatorContext } from "../simulator.ts";
import { type ContentReport, type NamespaceCondition, reportContent } from "./content-report.ts";
import { emptyNamespace } from "./empty-namespace.ts";

const namespaces = dynamicKind({ apiVersion: "v1", kind: "Namespace", resource: "namespaces", scope: "Cluster" });
const finalizer = "kubernetes";
/** Soonest and latest next look at a namespace that still holds something; watches do not tell of every kind's end. */
const lookAgainMs = { first: 100, most: 5_000 };

interface Namespace {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string; readonly deletionTimestamp?: string };
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly NamespaceCondition[] };
}

/** `namespace`, as kube-controller-manager calls it. */
export const namespaceLifecycle: Simulator = {
  name: "namespace",
  byDefault: true,
  async start(context) {
    const queue = createWorkQueue({ runtime: context.runtime, backoff: { firstMs: lookAgainMs.first, maxMs: lookAgainMs.most } });
    const lease = context.cache.acquire(namespaces);
    const wake = (object: { readonly key: string; readonly deleting: boolean }): void => {
      if (object.deleting) queue.add(object.key);
    };
    const handler = lease.informer.addHandler({ added: wake, updated: (_, object) => wake(object) });
    const working = work(context, queue);
    return {
      async stop() {
        handler.remove();
        lease.release();
        await queue.shutDown();
        await working;
      },
    } satisfies RunningSimulator;
  },
};

async function work(context: SimulatorContext, queue: WorkQueue): Promise<void> {
  for (let item = await queue.get(); item; item = await queue.get()) {
    try {
      if (await terminate(context, item.key)) queue.forget(item.key);
      else queue.addRateLimited(item.key);
    } catch (error) {
      queue.addRateLimited(item.key);
      if (!isConflict(error) && item.failures > 5) context.warn(`the deletion of namespace ${item.key} keeps failing`, error);
    }
    queue.done(item.key);
  }
}

/** One pass; true when nothing is left to do here. */
async function terminate(context: SimulatorContext, name: string): Promise<boolean> {
  const { client } = context;
  const namespace = (await client.find(namespaces, name)) as Namespace | undefined;
  if (!namespace || namespace.metadata.deletionTimestamp === undefined || !namespace.spec?.finalizers?.length) return true;
  const terminating = namespace.status?.phase === "Terminating" ? namespace : await setStatus(client, namespace, { ...namespace.status, phase: "Terminating" });
  const report = await emptyKnown(context, name);
  const conditions = reportContent(report, terminating.status?.conditions ?? [], seconds(context.runtime.clock.now()));
  const reported = conditions ? await setStatus(client, terminating, { ...terminating.status, conditions }) : terminating;
  if (report.remaining.size > 0 || report.failures.length > 0) return false;
  await finalize(client, reported);
  return true;
}

async function emptyKnown({ client, kinds }: SimulatorContext, name: string): Promise<ContentReport> {
  try {
    return await emptyNamespace(client, await kinds.collectable(), name);
  } catch (error) {
    const discoveryError = error instanceof Error ? error.message : String(error);
    return { discoveryError, failures: [discoveryError], remaining: new Map(), finalizers: new Map() };
  }
}

async function setStatus(client: Client, namespace: Namespace, status: object): Promise<Namespace> {
  return (await client.update(namespaces, { ...namespace, status } as never, { subresource: "status" })) as unknown as Namespace;
}

async function finalize(client: Client, namespace: Namespace): Promise<void> {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((one) => one !== finalizer).toSorted();
  const body = { ...namespace, apiVersion: "v1", kind: "Namespace", spec: { ...namespace.spec, finalizers } } as unknown as JsonObject;
  await client.request({ method: "PUT", path: `/api/v1/namespaces/${namespace.metadata.name}/finalize`, body }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

const seconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
