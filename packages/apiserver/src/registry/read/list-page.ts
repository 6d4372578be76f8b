// Selects the revisions that a list returns: the newest, one not older than requested, an exact
// one, or the next page.
// Upstream: k8s.io/apiserver/pkg/storage/etcd3/store.go (GetList), errors.go,
// pkg/storage/interfaces.go (ValidateListOptions).
import type { Listing, Revision } from "../../storage/store.ts";
import { ApiStatusError } from "homeostat/api";
import { badRequestError, expiredError } from "../../apimachinery/errors/api-errors.ts";
import type { CoreServices } from "../scope/core-services.ts";
import type { ListOptions } from "../options/list-options.ts";
import { formatContinue, parseContinue } from "./continue-token.ts";
import { assertReached, listResourceVersionOf, waitForRevision } from "./resource-version.ts";
import { convertListed } from "./convert-all.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Selection } from "../revisions/selection.ts";

/** One page of a list. */
export interface ListPage {
  readonly revision: number;
  readonly items: readonly Revision[];
  /** "" on the last page. */
  readonly continue: string;
  /** Objects on the pages that follow; unknown with selectors. */
  readonly remaining: number | undefined;
}

interface Start {
  /** The exact revision to read; undefined for the newest. */
  readonly at: number | undefined;
  readonly startKey: string;
  readonly limit: number;
}

/** Reads a page. Throws 400, 410 and 504. */
export async function readPage(
  { core, resource }: { readonly core: CoreServices; readonly resource: ServedResource },
  selection: Selection,
  options: ListOptions,
): Promise<ListPage> {
  const start = await startOf(core, resource, selection, options);
  const listing = core.store.list(selection.prefix, {
    startKey: start.startKey,
    ...(start.at === undefined ? {} : { at: start.at }),
  });
  if (listing === "compacted") throw expired(options, start, selection);
  if (listing === "future") return await readPage({ core, resource }, selection, options);
  if (!resource.codec.remote) return collect(listing, selection, start);
  const { revision } = listing;
  const read = selection.everything && options.limit > 0 ? "page" : "list";
  const items = await convertListed(core, resource, listing.items, read);
  const countAfter = (key: string): number =>
    items.length - 1 - items.findLastIndex((item) => item.key === key);
  return collect({ revision, items, countAfter }, selection, start);
}

async function startOf(
  core: CoreServices,
  resource: ServedResource,
  selection: Selection,
  options: ListOptions,
): Promise<Start> {
  const limit = limitOf(resource, options);
  if (options.continue && !selection.single)
    return await startOfToken(core, { options, selection, limit });
  const wanted = listResourceVersionOf(options.resourceVersion);
  if (wanted > 0) await assertReached(core, resource, wanted);
  const exact =
    options.resourceVersionMatch === "Exact" ||
    (options.resourceVersionMatch === "" && limit > 0 && wanted > 0 && !selection.single);
  return { at: exact ? wanted : undefined, startKey: selection.prefix, limit };
}

/**
 * 0: all. A list of any revision comes from the watch cache, where there is one, which pages not.
 */
function limitOf({ watchCache }: ServedResource, { resourceVersion, limit }: ListOptions): number {
  return resourceVersion === "0" && watchCache !== "none" ? 0 : Math.max(0, limit);
}

interface Continued {
  readonly options: ListOptions;
  readonly selection: Selection;
  readonly limit: number;
}

async function startOfToken(
  core: CoreServices,
  { options, selection, limit }: Continued,
): Promise<Start> {
  const token = parseContinue(options.continue);
  if (options.resourceVersion !== "" && options.resourceVersion !== "0")
    throw badRequestError("specifying resource version is not allowed when using continue");
  // A client may send a made-up token with a future revision.
  if (token.revision > 0) await waitForRevision(core, token.revision);
  return {
    at: token.revision > 0 ? token.revision : undefined,
    startKey: selection.prefix + token.start,
    limit,
  };
}

/** An expired list must start anew; an expired page comes with a token for an inconsistent rest. */
function expired(options: ListOptions, start: Start, selection: Selection): Error {
  if (!options.continue)
    return expiredError("The resourceVersion for the provided list is too old.");
  const error = expiredError(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
  );
  return new ApiStatusError({
    ...error.status,
    metadata: {
      continue: formatContinue({
        start: start.startKey.slice(selection.prefix.length),
        revision: -1,
      }),
    },
  });
}

/**
 * Collects matching objects up to the limit; whether more follow depends on all objects, matching
 * or not.
 */
function collect(listing: Listing, selection: Selection, { limit }: Start): ListPage {
  const items: Revision[] = [];
  let lastKey = "";
  let isMore = false;
  for (const revision of listing.items) {
    if (limit > 0 && items.length >= limit) {
      isMore = true;
      break;
    }
    lastKey = revision.key;
    if (selection.matches(revision)) items.push(revision);
  }
  const token =
    isMore && !selection.single
      ? formatContinue({
          start: `${lastKey.slice(selection.prefix.length)}\u0000`,
          revision: listing.revision,
        })
      : "";
  return {
    revision: listing.revision,
    items,
    continue: token,
    remaining: token && selection.everything ? listing.countAfter(lastKey) : undefined,
  };
}
