// Installs resources' definitions and waits until they can be used. Server-side apply, so that running it twice changes
// nothing and two installers agree.
import type { JsonObject } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";
import type { KubeObject } from "../api/object-meta.ts";
import { toCustomResourceDefinition } from "../api/resource/custom-resource-definition.ts";
import type { ResourceDefinition } from "../api/resource/define-resource.ts";
import type { Client } from "../client/client.ts";
import { HomeostatError } from "../util/homeostat-error.ts";

/** The kind of definitions themselves. */
export const customResourceDefinitions = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  resource: "customresourcedefinitions",
  scope: "Cluster",
} as Kind<KubeObject & { readonly status?: { readonly conditions?: readonly DefinitionCondition[] } }, JsonObject, never, never>;

interface DefinitionCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/**
 * Applies the definitions of `resources` and resolves once every one of them is established.
 * @throws ERR_DEFINITION_REFUSED when the server cannot serve one (a name is taken, say); ERR_DEFINITION_TIMEOUT when one is
 * not established within `timeoutMs` (default 30 s).
 */
export async function installDefinitions(client: Client, resources: readonly { readonly definition: ResourceDefinition }[], options: { readonly timeoutMs?: number; readonly fieldManager?: string } = {}): Promise<void> {
  const names = await Promise.all(
    resources.map(async (resource) => {
      const manifest = toCustomResourceDefinition(resource);
      await client.apply(customResourceDefinitions, manifest, { force: true, ...(options.fieldManager ? { fieldManager: options.fieldManager } : {}) });
      return (manifest["metadata"] as { name: string }).name;
    }),
  );
  const signal = AbortSignal.timeout(options.timeoutMs ?? 30_000);
  await Promise.all(names.map((name) => established(client, name, signal)));
  client.kinds.invalidate();
}

async function established(client: Client, name: string, signal: AbortSignal): Promise<void> {
  const list = await client.listPage(customResourceDefinitions, { fieldSelector: `metadata.name=${name}` });
  if (list.items.some((object) => isEstablished(object, name))) return;
  try {
    for await (const { object } of client.watch(customResourceDefinitions, { fieldSelector: `metadata.name=${name}`, resourceVersion: list.resourceVersion, signal })) if (isEstablished(object, name)) return;
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }
  throw new HomeostatError("ERR_DEFINITION_TIMEOUT", `CustomResourceDefinition ${name} was applied but did not become established in time`, { hint: `see the conditions: kubectl get crd ${name} -o yaml` });
}

function isEstablished(object: { readonly status?: { readonly conditions?: readonly DefinitionCondition[] } }, name: string): boolean {
  const conditions = object.status?.conditions ?? [];
  const refused = conditions.find((one) => one.type === "NamesAccepted" && one.status === "False");
  if (refused) throw new HomeostatError("ERR_DEFINITION_REFUSED", `CustomResourceDefinition ${name} cannot be served: ${refused.message ?? refused.reason ?? "its names are taken"}`, { hint: "delete the definition that holds the name, or rename this one" });
  return conditions.some((one) => one.type === "Established" && one.status === "True");
}
