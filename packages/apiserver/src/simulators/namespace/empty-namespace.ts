// Deletes everything in a namespace, kind by kind, and counts what stays. Pods first, alone, as upstream's ordered
// namespace deletion does.
// Upstream: k8s.io/kubernetes/pkg/controller/namespace/deletion/namespaced_resources_deleter.go.
import { isNotFound } from "homeostat/api";
import type { Client, DiscoveredKind } from "homeostat/client";
import type { ContentReport } from "./content-report.ts";

/** Runs one pass over the namespace. Never rejects: what failed is in the report. */
export async function emptyNamespace(client: Client, kinds: readonly DiscoveredKind[], namespace: string): Promise<ContentReport> {
  const report = { failures: [] as string[], remaining: new Map<string, number>(), finalizers: new Map<string, number>() };
  const namespaced = kinds.filter((kind) => kind.scope === "Namespaced" && kind.verbs.includes("delete"));
  const pods = namespaced.filter((kind) => kind.group === "" && kind.resource === "pods");
  for (const kind of pods) await emptyKind(client, kind, namespace, report);
  if (report.remaining.size > 0) return report;
  for (const kind of namespaced) if (!pods.includes(kind)) await emptyKind(client, kind, namespace, report);
  return report;
}

interface Tally {
  readonly failures: string[];
  readonly remaining: Map<string, number>;
  readonly finalizers: Map<string, number>;
}

async function emptyKind(client: Client, kind: DiscoveredKind, namespace: string, tally: Tally): Promise<void> {
  try {
    if (kind.verbs.includes("deletecollection")) await client.deleteCollection(kind, { namespace, propagationPolicy: "Background" });
    else await deleteEach(client, kind, namespace);
    if (kind.verbs.includes("list")) count(kind, (await client.list(kind, { namespace })).items, tally, namespace);
  } catch (error) {
    if (!isNotFound(error)) tally.failures.push(error instanceof Error ? error.message : String(error));
  }
}

async function deleteEach(client: Client, kind: DiscoveredKind, namespace: string): Promise<void> {
  if (!kind.verbs.includes("list")) return;
  for (const { metadata } of (await client.list(kind, { namespace })).items) {
    await client.delete(kind, { name: metadata.name, namespace }, { propagationPolicy: "Background" }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

/** Objects that stay must be held by finalizers; others that stay are a failure. */
function count(kind: DiscoveredKind, items: readonly { readonly metadata: { readonly finalizers?: readonly string[] } }[], tally: Tally, namespace: string): void {
  if (items.length === 0) return;
  tally.remaining.set(`${kind.resource}.${kind.group}`, items.length);
  const held = items.flatMap((item) => item.metadata.finalizers ?? []);
  for (const finalizer of held) tally.finalizers.set(finalizer, (tally.finalizers.get(finalizer) ?? 0) + 1);
  if (held.length === 0) tally.failures.push(`unexpected items still remain in namespace: ${namespace} for gvr: ${[kind.group, kind.version].join("/")}, Resource=${kind.resource}`);
}
