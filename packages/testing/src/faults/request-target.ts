// What a request is about, read from its method and path. Pure.
// Upstream: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.
import type { TransportRequest } from "homeostat/api";
import type { Verb } from "homeostat";
import { isWatch } from "../traffic/traffic.ts";

/** A request for objects. */
export interface RequestTarget {
  readonly verb: Verb;
  readonly apiVersion: string;
  /** Plural, as in the path. */
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

const objects = /^\/(?:api\/(v[^/]+)|apis\/([^/]+\/[^/]+))\/(.+)$/;
/** Subresources of a Namespace; else what follows its name is a resource in it. */
const ofNamespaces = ["status", "finalize"];

const verbs: Readonly<Record<string, Verb>> = { POST: "create", PUT: "update", PATCH: "patch" };

/** Undefined for requests that are about no objects, such as discovery. */
export function targetOf(request: TransportRequest): RequestTarget | undefined {
  const { method, path } = request;
  const [, core, other, rest] = objects.exec(path.split("?", 1)[0]!) ?? [];
  const apiVersion = core ?? other;
  if (apiVersion === undefined || rest === undefined) return undefined;
  const parts = rest.split("/").map(decodeURIComponent);
  const isInside =
    parts[0] === "namespaces" && parts.length > 2 && !ofNamespaces.includes(parts[2]!);
  const [resource, name, ...subresource] = isInside ? parts.slice(2) : parts;
  return {
    verb: verbOf(method, path, name),
    apiVersion,
    resource: resource!,
    subresource: subresource.length > 0 ? subresource.join("/") : undefined,
    namespace: isInside ? parts[1] : undefined,
    name,
  };
}

function verbOf(method: string, path: string, name: string | undefined): Verb {
  if (method === "GET") {
    if (isWatch(path)) return "watch";
    return name === undefined ? "list" : "get";
  }
  if (method === "DELETE") return name === undefined ? "deletecollection" : "delete";
  return verbs[method] ?? "get";
}
