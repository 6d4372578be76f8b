// Finds the resource and the action of a request, or the 404 or 405 of upstream's two routers: the
// installed routes know paths and methods, the delegate for custom resources knows verbs.
// Upstream: k8s.io/apiserver/pkg/endpoints/installer.go, github.com/emicklei/go-restful (curly.go,
// jsr311.go), k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
import type { ApiResponse } from "../apimachinery/handler.ts";
import { pageNotFound } from "../apimachinery/text-response.ts";
import {
  badRequestError,
  failure,
  genericNotFoundError,
  methodNotAllowedError,
  notFoundError,
} from "../apimachinery/errors/api-errors.ts";
import type { Action, RequestScope } from "./scope/request-scope.ts";
import type { CoreServices } from "./scope/core-services.ts";
import { assertRoutable, mediaTypes, negotiate, type Offer } from "./negotiation/accept.ts";
import { patchTypes } from "./patch/patch-type.ts";
import type { ServerRequest } from "./request/server-request.ts";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";

/** The 405 of the installed routes. */
function notAllowedError(): Error {
  return failure(
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    {},
  );
}

/** The 404 for a path that is no resource: a Status below installed paths, elsewhere plain text. */
export function unknownPathResponse(core: CoreServices, request: ServerRequest): ApiResponse {
  const [root = "", group = ""] = request.info.path.slice(1).split("/");
  if (
    root === "api" ||
    root === "version" ||
    (root === "apis" && group !== "" && isInstalledGroup(core, group))
  )
    throw genericNotFoundError();
  return pageNotFound();
}

/** True if routes are installed below this group: its unknown paths are answered by a Status. */
function isInstalledGroup(core: CoreServices, group: string): boolean {
  return core.catalog.all().some((each) => each.routing === "installed" && each.group === group);
}

/** Routes a request to a resource; undefined for the plain 404. Throws what the routers refuse. */
export function route(core: CoreServices, request: ServerRequest): RequestScope | undefined {
  const { group, version, resource: name } = request.info;
  const resource = core.catalog.find(group, version, name);
  if (!resource) {
    if (isInstalledGroup(core, group)) throw genericNotFoundError();
    return undefined;
  }
  if (resource.routing === "installed") return routeInstalled(core, request, resource);
  warnOfDeprecation(request, resource);
  return routeDelegated(core, request, resource);
}

function warnOfDeprecation(
  { warnings }: ServerRequest,
  { deprecationWarning }: ServedResource,
): void {
  if (deprecationWarning) warnings.add(deprecationWarning);
}

function routeInstalled(
  core: CoreServices,
  request: ServerRequest,
  resource: ServedResource,
): RequestScope | undefined {
  const { info, api } = request;
  if (info.path.startsWith("//")) return undefined;
  const actions = installedActions(request, resource);
  if (!Object.keys(actions).length) throw genericNotFoundError();
  const action = actions[api.method];
  if (!action) throw notAllowedError();
  if (action === "patch") assertPatchType(api.headers["content-type"] ?? "");
  const isList = action === "list" || action === "watch";
  assertRoutable(
    api.headers["accept"] ?? "",
    isList || info.watchPrefix
      ? [
          ...mediaTypes,
          ...mediaTypes
            .filter((type) => !type.endsWith("yaml"))
            .map((type) => `${type};stream=watch`),
        ]
      : mediaTypes,
  );
  // The installed routes warn after they have accepted a request, the delegate warns at once.
  warnOfDeprecation(request, resource);
  return scopeOf(core, request, resource, action);
}

type Actions = Readonly<Record<string, Action>>;

const proxyMethods = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/** The action of each method at this path; empty for a path that is not installed. */
function installedActions({ info, query }: ServerRequest, resource: ServedResource): Actions {
  const { parts, scoped, watchPrefix } = info;
  if (scoped && !resource.namespaced) return {};
  const subresource = parts.length >= 3 ? resource.subresources.get(info.subresource) : undefined;
  if (subresource?.at === "proxy" && !watchPrefix)
    return Object.fromEntries(proxyMethods.map((method) => [method, "connect"]));
  if (parts.length > 3) return {};
  if (parts.length === 3)
    return watchPrefix || !subresource
      ? {}
      : allowed(
          subresource.verbs,
          subresource.at === "connect"
            ? { POST: "connect", GET: "connect", PUT: "connect", DELETE: "connect" }
            : { GET: "get", PUT: "update", PATCH: "patch" },
        );
  if (parts.length === 2 && resource.namespaced && !scoped) return {};
  if (watchPrefix) return allowed(resource.verbs, { GET: "watch" });
  if (parts.length === 2)
    return allowed(resource.verbs, { GET: "get", PUT: "update", PATCH: "patch", DELETE: "delete" });
  const read: Actions = { GET: query.flag("watch") && !resource.observed ? "watch" : "list" };
  if (resource.namespaced && !scoped) return allowed(resource.verbs, read);
  return allowed(resource.verbs, { ...read, POST: "create", DELETE: "deletecollection" });
}

const verbOfMethod: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** A connect endpoint allows the methods whose verbs it lists. */
function allowed(verbs: readonly string[], actions: Actions): Actions {
  return Object.fromEntries(
    Object.entries(actions).filter(([method, action]) =>
      verbs.includes(action === "connect" ? verbOfMethod[method]! : action),
    ),
  );
}

function assertPatchType(contentType: string): void {
  const named = contentType
    .split(",")
    .map((type) => type.split(";", 1)[0]!.replace(/^ +| +$/g, ""));
  if (!named.some((type) => (patchTypes as readonly string[]).includes(type)))
    throw failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
}

const delegatedActions: Readonly<Record<string, Action>> = {
  get: "get",
  list: "list",
  watch: "watch",
  create: "create",
  update: "update",
  patch: "patch",
  delete: "delete",
  deletecollection: "deletecollection",
};
const needName = new Set<Action>(["get", "update", "patch", "delete"]);

function routeDelegated(
  core: CoreServices,
  request: ServerRequest,
  resource: ServedResource,
): RequestScope | undefined {
  const { info } = request;
  const scoped = info.namespace !== "";
  if (!resource.namespaced && scoped) return undefined;
  if (resource.namespaced && !scoped && info.verb !== "list" && info.verb !== "watch")
    return undefined;
  const subresource = info.subresource ? resource.subresources.get(info.subresource) : undefined;
  if (info.subresource && !subresource) throw notFoundError(resource, info.name);
  const action = delegatedActions[info.verb];
  if (!action || (subresource && !["get", "update", "patch"].includes(action)))
    throw methodNotAllowedError(resource, info.verb);
  if (needName.has(action) && !info.named) throw badRequestError("name must be provided");
  return scopeOf(core, request, resource, action);
}

function protobufOf({ protobuf }: CoreServices, { codec }: ServedResource): Offer["protobuf"] {
  if (!protobuf?.encode) return "none";
  return codec.protobuf ? "objects" : "metadata";
}

function scopeOf(
  core: CoreServices,
  request: ServerRequest,
  resource: ServedResource,
  action: Action,
): RequestScope {
  const { info, api } = request;
  if (resource.deprecationWarning) request.audit?.deprecate();
  const endpoint = info.subresource ? resource.subresources.get(info.subresource) : undefined;
  const table =
    endpoint?.at === "connect" || (endpoint?.at === "store" && endpoint.tables === "none")
      ? false
      : resource.verbs.includes("list") || resource.verbs.includes("get");
  return {
    core,
    request,
    resource,
    action,
    namespace: resource.namespaced ? info.namespace : "",
    name: info.named ? info.name : "",
    subresource: endpoint && { name: info.subresource, endpoint },
    accepted: negotiate(api.headers["accept"] ?? "", {
      protobuf: protobufOf(core, resource),
      table,
    }),
  };
}
