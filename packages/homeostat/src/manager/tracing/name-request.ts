// The name of a request's span: the method, and the resource without names of objects.
import type { ApiRequest } from "../../client/client.ts";

/** Subresources of a Namespace. */
const ofNamespaces = new Set(["finalize", "status"]);

/** e.g. `PATCH orders/status` for `/apis/kitchen.example.com/v1/namespaces/a/orders/b/status`. */
export function nameRequest({ method, path }: Pick<ApiRequest, "method" | "path">): string {
  const first = startOfResource(path);
  const resource = segment(path, first);
  if (resource === "") return method;
  if (resource !== "namespaces") return nameAt(method, path, first);
  const below = next(path, next(path, first));
  const isNamespaced = below > 0 && !ofNamespaces.has(segment(path, below));
  return nameAt(method, path, isNamespaced ? below : first);
}

function nameAt(method: string, path: string, at: number): string {
  const resource = segment(path, at);
  const subresource = segment(path, next(path, next(path, at)));
  return subresource === "" ? `${method} ${resource}` : `${method} ${resource}/${subresource}`;
}

/** Behind the version; 0 for other paths than those of resources. */
function startOfResource(path: string): number {
  if (path.startsWith("/api/")) return next(path, 5);
  if (path.startsWith("/apis/")) return next(path, next(path, 6));
  return 0;
}

/** The start of the next segment; 0 when there is none. */
const next = (path: string, from: number): number => (from === 0 ? 0 : path.indexOf("/", from) + 1);

/** The segment that starts there; empty at 0. */
function segment(path: string, from: number): string {
  if (from === 0) return "";
  const end = path.indexOf("/", from);
  return end < 0 ? path.slice(from) : path.slice(from, end);
}
