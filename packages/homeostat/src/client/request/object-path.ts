// Builds paths of kinds and objects. Core kinds are under /api, all others under /apis.
import { assertKind } from "../../api/check-kind.ts";
import { parseApiVersion } from "../../api/gvk.ts";
import type { Kind } from "../../api/kind.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { describeMissing } from "../../util/option-faults.ts";

/**
 * The path of a collection, e.g. `/apis/apps/v1/namespaces/shop/deployments`; without a namespace,
 * all namespaces.
 */
export function collectionPath(kind: Kind, namespace: string | undefined): string {
  assertKind(kind, "calling a client");
  const gv = parseApiVersion(kind.apiVersion);
  if (!gv || !gv.version) {
    throw new HomeostatError(
      "ERR_CLIENT_KIND",
      `building a request for kind ${kind.kind}: apiVersion must be "group/version" or "version", got ${JSON.stringify(kind.apiVersion)}`,
      {
        hint: "Correct the kind's apiVersion.",
      },
    );
  }
  const root = gv.group ? `/apis/${gv.group}/${gv.version}` : `/api/${gv.version}`;
  const scope =
    kind.scope === "Namespaced" && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}${scope}/${kind.resource}`;
}

/**
 * The path of one object or of a subresource of it, e.g. `/api/v1/namespaces/shop/pods/web/status`.
 */
export function objectPath(
  kind: Kind,
  key: { readonly name: string; readonly namespace?: string | undefined },
  subresource?: string,
): string {
  if (
    typeof key.name !== "string" ||
    key.name === "" ||
    key.name === "." ||
    key.name === ".." ||
    key.name.includes("/") ||
    key.name.includes("%")
  ) {
    throw nameError(kind, key.name);
  }
  if (kind.scope === "Namespaced" && !key.namespace) {
    throw new HomeostatError(
      "ERR_CLIENT_NAMESPACE",
      `building a request for ${kind.kind} ${key.name}: the kind is namespaced and no namespace was given`,
      {
        hint: "Pass { namespace, name }, or give the client a namespace.",
      },
    );
  }
  return `${collectionPath(kind, key.namespace)}/${encodeURIComponent(key.name)}${subresource ? `/${subresource}` : ""}`;
}

/** The error of a name that names no object. */
export const nameError = ({ kind }: Kind, name: unknown): HomeostatError =>
  new HomeostatError(
    "ERR_CLIENT_NAME",
    `building a request for ${kind}: expected the name of one object without "/" or "%", got ${typeof name === "string" ? JSON.stringify(name) : describeMissing(name)}`,
    { hint: "Pass the object's name; the namespace goes into `namespace`." },
  );
