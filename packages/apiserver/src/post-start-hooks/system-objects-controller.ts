// Restores the server's own objects after their deletion: system namespaces, the service
// `kubernetes`, and ConfigMaps of kube-system.
// Upstream checks for them at intervals; here the interval only sets when a deleted object is
// restored, so that no timer runs while none is missing.
// Upstream: k8s.io/kubernetes/pkg/controlplane/controller/systemnamespaces, kubernetesservice,
// clusterauthenticationtrust, legacytokentracking.
import { isObject, type JsonObject } from "homeostat/api";
import type { NamespaceSpec, ServiceSpec } from "homeostat/k8s/core/v1";
import { createKeyedWorkers, type KeyedWorkers } from "homeostat/queue";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
import { watchRevisions } from "../registry/revisions/follow-revisions.ts";
import { storageKeyOf, storagePrefixOf } from "../registry/revisions/storage-key.ts";
import type { HookContext } from "./hook-context.ts";

interface SystemObjects {
  readonly kind: string;
  readonly resource: string;
  readonly namespace: string;
  readonly names: readonly string[];
  /** Upstream's interval; 0 where upstream watches. */
  readonly everyMs: number;
}

const systemObjects: readonly SystemObjects[] = [
  {
    kind: "Namespace",
    resource: "namespaces",
    namespace: "",
    names: ["default", "kube-node-lease", "kube-public", "kube-system"],
    everyMs: 60_000,
  },
  {
    kind: "Service",
    resource: "services",
    namespace: "default",
    names: ["kubernetes"],
    everyMs: 10_000,
  },
  {
    kind: "ConfigMap",
    resource: "configmaps",
    namespace: "kube-system",
    names: [
      "extension-apiserver-authentication",
      "kube-apiserver-legacy-service-account-token-tracking",
    ],
    everyMs: 0,
  },
];
/** Delay after a failure, for objects that upstream watches. */
const retryMs = 1000;

export interface SystemObjectsOptions extends HookContext {
  /** The JSON of every bootstrap object, as of now. */
  readonly bootstrapObjects: () => readonly string[];
}

/** Starts the controller. Returns a function that stops it. */
export function startSystemObjectsController(options: SystemObjectsOptions): () => Promise<void> {
  const stops = systemObjects.map((each) => restore(each, options));
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

function restore(objects: SystemObjects, options: SystemObjectsOptions): () => Promise<void> {
  const { core, warn } = options;
  const { kind, namespace, resource, everyMs } = objects;
  const served = core.catalog.find("", "v1", resource);
  if (!served) return async () => {};
  const startedAt = core.runtime.clock.monotonic();
  const delayMs = everyMs || retryMs;
  const workers: KeyedWorkers = createKeyedWorkers({
    runtime: core.runtime,
    backoff: { firstMs: delayMs, maxMs: delayMs },
    failing: (name, error) => warn?.(`${kind} ${name} cannot be restored`, error),
  });
  const names = new Map(
    objects.names.map((name) => [storageKeyOf(served, namespace, name), name] as const),
  );
  const stopWatching = watchRevisions(
    core.store,
    storagePrefixOf(served, namespace),
    ({ key, type }) => {
      const name = type === "DELETED" ? names.get(key) : undefined;
      if (name !== undefined)
        workers.add(name, untilNext(everyMs, core.runtime.clock.monotonic() - startedAt));
    },
  );
  workers.start((name) => create(name, objects, options));
  return async () => {
    stopWatching();
    await workers.stop();
  };
}

/** Creates the object. Rejects when the server refuses it for another reason than its existence. */
async function create(
  name: string,
  { kind, namespace, resource }: SystemObjects,
  { bootstrapObjects, loopback }: SystemObjectsOptions,
): Promise<void> {
  const object = bootstrapObjects()
    .filter((text) => text.startsWith(`{"kind":"${kind}"`))
    .map((text) => JSON.parse(text) as JsonObject)
    .find((each) => metadataOf(each).name === name);
  if (!object) return;
  const path = `/api/v1${namespace ? `/namespaces/${namespace}` : ""}/${resource}`;
  const { status } = await loopback("POST", path, withoutServerFields(object));
  if (status >= 300 && status !== 409)
    throw new Error(`create ${kind} ${name}: expected 201, got ${status}`);
}

/** How long until the next multiple of `everyMs`. */
const untilNext = (everyMs: number, sinceMs: number): number =>
  everyMs === 0 ? 0 : everyMs - (sinceMs % everyMs);

const serverFields: readonly (keyof ServiceSpec | keyof NamespaceSpec)[] = [
  "clusterIPs",
  "ipFamilies",
  "finalizers",
];

/** The object as a client sends it: without the fields that the server sets. */
function withoutServerFields(object: JsonObject): JsonObject {
  const { name, namespace, labels } = metadataOf(object);
  const { status: _, ...sent } = object;
  if (isObject(sent.spec)) for (const field of serverFields) delete sent.spec[field];
  return {
    ...sent,
    metadata: {
      name: name!,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
    },
  };
}
