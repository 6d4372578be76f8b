// The media types of patches.
import { unsupportedMediaTypeError } from "../body/request-body.ts";
import type { RequestScope } from "../scope/request-scope.ts";

/** In upstream's order; strategic merge only where types say how lists merge. */
export const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
] as const;
export type PatchType = (typeof patchTypes)[number];

/** The patch's media type; throws 415 naming those that this endpoint takes. */
export function readPatchType({ resource, request }: RequestScope): PatchType {
  const type = (request.api.headers["content-type"] ?? "").split(";", 1)[0] as PatchType;
  const supported = patchTypes.filter(
    (each) => resource.codec.patchMeta || each !== "application/strategic-merge-patch+json",
  );
  if (!supported.includes(type)) throw unsupportedMediaTypeError(supported);
  return type;
}
