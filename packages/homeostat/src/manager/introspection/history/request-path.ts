// The object that a request's path names. Pure.

/** The parts of a path of the API. */
export interface RequestPath {
  /** `v1`, `apps/v1` */
  readonly apiVersion: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** Subresources of a Namespace, which no resource is named like. */
const ofNamespaces = new Set(["finalize", "status"]);

/**
 * Parses e.g. `/apis/apps/v1/namespaces/shop/deployments/web/scale`; undefined for paths that are
 * not those of resources.
 */
export function parseRequestPath(path: string): RequestPath | undefined {
  const [, root, ...parts] = path.split("/");
  if (root !== "api" && root !== "apis") return undefined;
  const versioned = parts.splice(0, root === "api" ? 1 : 2).join("/");
  const [first, second, third] = parts;
  const isNamespaced = first === "namespaces" && third !== undefined && !ofNamespaces.has(third);
  const [resource, name, subresource] = isNamespaced ? parts.slice(2) : parts;
  if (!resource) return undefined;
  return {
    apiVersion: versioned,
    resource,
    ...(isNamespaced ? { namespace: decoded(second!) } : {}),
    ...(name ? { name: decoded(name) } : {}),
    ...(subresource ? { subresource } : {}),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
