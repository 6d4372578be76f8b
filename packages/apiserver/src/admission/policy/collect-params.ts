// The parameters of a binding for one request.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go
// (CollectParams).
import { type Decoded, formatApiVersion, isApiStatusError, type JsonObject } from "homeostat/api";
import type { ParamRef } from "homeostat/k8s/admissionregistration/v1";
import { metaMap } from "../../apimachinery/meta/read-meta.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import {
  labelSelectorAsSelector,
  selectorMatches,
} from "../../kinds/validation/label-selector-as-selector.ts";
import type { StoredObjects } from "../../registry/revisions/stored-objects.ts";

/** The parameters, each of which the policy is evaluated with; or why there are none. */
export type CollectedParams =
  | { readonly params: readonly (JsonObject | undefined)[] }
  | { readonly fault: string };

/** Without a kind or a reference the policy is evaluated once, without parameters. */
export async function collectParams(
  kind: ServedResource | undefined,
  ref: Decoded<ParamRef> | null | undefined,
  namespace: string,
  objects: StoredObjects,
): Promise<CollectedParams> {
  if (!kind || !ref) return { params: [undefined] };
  if (ref.namespace && !kind.namespaced)
    return {
      fault: "paramRef.namespace must not be provided for a cluster-scoped `paramKind`",
    };
  const place = ref.namespace || namespace;
  if (kind.namespaced && !place)
    return {
      fault:
        "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    };
  const params = await readParams(kind, ref, kind.namespaced ? place : "", objects);
  if (params === "unconverted")
    return {
      fault: `paramKind kind \`&ParamKind{APIVersion:${formatApiVersion(kind)},Kind:${kind.kind},}\` not yet synced to use for admission`,
    };
  return params.length || ref.parameterNotFoundAction !== "Deny"
    ? { params }
    : { fault: "no params found for policy binding with `Deny` parameterNotFoundAction" };
}

/** Upstream's informer does not sync while a conversion webhook fails. */
async function readParams(
  ...found: Parameters<typeof findParams>
): Promise<readonly JsonObject[] | "unconverted"> {
  try {
    return await findParams(...found);
  } catch (error) {
    if (!isApiStatusError(error)) throw error;
    return "unconverted";
  }
}

async function findParams(
  kind: ServedResource,
  { name, selector }: Decoded<ParamRef>,
  namespace: string,
  objects: StoredObjects,
): Promise<readonly JsonObject[]> {
  if (name) {
    const found = await objects.read(kind, namespace, name);
    return found ? [found] : [];
  }
  const selected = labelSelectorAsSelector(selector) ?? "nothing";
  const all = await objects.readAll(kind, namespace);
  return all.filter((each) => selectorMatches(selected, metaMap(each, "labels")));
}
