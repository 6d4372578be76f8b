// Deletes everything in a namespace, kind by kind, and counts what remains. Pods first, alone, as
// upstream's ordered namespace deletion does.
// Upstream: k8s.io/kubernetes/pkg/controller/namespace/deletion/namespaced_resources_deleter.go.
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { isApiStatusError, isNotFound } from "homeostat/api";
import type { Client, DiscoveredKind } from "homeostat/client";
import { Pod } from "homeostat/k8s/core/v1";
import type { ContentReport } from "./namespace-conditions.ts";

/** The result of one pass. */
export interface DeletionResult {
  readonly report: ContentReport;
  /** Kinds with remaining objects. */
  readonly left: readonly DiscoveredKind[];
}

/** The namespace to empty. */
export interface TerminatingNamespace {
  readonly name: string;
  /** Milliseconds since its deletion; pods have their grace period in it. */
  readonly terminatingForMs: number;
  readonly signal: AbortSignal;
}

/** Runs one pass over the namespace. Failures are in the report; rejects only when aborted. */
export async function deleteNamespaceContent(
  client: Client,
  kinds: readonly DiscoveredKind[],
  namespace: TerminatingNamespace,
): Promise<DeletionResult> {
  const tally: Tally = { failures: [], remaining: new Map(), finalizers: new Map(), left: [] };
  const namespaced = kinds.filter((kind) => kind.scope === "Namespaced");
  const pods = namespaced.find((kind) => kind.group === "" && kind.resource === "pods");
  if (pods) await emptyKind(client, pods, namespace, tally);
  // While pods remain, upstream reports failures only: its conditions do not count pods.
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
  namespace: TerminatingNamespace,
  tally: Tally,
): Promise<void> {
  namespace.signal.throwIfAborted();
  const { name } = namespace;
  try {
    const graceful =
      kind.group === "" &&
      kind.resource === "pods" &&
      (await mayUseGracePeriod(client, kind, namespace));
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

/** True while an unfinished pod may still use its grace period. */
async function mayUseGracePeriod(
  client: Client,
  kind: DiscoveredKind,
  { name, terminatingForMs }: TerminatingNamespace,
): Promise<boolean> {
  const pods = (await client.list(Pod, { namespace: name })).items;
  const grace = pods.map(({ spec, status }) =>
    status.phase === "Succeeded" || status.phase === "Failed"
      ? 0
      : (spec.terminationGracePeriodSeconds ?? 0),
  );
  return terminatingForMs < Math.max(0, ...grace) * 1000;
}

/** Remaining objects must have a finalizer or grace left; anything else is a failure. */
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
