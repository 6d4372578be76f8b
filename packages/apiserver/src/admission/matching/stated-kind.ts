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
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";

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

/** The message about a kind that no Go type has. */
export const notRegistered = (named: GroupVersionKind): string =>
  `no kind ${quoteGo(named.kind)} is registered for version ${quoteGo(formatApiVersion(named))} in scheme "pkg/runtime/scheme.go:111"`;

/** The message about an object of another kind, e.g. `converting (v1.Pod) to (core.Secret): …`. */
export const unknownConversion = (named: GroupVersionKind, kind: GroupVersionKind): string =>
  `converting (${named.version}.${named.kind}) to (${kind.group.split(".")[0] || "core"}.${kind.kind}): unknown conversion`;
