// Brings the server's own objects back when somebody has deleted them: namespaces of the system,
// its service, its config maps.
// Upstream looks for them at intervals; here the interval only says when one that is missing comes
// back, so that no timer runs while none is.
// Upstream:
// k8s.io/kubernetes/pkg/controlplane/controller/{systemnamespaces,kubernetesservice,clusterauthenticationtrust,
// legacytokentracking}.
import type { JsonObject } from "homeostat/api";
import type { Clock, Timer } from "homeostat/runtime";
import type { LoopbackClient } from "./loopback-client.ts";
import { mutableAt } from "../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
import type { CoreServices } from "../registry/scope/core-services.ts";
import { storageKeyOf, storagePrefixOf } from "../registry/revisions/storage-key.ts";

interface Kept {
  readonly kind: string;
  readonly resource: string;
  readonly namespace: string;
  readonly names: readonly string[];
  /** Upstream's interval; 0 where it is told of the deletion. */
  readonly everyMs: number;
}

const kept: readonly Kept[] = [
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
/** A controller that is told, and fails, tries again soon. */
const retryMs = 1000;

export interface OwnObjectsOptions {
  readonly core: CoreServices;
  readonly call: LoopbackClient;
  readonly ownObjects: () => readonly string[];
}

/** Keeps them until what is returned is called. */
export function startSystemObjectsController(options: OwnObjectsOptions): () => void {
  const keepers = kept.map((each) => new Keeper(each, options));
  return () => keepers.forEach((keeper) => keeper.stop());
}

class Keeper {
  readonly #kept: Kept;
  readonly #options: OwnObjectsOptions;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #missing = new Set<string>();
  readonly #watch: { stop(): void } | undefined;
  #timer: Timer | undefined;

  constructor(kept: Kept, options: OwnObjectsOptions) {
    const { store, catalog, runtime } = options.core;
    this.#kept = kept;
    this.#options = options;
    this.#clock = runtime.clock;
    this.#startedAt = runtime.clock.monotonic();
    const resource = catalog.find("", "v1", kept.resource);
    if (!resource) return;
    const names = new Map(
      kept.names.map((name) => [storageKeyOf(resource, kept.namespace, name), name]),
    );
    const watch = store.since(
      storagePrefixOf(resource, kept.namespace),
      store.revision(),
      ({ key, type }) => {
        const name = type === "DELETED" ? names.get(key) : undefined;
        if (name !== undefined) this.#lost(name);
      },
    );
    this.#watch = typeof watch === "object" ? watch : undefined;
  }

  stop(): void {
    this.#watch?.stop();
    this.#timer?.cancel();
    this.#missing.clear();
  }

  #lost(name: string): void {
    this.#missing.add(name);
    this.#arm(untilNext(this.#kept.everyMs, this.#clock.monotonic() - this.#startedAt));
  }

  #arm(afterMs: number): void {
    this.#timer ??= this.#clock.timer(afterMs, () => {
      this.#timer = undefined;
      void this.#bringBack();
    });
  }

  async #bringBack(): Promise<void> {
    const names = [...this.#missing];
    this.#missing.clear();
    for (const name of names)
      if (!(await this.#create(name).catch(() => false))) this.#missing.add(name);
    if (this.#missing.size) this.#arm(this.#kept.everyMs || retryMs);
  }

  /** Resolves to whether there is one now. */
  async #create(name: string): Promise<boolean> {
    const { kind, resource, namespace } = this.#kept;
    const object = this.#options
      .ownObjects()
      .filter((text) => text.startsWith(`{"kind":"${kind}"`))
      .map((text) => JSON.parse(text) as JsonObject)
      .find((each) => metadataOf(each)["name"] === name);
    if (!object) return true;
    const { status } = await this.#options.call(
      "POST",
      `/api/v1${namespace ? `/namespaces/${namespace}` : ""}/${resource}`,
      asAsked(object),
    );
    return status < 300 || status === 409;
  }
}

/** How long until the next of the moments that lie `everyMs` apart. */
const untilNext = (everyMs: number, sinceMs: number): number =>
  everyMs === 0 ? 0 : everyMs - (sinceMs % everyMs);

/** The object as it would be sent: without what the server adds. */
function asAsked(object: JsonObject): JsonObject {
  const { name, namespace, labels } = metadataOf(object);
  const { status: _, ...asked } = object;
  const spec = mutableAt(asked, "spec");
  for (const field of ["clusterIPs", "ipFamilies", "finalizers"]) if (spec) delete spec[field];
  return {
    ...asked,
    metadata: {
      name: name!,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
    },
  };
}
