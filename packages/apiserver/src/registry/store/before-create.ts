// What happens to every new object between admission and storage: system fields, the kind's
// preparation, validation.
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
  call: RequestScope,
  strategy: Strategy,
  hub: JsonObject,
  context: WriteContext,
): void {
  const { resource, namespace } = call;
  const { quiet, flush } = holdWarnings(context);
  matchNamespace(hub, resource.namespaced ? namespace : "");
  strategy.prepareForCreate(hub, quiet);
  const errors = [
    ...validateObjectMeta(hub, resource, strategy.validateName),
    ...strategy.validateCreate(hub, quiet),
  ];
  assertValid(resource, hub, errors);
  assertValid(resource, hub, validateObjectMeta(hub, resource, pathSegmentName));
  flush();
  for (const text of strategy.warningsOnCreate(hub, context)) context.warn(text);
}

/** Upstream's strategies warn only about what is valid. */
export function holdWarnings(context: WriteContext): {
  readonly quiet: WriteContext;
  flush(): void;
} {
  const held: string[] = [];
  return {
    quiet: {
      ...context,
      warn: (text) => void held.push(text),
      warnAnyway: (text) => context.warn(text),
    },
    flush() {
      for (const text of held) context.warn(text);
    },
  };
}

/**
 * The kind under which errors are reported: the storage's, so that events of both groups are
 * `Event`; a custom object may claim to be something else than it is, and is then reported as that.
 */
export function errorKindOf(
  resource: ServedResource,
  object: JsonObject,
): { readonly group: string; readonly kind: string } {
  if (!resource.custom)
    return {
      group: parseApiVersion(resource.storageVersion)?.group ?? resource.group,
      kind: resource.kind,
    };
  const claimed =
    typeof object.apiVersion === "string" ? parseApiVersion(object.apiVersion) : undefined;
  return {
    group: claimed?.group ?? resource.group,
    kind: typeof object.kind === "string" ? object.kind : resource.kind,
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
