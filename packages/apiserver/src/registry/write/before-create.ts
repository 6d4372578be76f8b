// What happens to every new object between admission and storage: system fields, the kind's preparation, validation.
// Upstream: k8s.io/apiserver/pkg/registry/rest/create.go (BeforeCreate).
import type { JsonObject } from "homeostat/api";
import { invalidError } from "../api-errors.ts";
import type { Call } from "../call.ts";
import type { FieldError } from "../field-error.ts";
import { matchNamespace } from "../object-meta/match-namespace.ts";
import { metaString } from "../object-meta/read-meta.ts";
import { pathSegmentName, validateObjectMeta } from "../object-meta/validate-object-meta.ts";
import type { ServedResource, Strategy, WriteContext } from "../served-resource.ts";

/** Prepares and validates a new object in place, as its strategy sees it. Throws 422. */
export function beforeCreate(call: Call, strategy: Strategy, hub: JsonObject, context: WriteContext): void {
  const { resource, namespace } = call;
  matchNamespace(hub, resource.namespaced ? namespace : "");
  strategy.prepareForCreate(hub, context);
  const errors = [...validateObjectMeta(hub, resource, strategy.validateName), ...strategy.validateCreate(hub, context)];
  assertValid(resource, hub, errors);
  assertValid(resource, hub, validateObjectMeta(hub, resource, pathSegmentName));
}

/** Throws 422 in the name of the object when there are errors. */
export function assertValid(resource: ServedResource, object: JsonObject, errors: readonly FieldError[]): void {
  if (!errors.length) return;
  // A custom object may claim another kind than its own, and is then reported under that one.
  const kind = resource.custom && typeof object.kind === "string" ? object.kind : resource.kind;
  throw invalidError({ group: resource.group, kind }, metaString(object, "name"), errors);
}
