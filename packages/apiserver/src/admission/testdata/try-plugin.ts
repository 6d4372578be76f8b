// Sends one write through one plug-in over stored objects.
import { encodeJson, isApiStatusError, type JsonObject } from "homeostat/api";
import { createVirtualRuntime } from "homeostat/runtime";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { CreatePlugin, PluginServices } from "../admission-plugin.ts";
import type { PluginConfiguration } from "../configuration/plugin-configuration.ts";

/** Objects by resource. */
export type Stored = Readonly<Record<string, readonly JsonObject[]>>;

export interface Wanted extends Partial<Omit<AdmissionRequest, "resource">> {
  readonly resource?: string;
  readonly group?: string;
}

export interface Tried {
  readonly refusal: string | undefined;
  readonly warnings: readonly string[];
}

/** As a file has it. */
export const configured = (value: JsonObject): PluginConfiguration => ({
  value,
  text: encodeJson(value),
});

/** Gives the message of the refusal, if any, and the warnings. */
export async function tryPlugin(
  create: CreatePlugin,
  { resource: resourceName = "pods", group = "", ...wanted }: Wanted,
  stored: Stored = {},
  services: Partial<PluginServices> = {},
): Promise<Tried> {
  const warnings: string[] = [];
  const plugin = create({ ...servicesOver(stored), ...services });
  const object = wanted.object;
  const request = {
    operation: "CREATE",
    subresource: "",
    namespace: "home",
    name: object ? metaString(object, "name") : "",
    object: undefined,
    old: undefined,
    user: { name: "ann", groups: [] },
    dryRun: false,
    options: {},
    warn: (text: string) => void warnings.push(text),
    ...wanted,
    resource: {
      group,
      resource: resourceName,
      namespaced: true,
      printInternal: encodeJson,
    } as Partial<ServedResource> as ServedResource,
  } as AdmissionRequest;
  try {
    await plugin.mutate?.(request);
    await plugin.validate?.(request);
    return { refusal: undefined, warnings };
  } catch (error) {
    if (isApiStatusError(error)) return { refusal: error.message, warnings };
    throw error;
  }
}

function servicesOver(stored: Stored): PluginServices {
  const inNamespace = (object: JsonObject, namespace: string): boolean =>
    !namespace || [namespace, ""].includes(metaString(object, "namespace"));
  return {
    objects: {
      serves: () => true,
      find: ({ resource }: { readonly resource: string }, name: string) =>
        stored[resource]?.find((each) => metaString(each, "name") === name),
      isEmpty: ({ resource }: { readonly resource: string }, namespace = "") =>
        !stored[resource]?.some((each) => inNamespace(each, namespace)),
      list: ({ resource }: { readonly resource: string }, namespace = "") =>
        (stored[resource] ?? []).filter((each) => inNamespace(each, namespace)),
    },
    authorizer: () => ({ allowed: true, reason: "" }),
    runtime: createVirtualRuntime(),
  } as unknown as PluginServices;
}
