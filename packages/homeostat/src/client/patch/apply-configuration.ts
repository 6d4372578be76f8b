// Apply configurations: the fields of an object that a manager wants to own, for `client.apply`.
// Upstream: k8s.io/client-go/applyconfigurations.
import { assertKind } from "../../api/check-kind.ts";
import { isObject, type Json } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import { argumentError } from "../../util/argument-error.ts";
import { addressOf } from "../check-requests.ts";
import type { Key, NamedObject } from "../client.ts";
import type { ApplyFields, Body, PatchPreconditions } from "./patch-fields.ts";
import { withPreconditions } from "./preconditions.ts";

/**
 * Any part of the object with this name, list items in part. With preconditions, the server answers
 * Conflict if the object has changed, and Invalid if it is another one.
 *
 * @throws ERR_KIND_ARGUMENT, ERR_ARGUMENT
 */
export function applyConfiguration<K extends Kind>(
  kind: K,
  key: Key,
  fields: ApplyFields<Body<K>>,
  preconditions: PatchPreconditions = {},
): NamedObject {
  assertKind(kind, "applyConfiguration(…)");
  const call = `applyConfiguration(${kind.kind}, …)`;
  const { name, namespace } = addressOf(kind, key);
  if (typeof name !== "string" || name === "") throw argumentError(call, name, "a name");
  if (!isObject(fields as Json)) throw argumentError(call, fields, "an object with fields");
  const { apiVersion } = kind;
  const { metadata, ...rest } = withPreconditions(call, fields, preconditions);
  return {
    apiVersion,
    kind: kind.kind,
    ...rest,
    metadata: {
      ...(metadata as object | undefined),
      name,
      ...(namespace === undefined ? {} : { namespace }),
    },
  };
}
