// The name of a request's span: the method, and the resource without names of objects.
import type { ApiRequest } from "../../client/client.ts";

/** Subresources of a Namespace. */
const ofNamespaces = new Set(["finalize", "status"]);

/** e.g. `PATCH orders/status` for `/apis/kitchen.example.com/v1/namespaces/a/orders/b/status`. */
export function nameRequest({ method, path }: Pick<ApiRequest, "method" | "path">): string {
  const parts = path.split("/");
  const first = parts[1] === "api" ? 3 : 4;
  const isNamespaced =
    parts[first] === "namespaces" &&
    parts.length > first + 2 &&
    !ofNamespaces.has(parts[first + 2]!);
  const at = isNamespaced ? first + 2 : first;
  const resource = parts[at];
  if (!resource || (parts[1] !== "api" && parts[1] !== "apis")) return method;
  const subresource = parts[at + 2];
  return subresource ? `${method} ${resource}/${subresource}` : `${method} ${resource}`;
}
