// Revisions that a webhook converts before a list or a watch shows them.
// Upstream: k8s.io/apiserver/pkg/storage/cacher (cacher.go, ready.go, delegator.go).
import { failure } from "../../apimachinery/errors/api-errors.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Revision } from "../../storage/store.ts";
import type { CoreServices } from "../scope/core-services.ts";

/** The revisions as this version shows them. Rejects with the first failure. */
export async function convertAll(
  { conversions }: Pick<CoreServices, "conversions">,
  resource: ServedResource,
  revisions: Iterable<Revision>,
): Promise<readonly Revision[]> {
  const all = await Promise.allSettled(
    Array.from(revisions, (revision) => conversions.cached(resource, revision)),
  );
  return all.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
}

/** 429, while a version's watch cache cannot be filled. */
export const unreadyError = (): Error =>
  failure(429, "TooManyRequests", "storage is (re)initializing", { retryAfterSeconds: 1 });
