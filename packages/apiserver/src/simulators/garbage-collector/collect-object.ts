// Decides about one object, on live data: leave it, take dangling references off it, or delete it and how.
// Upstream: k8s.io/kubernetes/pkg/controller/garbagecollector/garbagecollector.go (attemptToDeleteItem, classifyReferences).
import { foregroundFinalizer, type GraphNode, orphanFinalizer, type OwnerGraph, waitsForDependents } from "./graph.machine.ts";
import type { LiveObject, LiveObjects, LiveReference } from "./live-objects.ts";

/** What became of an object: gone tells the graph to forget it; look names others to look at. */
export interface Collected {
  readonly gone?: true;
  readonly look?: readonly string[];
}

interface Classified {
  readonly solid: readonly LiveReference[];
  readonly dangling: readonly LiveReference[];
  readonly waiting: readonly LiveReference[];
}

/** Looks at the object behind `node` and acts. Rejects when the server refuses or a kind is unknown; try again later. */
export async function collectObject(node: GraphNode, graph: OwnerGraph, live: LiveObjects): Promise<Collected> {
  const { object } = node;
  if (object.deleting && !waitsForDependents(object)) return {};
  const latest = await live.find(object);
  if (!latest || latest.metadata.uid !== object.uid) return { gone: true };
  if (waitsForDependents(object)) return finishOwner(node, graph, live);
  const references = latest.metadata.ownerReferences ?? [];
  if (references.length === 0) return {};
  const classified = await classify(references, latest, live);
  if (!classified) return {};
  return act(latest, classified, node, graph, live);
}

/** An owner that waits goes when nobody blocks it any more; until then its blockers are to be looked at. */
async function finishOwner({ object, dependents }: GraphNode, graph: OwnerGraph, live: LiveObjects): Promise<Collected> {
  const blocking = [...dependents].flatMap((uid) => {
    const dependent = graph.node(uid)?.object;
    return dependent?.owners.some((owner) => owner.uid === object.uid && owner.blocking) ? [dependent] : [];
  });
  if (blocking.length === 0) {
    await live.removeFinalizer(object, foregroundFinalizer);
    return {};
  }
  return { look: blocking.filter((dependent) => !waitsForDependents(dependent)).map((dependent) => dependent.uid) };
}

/** Sorts references; undefined when one can never be resolved (a cluster-wide object with a namespaced owner). */
async function classify(references: readonly LiveReference[], dependent: LiveObject, live: LiveObjects): Promise<Classified | undefined> {
  const sorted = { solid: [] as LiveReference[], dangling: [] as LiveReference[], waiting: [] as LiveReference[] };
  for (const reference of references) {
    const kind = await live.kind(reference.apiVersion, reference.kind);
    const namespace = dependent.metadata.namespace ?? "";
    if (kind.scope === "Namespaced" && namespace === "") return undefined;
    const owner = await live.find({ ...reference, namespace: kind.scope === "Namespaced" ? namespace : "" });
    if (!owner || owner.metadata.uid !== reference.uid) sorted.dangling.push(reference);
    else if (owner.metadata.deletionTimestamp !== undefined && owner.metadata.finalizers?.includes(foregroundFinalizer)) sorted.waiting.push(reference);
    else sorted.solid.push(reference);
  }
  return sorted;
}

async function act(latest: LiveObject, { solid, dangling, waiting }: Classified, node: GraphNode, graph: OwnerGraph, live: LiveObjects): Promise<Collected> {
  if (solid.length > 0) {
    const off = new Set([...dangling, ...waiting].map((reference) => reference.uid));
    if (off.size > 0) await live.removeOwners(latest, off);
    return {};
  }
  if (waiting.length > 0 && node.dependents.size > 0) {
    const circular = [...node.dependents].some((uid) => waits(graph, uid));
    if (circular) await live.unblockOwners(latest);
    const current = circular ? await live.find(node.object) : latest;
    return current && (await live.delete(current, "Foreground")) ? {} : { gone: true };
  }
  return (await live.delete(latest, policyOf(latest))) ? {} : { gone: true };
}

/** Finalizers set beforehand decide. */
function policyOf({ metadata: { finalizers } }: LiveObject): "Foreground" | "Background" | "Orphan" {
  if (finalizers?.includes(orphanFinalizer)) return "Orphan";
  return finalizers?.includes(foregroundFinalizer) ? "Foreground" : "Background";
}

function waits(graph: OwnerGraph, uid: string): boolean {
  const dependent = graph.node(uid)?.object;
  return dependent !== undefined && waitsForDependents(dependent);
}
