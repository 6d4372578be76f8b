// The resource, object and verb that a path and a method name. Pure; whether the resource exists is
// the router's question.
// Upstream: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.
import { exactField, parseFieldSelector, pathSegmentFaults } from "homeostat/api";
import { pathAction, type RequestedAction } from "../../apimachinery/authorizer.ts";
import type { Query } from "./query.ts";

/** The attributes of a request for authorization and routing. */
export interface RequestInfo extends RequestedAction {
  /** The resource and what follows it, namespace scope removed. */
  readonly parts: readonly string[];
  /** The deprecated `/watch/` precedes the resource. */
  readonly watchPrefix: boolean;
  /** The name is in the path, not only in a field selector. */
  readonly named: boolean;
  /** `namespaces/<namespace>` precedes the resource. */
  readonly scoped: boolean;
}

/** A path with a resource's prefix that names none; upstream answers 500 in plain text. */
export class RequestInfoError extends Error {
  override readonly name = "RequestInfoError";
}

const namespaceSubresources = new Set(["status", "finalize"]);

/** Reads path and method. */
export function readRequestInfo(method: string, path: string, query: Query): RequestInfo {
  const parts = splitPath(path);
  const isLegacy = parts[0] === "api";
  const atGroup = isLegacy ? 1 : 2;
  if ((!isLegacy && parts[0] !== "apis") || parts.length < atGroup + 2)
    return { ...pathAction(method.toLowerCase(), path), ...notOfResource };
  const prefixed = parts[atGroup + 1] === "watch" || parts[atGroup + 1] === "proxy";
  const rest = parts.slice(atGroup + (prefixed ? 2 : 1));
  if (!rest.length)
    throw new RequestInfoError(
      `unable to determine kind and namespace from url, ${path}${query.raw ? `?${query.raw}` : ""}`,
    );
  const { namespace, scoped, parts: resourceParts } = splitScope(rest);
  const [resource = "", name = "", subresource = ""] = resourceParts;
  const verb = prefixed ? parts[atGroup + 1]! : verbOf(method);
  const info = {
    isResource: true,
    path,
    verb,
    group: isLegacy ? "" : parts[1]!,
    version: parts[atGroup]!,
    namespace,
    resource,
    name,
    subresource,
    parts: resourceParts,
    watchPrefix: verb === "watch",
    named: name !== "",
    scoped,
  };
  return name ? info : { ...info, ...collectionVerb(verb, query) };
}

/** Path segments; slashes at either end do not count. */
function splitPath(path: string): readonly string[] {
  const trimmed = path.replace(/^\/+|\/+$/g, "");
  return trimmed ? trimmed.split("/") : [];
}

const notOfResource = { parts: [], watchPrefix: false, named: false, scoped: false };

/** `namespaces` is a scope when something other than its own subresources follows the name. */
function splitScope(parts: readonly string[]): {
  readonly namespace: string;
  readonly scoped: boolean;
  readonly parts: readonly string[];
} {
  if (parts[0] !== "namespaces" || parts.length < 2) return { namespace: "", scoped: false, parts };
  const scoped = parts.length > 2 && !namespaceSubresources.has(parts[2]!);
  return { namespace: parts[1]!, scoped, parts: scoped ? parts.slice(2) : parts };
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
const verbOf = (method: string): string => verbs[method] ?? "";

/**
 * A get without a name is a list or a watch; a field selector on the name names the object for
 * authorization.
 */
function collectionVerb(
  verb: string,
  query: Query,
): { readonly verb: string; readonly name?: string } {
  if (verb === "delete") return { verb: "deletecollection" };
  if (verb !== "get") return { verb };
  return { verb: query.flag("watch") ? "watch" : "list", ...selectedName(query) };
}

function selectedName(query: Query): { readonly name?: string } {
  const selector = query.first("fieldSelector");
  if (!selector) return {};
  try {
    const name = exactField(parseFieldSelector(selector), "metadata.name");
    return name && !pathSegmentFaults(name).length ? { name } : {};
  } catch {
    return {};
  }
}
