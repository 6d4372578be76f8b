// Restores the server's own objects after their deletion: system namespaces, the service
// `kubernetes`, and ConfigMaps of kube-system.
// Upstream checks for them at intervals; here the interval only sets when a deleted object is
// restored, so that no timer runs while none is missing.
// Upstream: k8s.io/kubernetes/pkg/controlplane/controller/systemnamespaces, kubernetesservice,
// clusterauthenticationtrust, legacytokentracking.
import { isObject, type JsonObject } from "homeostat/api";
import type { NamespaceSpec, ServiceSpec } from "homeostat/k8s/core/v1";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
import type { HookContext } from "./hook-context.ts";
import { HookController } from "./hook-controller.ts";
import { StoredResource } from "./stored-resource.ts";

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

/** Starts a controller for each kind. */
export const startSystemObjectsControllers = (
  options: SystemObjectsOptions,
): readonly HookController[] => systemObjects.map((each) => restore(each, options));

function restore(objects: SystemObjects, options: SystemObjectsOptions): HookController {
  const { kind, namespace, resource, names, everyMs } = objects;
  const { clock } = options.core.runtime;
  const startedAt = clock.monotonic();
  const controller = new HookController(options, {
    retryMs: everyMs || retryMs,
    failing: (name) => `${kind} ${name} cannot be restored`,
  });
  const stored = new StoredResource(options.core, "", resource);
  controller.onStop(
    stored.watch(({ name, revision }) => {
      if (revision.type === "DELETED" && names.includes(name))
        controller.add(name, untilNext(everyMs, clock.monotonic() - startedAt));
    }, namespace),
  );
  controller.start(async (name) => {
    if (!stored.latest(namespace, name)) await create(name, objects, options);
  });
  return controller;
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
