// GET with watch=1: validates the request, then opens the stream.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/get.go (handleWatch), watch.go.
import { unitInterval } from "homeostat/runtime";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import { headersOf } from "../response/encode-response.ts";
import { readIncludeObject } from "../response/table.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { notAcceptableError } from "../negotiation/accept.ts";
import { type ListOptions, readListOptions } from "../options/list-options.ts";
import { resourceVersionOf } from "../read/resource-version.ts";
import { selectionOf } from "../revisions/selection.ts";
import { assertReady } from "../read/convert-all.ts";
import { createWatchEncoder } from "../watch/watch-encoder.ts";
import { WatchRun } from "../watch/watch-run.ts";

/**
 * Upstream's min-request-timeout: a watch without timeoutSeconds ends after one to two times this.
 */
const minTimeoutMs = 1_800_000;

/** Answers a watch. */
export async function watchObjects(scope: RequestScope): Promise<ApiResponse> {
  const { core, request, resource, namespace, name, accepted } = scope;
  const options = readListOptions(request.query, resource, request.info.named ? name : "");
  const revision = resourceVersionOf(options.resourceVersion);
  const includeObject =
    accepted.transform?.kind === "Table" ? readIncludeObject(request.query) : "";
  const contentType = contentTypeOf(scope);
  if (resource.codec.remote) await assertReady(core, resource);
  const encoder = createWatchEncoder(core, resource, accepted, includeObject);
  const plan = {
    selection: selectionOf(resource, namespace, options.labels, options.fields),
    encoder,
    revision,
    start: startOf(options, revision),
    bookmarks: options.allowWatchBookmarks,
    timeoutMs: timeoutOf(scope, options),
    resource,
  };
  return {
    status: 200,
    headers: headersOf(request, { "content-type": contentType }),
    body: { open: (sink) => new WatchRun(core, plan, sink).stream },
  };
}

/** The media type of the stream; YAML has none. Throws 406. */
function contentTypeOf({ core, accepted }: RequestScope): string {
  if (accepted.mediaType === "application/json") return accepted.mediaType;
  if (accepted.mediaType === "application/vnd.kubernetes.protobuf" && core.protobuf?.frame)
    return `${accepted.mediaType};stream=watch`;
  throw notAcceptableError(
    "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
  );
}

/** A watch without a revision, or with sendInitialEvents, begins with the current objects. */
function startOf(
  { sendInitialEvents }: ListOptions,
  revision: number,
): "initial objects" | "initial objects and bookmark" | "changes" {
  if (sendInitialEvents) return "initial objects and bookmark";
  return sendInitialEvents === undefined && revision === 0 ? "initial objects" : "changes";
}

function timeoutOf({ core }: RequestScope, { timeoutSeconds }: ListOptions): number {
  if (timeoutSeconds) return timeoutSeconds * 1000;
  return minTimeoutMs * (1 + unitInterval(core.runtime.entropy));
}
