// Runs between mutating admission and storage of every new object: prepares and validates.
// Upstream: k8s.io/apiserver/pkg/registry/rest/create.go (BeforeCreate).
import { type JsonObject, parseApiVersion } from "homeostat/api";
import { invalidError } from "../../apimachinery/errors/api-errors.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { matchNamespace } from "../../apimachinery/meta/match-namespace.ts";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import {
  pathSegmentName,
  validateObjectMeta,
} from "../../apimachinery/meta/validate-object-meta.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";

/** Prepares and validates a new object in place, as its strategy sees it. Throws 422. */
export function beforeCreate(
  scope: RequestScope,
  strategy: Strategy,
  hub: JsonObject,
  context: WriteContext,
): void {
  const { resource, namespace } = scope;
  matchNamespace(hub, resource.namespaced ? namespace : "");
  strategy.prepareForCreate(hub, context);
  const errors = [
    ...validateObjectMeta(hub, resource, strategy.validateName),
    ...strategy.validateCreate(hub, context),
  ];
  assertValid(resource, hub, errors);
  assertValid(resource, hub, validateObjectMeta(hub, resource, pathSegmentName));
  for (const text of strategy.warningsOnCreate(hub, context)) context.warn(text);
}

/**
 * The kind that errors name: the type that the object in the hub version states, so that events of
 * both groups are core events. A custom object may state another kind than its own.
 */
export function errorKindOf(
  resource: ServedResource,
  hub: JsonObject,
): { readonly group: string; readonly kind: string } {
  const stated = typeof hub.apiVersion === "string" ? parseApiVersion(hub.apiVersion) : undefined;
  return {
    group: stated?.group ?? resource.group,
    kind: typeof hub.kind === "string" ? hub.kind : resource.kind,
  };
}

/** Throws 422 in the name of the object when there are errors. */
export function assertValid(
  resource: ServedResource,
  object: JsonObject,
  errors: readonly FieldError[],
): void {
  if (errors.length)
    throw invalidError(errorKindOf(resource, object), metaString(object, "name"), errors);
}
