// Deletes everything in a namespace, kind by kind, and counts what stays. Pods first, alone, as
// upstream's ordered namespace deletion does.
// Upstream: k8s.io/kubernetes/pkg/controller/namespace/deletion/namespaced_resources_deleter.go.
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { isApiStatusError, isNotFound } from "homeostat/api";
import type { Client, DiscoveredKind } from "homeostat/client";
import { Pod } from "homeostat/k8s/core/v1";
import type { ContentReport } from "./namespace-conditions.ts";

/** What one pass found and what is to be said about it. */
export interface Emptied {
  readonly report: ContentReport;
  /** Kinds of which objects are left. */
  readonly left: readonly DiscoveredKind[];
}

/** The namespace to empty. */
export interface DoomedNamespace {
  readonly name: string;
  /** For how long it has been going; pods are given their grace period in it. */
  readonly goingForMs: number;
  readonly signal: AbortSignal;
}

/** Runs one pass over the namespace. What failed is in the report; rejects only when aborted. */
export async function emptyNamespace(
  client: Client,
  kinds: readonly DiscoveredKind[],
  namespace: DoomedNamespace,
): Promise<Emptied> {
  const tally: Tally = { failures: [], remaining: new Map(), finalizers: new Map(), left: [] };
  const namespaced = kinds.filter((kind) => kind.scope === "Namespaced");
  const pods = namespaced.find((kind) => kind.group === "" && kind.resource === "pods");
  if (pods) await emptyKind(client, pods, namespace, tally);
  // While pods are left upstream speaks of failures only: its conditions do not count the pods.
  if (tally.left.length > 0)
    return {
      report: { failures: tally.failures, remaining: new Map(), finalizers: new Map() },
      left: tally.left,
    };
  for (const kind of namespaced) if (kind !== pods) await emptyKind(client, kind, namespace, tally);
  return { report: tally, left: tally.left };
}

interface Tally {
  readonly failures: string[];
  readonly remaining: Map<string, number>;
  readonly finalizers: Map<string, number>;
  readonly left: DiscoveredKind[];
}

async function emptyKind(
  client: Client,
  kind: DiscoveredKind,
  namespace: DoomedNamespace,
  tally: Tally,
): Promise<void> {
  namespace.signal.throwIfAborted();
  const { name } = namespace;
  try {
    const graceful =
      kind.group === "" &&
      kind.resource === "pods" &&
      (await podsMayTakeTheirTime(client, kind, namespace));
    if (kind.verbs.includes("deletecollection"))
      await client.deleteCollection(kind, { namespace: name, propagationPolicy: "Background" });
    else await deleteEach(client, kind, name);
    if (kind.verbs.includes("list"))
      count(kind, (await client.list(kind, { namespace: name })).items, tally, { name, graceful });
  } catch (error) {
    if (!isNotFound(error))
      tally.failures.push(
        isApiStatusError(error) ? (error.status.message ?? error.message) : String(error),
      );
  }
}

async function deleteEach(client: Client, kind: DiscoveredKind, namespace: string): Promise<void> {
  if (!kind.verbs.includes("list")) return;
  for (const { metadata } of (await client.list(kind, { namespace })).items) {
    await client
      .delete(kind, { name: metadata.name, namespace }, { propagationPolicy: "Background" })
      .catch(ignoreNotFound);
  }
}

/** True while some pod that is not through may still use its grace period. */
async function podsMayTakeTheirTime(
  client: Client,
  kind: DiscoveredKind,
  { name, goingForMs }: DoomedNamespace,
): Promise<boolean> {
  const pods = (await client.list(Pod, { namespace: name })).items;
  const grace = pods.map(({ spec, status }) =>
    status.phase === "Succeeded" || status.phase === "Failed"
      ? 0
      : (spec.terminationGracePeriodSeconds ?? 0),
  );
  return goingForMs < Math.max(0, ...grace) * 1000;
}

/** What stays must be held by a finalizer or by grace; anything else is a failure. */
function count(
  kind: DiscoveredKind,
  items: readonly { readonly metadata: { readonly finalizers?: readonly string[] } }[],
  tally: Tally,
  { name, graceful }: { readonly name: string; readonly graceful: boolean },
): void {
  if (items.length === 0) return;
  tally.left.push(kind);
  tally.remaining.set(`${kind.resource}.${kind.group}`, items.length);
  const held = items.flatMap((item) => item.metadata.finalizers ?? []);
  for (const finalizer of held)
    tally.finalizers.set(finalizer, (tally.finalizers.get(finalizer) ?? 0) + 1);
  if (held.length === 0 && !graceful)
    tally.failures.push(
      `unexpected items still remain in namespace: ${name} for gvr: ${kind.group}/${kind.version}, Resource=${kind.resource}`,
    );
}
