// What a request is about, from its method and path.
// Source of the form of paths: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.

export type Verb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection"
  /** Of an external system. */
  | "call"
  | "other";

/** What a request is about. */
export interface RequestInfo {
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  /** The plural name, such as `orders`; "" for paths without resources. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly isDryRun: boolean;
}

/** Subresources of a Namespace, which are no resources in it. */
const ofNamespaces = new Set(["finalize", "status"]);

export function readRequest(method: string, pathAndQuery: string): RequestInfo {
  const [path = "", search = ""] = pathAndQuery.split("?", 2);
  const parts = path
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent);
  const [root, ...rest] = parts;
  const isCore = root === "api";
  if (!isCore && root !== "apis") return { ...nothing, verb: "other" };
  const [group, version = "", ...resource] = isCore ? ["", ...rest] : rest;
  const query = new URLSearchParams(search);
  const place = readPlace(resource);
  return {
    ...place,
    group: group ?? "",
    version,
    verb: verbOf(method, place, query),
    isDryRun: query.has("dryRun"),
  };
}

type Place = Pick<RequestInfo, "resource" | "subresource" | "namespace" | "name">;

const nothing = {
  group: "",
  version: "",
  resource: "",
  subresource: "",
  namespace: "",
  name: "",
  isDryRun: false,
};

function readPlace([first = "", second = "", third, ...rest]: readonly string[]): Place {
  if (first === "namespaces" && third !== undefined && !ofNamespaces.has(third)) {
    const [name = "", subresource = ""] = rest;
    return { resource: third, subresource, namespace: second, name };
  }
  return { resource: first, subresource: third ?? "", namespace: "", name: second };
}

function verbOf(method: string, { resource, name }: Place, query: URLSearchParams): Verb {
  if (resource === "") return "other";
  switch (method) {
    case "GET":
      if (query.get("watch") === "true" || query.get("watch") === "1") return "watch";
      return name === "" ? "list" : "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === "" ? "deletecollection" : "delete";
    default:
      return "other";
  }
}

const writes = new Set<Verb>(["create", "update", "patch", "delete", "deletecollection"]);

/** True for a request that may change what the server stores. */
export const isWrite = ({ verb, isDryRun, group, resource, subresource }: RequestInfo): boolean =>
  writes.has(verb) && !isDryRun && !isQuestion(group, resource, subresource);

/** Creations that store nothing. */
function isQuestion(group: string, resource: string, subresource: string): boolean {
  if (group === "authorization.k8s.io" || group === "authentication.k8s.io") return true;
  return resource === "serviceaccounts" && subresource === "token";
}

/** `orders/status of shop/a`, for people. */
export function describeTarget({ resource, subresource, namespace, name }: Place): string {
  const kind = subresource === "" ? resource : `${resource}/${subresource}`;
  const key = namespace === "" ? name : `${namespace}/${name}`;
  return key === "" ? kind : `${kind} ${key}`;
}
