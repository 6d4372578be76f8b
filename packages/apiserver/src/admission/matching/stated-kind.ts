// The kind that a patched object states: a patch may change it, and upstream then decodes another
// Go type, or finds none.
// Upstream: k8s.io/apimachinery/pkg/runtime/serializer/json/json.go (Decode, gvkWithDefaults),
// pkg/conversion/converter.go.
import {
  formatApiVersion,
  type GroupVersionKind,
  isObject,
  type Json,
  parseApiVersion,
} from "homeostat/api";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { internalType, unknownConversion } from "../../registry/body/claimed-kind.ts";

/** The stated kind, completed with `kind`; undefined when it is `kind`. */
export function otherKind(kind: GroupVersionKind, patched: Json): GroupVersionKind | undefined {
  const { apiVersion, kind: name } = isObject(patched) ? patched : {};
  const stated = typeof apiVersion === "string" ? parseApiVersion(apiVersion) : undefined;
  const named: GroupVersionKind = {
    ...(apiVersion && stated ? stated : { group: kind.group, version: kind.version }),
    kind: typeof name === "string" && name ? name : kind.kind,
  };
  const isSame = formatApiVersion(named) === formatApiVersion(kind) && named.kind === kind.kind;
  return isSame ? undefined : named;
}

/** The resource of a kind. */
export const resourceOfKind = (
  catalog: ResourceCatalog,
  { group, version, kind }: GroupVersionKind,
): ServedResource | undefined =>
  catalog
    .all()
    .find((each) => each.group === group && each.version === version && each.kind === kind);

/** The message about an object of another kind, e.g. `converting (v1.Pod) to (core.Secret): …`. */
export const otherKindFault = (named: GroupVersionKind, kind: GroupVersionKind): string =>
  unknownConversion(`${named.version}.${named.kind}`, internalType(kind));
