// Revisions that a webhook converts before a list or a watch shows them. A version with an object
// that cannot be converted is as one whose watch cache upstream cannot fill.
// Upstream: k8s.io/apiserver/pkg/storage/cacher (cacher.go, ready.go, delegator.go).
import { formatApiVersion } from "homeostat/api";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { failure } from "../../apimachinery/errors/api-errors.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Revision } from "../../storage/store.ts";
import type { ConversionFailure } from "../revisions/converted-revisions.ts";
import { storagePrefixOf } from "../revisions/storage-key.ts";
import type { CoreServices } from "../scope/core-services.ts";

type ConvertServices = Pick<CoreServices, "conversions" | "runtime" | "store">;

/** Upstream tries to fill a cache again after this time, and then knows why it cannot. */
const relistMs = 1000;

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

/**
 * The same for the objects of a list. The first list that meets a failure waits for the cache in
 * vain and gets the failure itself, as a page without selectors does; others are asked to retry.
 */
export async function convertListed(
  core: ConvertServices,
  resource: ServedResource,
  revisions: Iterable<Revision>,
  read: "page" | "list",
): Promise<readonly Revision[]> {
  const items = [...revisions];
  if (read === "list" && core.conversions.failureOf(resource)) await assertReady(core, resource);
  return await convertAll(core, resource, items);
}

/** Throws 429 while any object of a version cannot be converted, wherever it is. */
export async function assertReady(core: ConvertServices, resource: ServedResource): Promise<void> {
  const { conversions, store } = core;
  const listing = store.list(storagePrefixOf(resource, ""));
  if (typeof listing === "string") return;
  try {
    await convertAll(core, resource, listing.items);
  } catch (error) {
    const sinceMs = core.runtime.clock.monotonic();
    throw unreadyError(core, resource, conversions.failureOf(resource) ?? { error, sinceMs });
  }
  conversions.recovered(resource);
}

/** 429, while a version's watch cache cannot be filled. */
function unreadyError(
  { runtime }: Pick<CoreServices, "runtime">,
  resource: ServedResource,
  { error, sinceMs }: ConversionFailure,
): Error {
  const why = reasonOf(error);
  const isTriedAgain = runtime.clock.monotonic() - sinceMs >= relistMs;
  const kind = `${formatApiVersion(resource)}, Kind=${resource.kind}`;
  return failure(
    429,
    "TooManyRequests",
    `storage is (re)initializing${isTriedAgain ? `: failed to list ${kind}: ${why}` : ""}`,
    { retryAfterSeconds: 1 },
  );
}
