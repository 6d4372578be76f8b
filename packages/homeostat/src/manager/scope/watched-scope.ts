// What a manager watches: all namespaces, some by name, or those whose labels match, as they come
// and go. Every kind has one informer, shared by all controllers.
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { formatLabelSelector } from "../../api/selectors/label-selector.ts";
import { dnsLabelFaults } from "../../api/selectors/syntax-rules.ts";
import type { Cache, Informer, InformerLease } from "../../cache/index.ts";
import {
  allNamespaces,
  namedNamespaces,
  type NamespaceScope,
} from "../../controller/watching/namespace-scope.ts";
import { compileSelection, type Labels } from "../../controller/watching/selection.ts";
import { describeError, describeValue } from "../../util/describe-error.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { informerId } from "./informer-id.ts";
import { NamespacedInformers } from "./namespaced-informers.ts";
import { UnionLeases } from "./union-leases.ts";

/** Namespaces by name, or by their labels. */
export type WatchedNamespaces = readonly string[] | { readonly labels: Labels };

/** The informers of a manager. */
export interface WatchedScope {
  readonly namespaces: NamespaceScope;
  /** The informer of a declared kind. */
  informer(kind: Kind): Informer;
  /** That of a kind which is read for a while. */
  lease(kind: Kind): InformerLease;
  /** True for a namespace that is not seen, because this user may not read all of its kinds. */
  isLeftOut(namespace: string): boolean;
  /**
   * Resolves when the namespaces are known and those that are not left out are seen: their kinds
   * have synced, or are not served. A namespace that is left out is seen once it may be read.
   */
  opened(signal: AbortSignal): Promise<void>;
  release(): void;
}

/** Parameters of a scope. */
export interface WatchedScopeOptions {
  readonly cache: Cache;
  /** One namespace. */
  readonly namespace?: string | undefined;
  readonly namespaces?: WatchedNamespaces | undefined;
  /** Receives errors of a namespace that cannot be opened. */
  failed(message: string, error: unknown): void;
}

/** The kind Namespace, of which only names and labels matter. */
const namespaceKind = {
  apiVersion: "v1",
  kind: "Namespace",
  resource: "namespaces",
  scope: "Cluster",
} as Kind<KubeObject, never, never, never>;

/** @throws ERR_MANAGER_NAMESPACES */
export function createWatchedScope(options: WatchedScopeOptions): WatchedScope {
  const { cache, namespace, namespaces } = options;
  checkNamespaces(options);
  if (namespaces === undefined) return oneScope(cache, namespace);
  if (Array.isArray(namespaces)) return namedScope(cache, namespaces as readonly string[]);
  return labelledScope(options, (namespaces as { readonly labels: Labels }).labels);
}

/** @throws ERR_MANAGER_NAMESPACES */
export function checkNamespaces({
  namespace,
  namespaces,
}: Pick<WatchedScopeOptions, "namespace" | "namespaces">): void {
  if (namespace !== undefined && namespaces !== undefined)
    throw new HomeostatError(
      "ERR_MANAGER_NAMESPACES",
      "both `namespace` and `namespaces` are given",
      { hint: "give one of them" },
    );
  const isEmpty = Array.isArray(namespaces) && namespaces.length === 0;
  if (isEmpty || namespace === "")
    throw new HomeostatError("ERR_MANAGER_NAMESPACES", "there is no namespace to watch", {
      hint: "name namespaces, or leave the option out to watch all",
    });
  const problem =
    namespace === undefined ? listProblem(namespaces) : nameProblem("namespace", namespace);
  if (problem !== undefined)
    throw new HomeostatError("ERR_MANAGER_NAMESPACES", `choosing what to watch: ${problem}`, {
      hint: "correct what the message names",
    });
  if (namespaces && "labels" in namespaces) checkLabels(namespaces.labels);
}

function checkLabels(labels: Labels): void {
  try {
    compileSelection({ labels });
  } catch (cause) {
    throw new HomeostatError(
      "ERR_MANAGER_NAMESPACES",
      `choosing what to watch: namespaces with labels ${describeValue(labels)}: ${describeError(cause)}`,
      { hint: "write labels as kubectl takes them, or as values by key", cause },
    );
  }
}

function listProblem(namespaces: unknown): string | undefined {
  if (namespaces === undefined) return undefined;
  if (Array.isArray(namespaces))
    return namespaces
      .map((one: unknown, i) => nameProblem(`namespaces[${i}]`, one))
      .find((problem) => problem !== undefined);
  const { labels } = Object(namespaces) as { readonly labels?: unknown };
  if (labels !== undefined) return undefined;
  return `namespaces is ${describeValue(namespaces)}, expected a list of names or { labels }`;
}

function nameProblem(place: string, name: unknown): string | undefined {
  if (typeof name !== "string") return `${place} is ${describeValue(name)}, expected a string`;
  const [fault] = dnsLabelFaults(name);
  return fault === undefined ? undefined : `${place} '${name}' cannot exist: ${fault}`;
}

function oneScope(cache: Cache, namespace: string | undefined): WatchedScope {
  const kinds = createLeases(cache, namespace);
  return {
    ...kinds,
    namespaces: namespace === undefined ? allNamespaces : namedNamespaces([namespace]),
    isLeftOut: () => false,
    opened: async () => {},
  };
}

function namedScope(cache: Cache, given: readonly string[]): WatchedScope {
  const names = [...new Set(given)];
  const clusterScoped = createLeases(cache, undefined);
  const namespaced = new NamespacedInformers(cache);
  const unions = new UnionLeases(namespaced);
  for (const name of names) namespaced.prepare(name);
  const named = namedNamespaces(names);
  return {
    namespaces: {
      ...named,
      includes: (namespace) => named.includes(namespace) && !namespaced.isLeftOut(namespace),
    },
    isLeftOut: (namespace) => namespaced.isLeftOut(namespace),
    ...byScope(clusterScoped, unions),
    async opened(signal) {
      await aborting(Promise.all(names.map((name) => namespaced.open(name))), signal);
      await aborting(Promise.race(names.map((name) => namespaced.shown(name))), signal);
    },
    release() {
      clusterScoped.release();
      namespaced.closeAll();
    },
  };
}

function labelledScope({ cache, failed }: WatchedScopeOptions, labels: Labels): WatchedScope {
  const labelSelector = formatLabelSelector(compileSelection({ labels }).labels);
  const clusterScoped = createLeases(cache, undefined);
  const namespaced = new NamespacedInformers(cache);
  const unions = new UnionLeases(namespaced);
  const selected = cache.acquire(namespaceKind, { labelSelector, metadataOnly: true });
  const opening = new Set<Promise<void>>();
  const open = (name: string): void => {
    const opened = namespaced
      .open(name)
      .catch((error: unknown) =>
        failed(`namespace ${name} cannot be watched: ${describeError(error)}`, error),
      )
      .finally(() => opening.delete(opened));
    opening.add(opened);
  };
  const handler = selected.informer.addHandler({
    added: ({ name }) => open(name),
    deleted: ({ name }) => namespaced.close(name),
  });
  return {
    namespaces: {
      includes: (namespace) => namespaced.has(namespace) && !namespaced.isLeftOut(namespace),
      description: `namespaces with labels ${labelSelector}`,
      extent: "matching",
    },
    ...byScope(clusterScoped, unions),
    isLeftOut: (namespace) => namespaced.isLeftOut(namespace),
    async opened(signal) {
      await selected.informer.synced(signal);
      while (opening.size > 0) await aborting(Promise.all(opening), signal);
    },
    release() {
      handler.remove();
      selected.release();
      clusterScoped.release();
      namespaced.closeAll();
    },
  };
}

type Leases = Pick<WatchedScope, "informer" | "lease">;

const byScope = (clusterScoped: Leases, namespaced: Leases): Leases => ({
  informer: (kind) => (kind.scope === "Cluster" ? clusterScoped : namespaced).informer(kind),
  lease: (kind) => (kind.scope === "Cluster" ? clusterScoped : namespaced).lease(kind),
});

/** One informer per kind, in one namespace or everywhere. */
function createLeases(
  cache: Cache,
  namespace: string | undefined,
): Leases & Pick<WatchedScope, "release"> {
  const leases = new Map<string, InformerLease>();
  const acquire = (kind: Kind): InformerLease =>
    cache.acquire(kind, kind.scope === "Namespaced" ? { namespace } : {});
  return {
    informer(kind) {
      const id = informerId(kind);
      const known = leases.get(id);
      if (known) return known.informer;
      const lease = acquire(kind);
      leases.set(id, lease);
      return lease.informer;
    },
    lease: acquire,
    release() {
      for (const lease of leases.values()) lease.release();
      leases.clear();
    },
  };
}

function aborting(work: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
  return Promise.race([work, aborted]);
}
