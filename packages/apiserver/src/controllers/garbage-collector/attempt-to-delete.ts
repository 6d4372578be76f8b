// Decides about one object from live data: keeps it, removes dangling references, or deletes it.
// Upstream: k8s.io/kubernetes/pkg/controller/garbagecollector/garbagecollector.go
// (attemptToDeleteItem, classifyReferences).
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import type { OwnerReference } from "homeostat/api";
import type { ReferenceCache } from "./reference-cache.ts";
import {
  foregroundFinalizer,
  type GraphNode,
  type GraphObject,
  orphanFinalizer,
  type OwnerGraph,
  waitsForDependents,
} from "./graph.machine.ts";
import type { LiveObjects } from "./live-objects.ts";

/** The outcome of an attempt. */
export interface AttemptResult {
  /** The object no longer exists; the graph has to forget it. */
  readonly gone?: true;
  /** Uids of objects to attempt next. */
  readonly retry?: readonly string[];
}

/** The sources of a decision. */
export interface Evidence {
  readonly graph: OwnerGraph;
  readonly live: LiveObjects;
  readonly absentOwners: ReferenceCache;
}

interface Classified {
  readonly solid: readonly OwnerReference[];
  readonly dangling: readonly OwnerReference[];
  /** Owners that wait for their dependents to go. */
  readonly waiting: readonly OwnerReference[];
}

/**
 * Decides about the object of a node and acts. Rejects when the server refuses or a kind is
 * unknown; the caller retries.
 */
export async function attemptToDelete(node: GraphNode, evidence: Evidence): Promise<AttemptResult> {
  const { object } = node;
  if (object.deleting && !waitsForDependents(object)) return {};
  const latest = await evidence.live.find(object);
  if (!latest || latest.metadata.uid !== object.uid) return { gone: true };
  if (waitsForDependents(object)) return finishOwner(object, evidence);
  const references = latest.metadata.ownerReferences ?? [];
  const classified =
    references.length > 0 ? await classify(references, latest, evidence) : undefined;
  return classified
    ? act(latest, classified, evidence.graph.node(object.uid) ?? node, evidence)
    : {};
}

/**
 * Deletes an owner in foreground deletion once no dependent blocks it. Until then its blocking
 * dependents are attempted.
 */
async function finishOwner(object: GraphObject, { graph, live }: Evidence): Promise<AttemptResult> {
  const blocking = [...(graph.node(object.uid)?.dependents ?? [])].flatMap((uid) => {
    const dependent = graph.node(uid)?.object;
    return dependent?.owners.some((owner) => owner.uid === object.uid && owner.blocking)
      ? [dependent]
      : [];
  });
  if (blocking.length > 0)
    return {
      retry: blocking
        .filter((dependent) => !waitsForDependents(dependent))
        .map((dependent) => dependent.uid),
    };
  await live.removeFinalizer(object, foregroundFinalizer);
  return {};
}

/**
 * Sorts references; undefined when one can never be resolved (a cluster-wide object with a
 * namespaced owner).
 */
async function classify(
  references: readonly OwnerReference[],
  dependent: ApiObject,
  evidence: Evidence,
): Promise<Classified | undefined> {
  const sorted: { readonly [group in keyof Classified]: OwnerReference[] } = {
    solid: [],
    dangling: [],
    waiting: [],
  };
  for (const reference of references) {
    const owner = await findOwner(reference, dependent.metadata.namespace ?? "", evidence);
    if (owner === "out of reach") return undefined;
    if (owner === "absent") sorted.dangling.push(reference);
    else if (
      waitsForDependents({
        deleting: owner.metadata.deletionTimestamp !== undefined,
        finalizers: owner.metadata.finalizers ?? [],
      })
    )
      sorted.waiting.push(reference);
    else sorted.solid.push(reference);
  }
  return sorted;
}

async function findOwner(
  reference: OwnerReference,
  namespace: string,
  { live, absentOwners }: Evidence,
): Promise<ApiObject | "absent" | "out of reach"> {
  if (
    absentOwners.has({ ...reference, namespace: "" }) ||
    absentOwners.has({ ...reference, namespace })
  )
    return "absent";
  const { scope } = await live.kind(reference.apiVersion, reference.kind);
  if (scope === "Namespaced" && namespace === "") return "out of reach";
  const address = { ...reference, namespace: scope === "Namespaced" ? namespace : "" };
  const owner = await live.find(address);
  if (owner?.metadata.uid === reference.uid) return owner;
  absentOwners.add(address);
  return "absent";
}

async function act(
  latest: ApiObject,
  { solid, dangling, waiting }: Classified,
  node: GraphNode,
  { graph, live }: Evidence,
): Promise<AttemptResult> {
  if (solid.length > 0) {
    const off = new Set([...dangling, ...waiting].map((reference) => reference.uid));
    if (off.size > 0) await live.removeOwners(latest, off);
    return {};
  }
  if (waiting.length > 0 && node.dependents.size > 0)
    return deleteInForeground(latest, node, graph, live);
  return (await live.delete(latest, policyOf(latest))) ? {} : { gone: true };
}

/**
 * Deletes in the foreground, because an owner waits and dependents exist. If a dependent waits too,
 * the owners may form a circle: references that block are unblocked first.
 */
async function deleteInForeground(
  latest: ApiObject,
  node: GraphNode,
  graph: OwnerGraph,
  live: LiveObjects,
): Promise<AttemptResult> {
  const maybeCircular = [...node.dependents].some((uid) => {
    const dependent = graph.node(uid)?.object;
    return dependent !== undefined && waitsForDependents(dependent);
  });
  if (maybeCircular) await live.unblockOwners(latest);
  const current = maybeCircular ? await live.find(node.object) : latest;
  if (current?.metadata.uid !== latest.metadata.uid) return { gone: true };
  return (await live.delete(current, "Foreground")) ? {} : { gone: true };
}

/** The finalizers that the object already has decide. */
function policyOf({ metadata: { finalizers } }: ApiObject): "Foreground" | "Background" | "Orphan" {
  if (finalizers?.includes(orphanFinalizer)) return "Orphan";
  return finalizers?.includes(foregroundFinalizer) ? "Foreground" : "Background";
}
