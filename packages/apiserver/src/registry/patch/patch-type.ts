// The media types of patches.
import { unsupportedMediaTypeError } from "../body/request-body.ts";
import type { RequestScope } from "../scope/request-scope.ts";

/** In upstream's order. */
export const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
] as const;
export type PatchType = (typeof patchTypes)[number];

/**
 * The patch's media type; throws 415 with those that this endpoint accepts. Strategic merge needs a
 * codec with `patchMeta`.
 */
export function readPatchType({ resource, request }: RequestScope): PatchType {
  const type = (request.api.headers["content-type"] ?? "").split(";", 1)[0] as PatchType;
  const supported = patchTypes.filter(
    (each) => resource.codec.patchMeta || each !== "application/strategic-merge-patch+json",
  );
  if (!supported.includes(type)) throw unsupportedMediaTypeError(supported);
  return type;
}
