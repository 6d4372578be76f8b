// Runs between mutating admission and storage of every change: restores system fields, prepares and
// validates.
// Upstream: k8s.io/apiserver/pkg/registry/rest/update.go (BeforeUpdate).
import { type Decoded, isObject, type JsonObject } from "homeostat/api";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";
import type { RequestScope } from "../scope/request-scope.ts";
import { matchNamespace } from "../../apimachinery/meta/match-namespace.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { validateMetaUpdate } from "../../apimachinery/meta/validate-meta-update.ts";
import {
  pathSegmentName,
  validateObjectMeta,
} from "../../apimachinery/meta/validate-object-meta.ts";
import { type Strategy, toOutcome } from "../../apimachinery/rest/strategy.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import { assertValid } from "./before-create.ts";

/** Both objects are in the hub version. */
interface UpdateInput {
  /** The new object; changed in place. */
  readonly hub: JsonObject;
  readonly old: JsonObject;
  readonly context: WriteContext;
}

/** Prepares and validates a change in place. Throws 422. */
export function beforeUpdate(
  scope: RequestScope,
  strategy: Strategy,
  { hub, old, context }: UpdateInput,
): void {
  const { resource, namespace } = scope;
  matchNamespace(hub, resource.namespaced ? namespace : "");
  copyField("generation", hub, old);
  strategy.prepareForUpdate(hub, old, context);
  keepSystemFields(hub, old);
  const metaErrors = validateMetaUpdate(hub, old);
  const { errors, warnings } = toOutcome(strategy.validateUpdate(hub, old, context));
  for (const text of warnings) context.warn(text);
  // Upstream's common rules and those of most kinds both check metadata changes, so every such
  // error is reported twice.
  assertValid(resource, hub, [
    ...validateObjectMeta(hub, resource, pathSegmentName),
    ...metaErrors,
    ...(strategy.metadataChanges === "common" ? [] : metaErrors),
    ...errors,
  ]);
  for (const text of strategy.warningsOnUpdate(hub, old, context)) context.warn(text);
}

function keepSystemFields(object: JsonObject, old: JsonObject): void {
  const metadata = metadataOf(object);
  const before = isObject(old.metadata) ? old.metadata : {};
  if (!metadata.uid) copyField("uid", object, old);
  if (before.creationTimestamp) copyField("creationTimestamp", object, old);
  if (before.deletionTimestamp) copyField("deletionTimestamp", object, old);
  if (metadata.deletionGracePeriodSeconds === undefined)
    copyField("deletionGracePeriodSeconds", object, old);
}

function copyField<F extends keyof Decoded<ObjectMeta>>(
  field: F,
  object: JsonObject,
  old: JsonObject,
): void {
  const metadata = metadataOf(object);
  const before: Decoded<ObjectMeta> = isObject(old.metadata) ? old.metadata : {};
  if (before[field] === undefined) delete metadata[field];
  else metadata[field] = before[field];
}
