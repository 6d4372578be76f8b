// What a patch may require of the object that it changes. Pure.
import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import { argumentError } from "../../util/argument-error.ts";
import { checkArgument, checkOptions } from "../../util/call-options.ts";
import type { PatchPreconditions } from "./patch-fields.ts";

/** Those that are set. @throws ERR_ARGUMENT */
export function checkPreconditions(
  call: string,
  preconditions: PatchPreconditions,
): PatchPreconditions {
  checkArgument(call, ["its last argument", preconditions], "an object");
  checkOptions(call, preconditions, { resourceVersion: "a string", uid: "a string" });
  const { resourceVersion, uid } = preconditions;
  return {
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(uid === undefined ? {} : { uid }),
  };
}

/** The body of a patch that carries its preconditions in its metadata. @throws ERR_ARGUMENT */
export function withPreconditions(
  call: string,
  fields: unknown,
  preconditions: PatchPreconditions,
): JsonObject {
  if (!isObject(fields as Json)) throw argumentError(call, fields, "an object with fields");
  const given = checkPreconditions(call, preconditions);
  const body = fields as JsonObject;
  if (Object.keys(given).length === 0) return body;
  return { ...body, metadata: { ...(body["metadata"] as JsonObject | undefined), ...given } };
}
