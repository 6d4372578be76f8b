// The namespaces that a manager watches.
import { HomeostatError } from "../../util/homeostat-error.ts";

/** A set of namespaces, which may change while the manager runs. */
export interface NamespaceScope {
  includes(namespace: string): boolean;
  /** E.g. `namespace a`, `namespaces a, b`, `namespaces with labels team=a`. */
  readonly description: string;
  /** All namespaces, these alone, or those that match while they match. */
  readonly extent: "all" | "matching" | readonly string[];
}

/** All namespaces. */
export const allNamespaces: NamespaceScope = {
  includes: () => true,
  description: "all namespaces",
  extent: "all",
};

/** These namespaces. */
export function namedNamespaces(names: readonly string[]): NamespaceScope {
  const description = `${names.length === 1 ? "namespace" : "namespaces"} ${names.join(", ")}`;
  return { includes: (namespace) => names.includes(namespace), description, extent: names };
}

/** Refuses what selects in a namespace that is not seen. @throws ERR_WATCH_SELECTION */
export function refuseUnwatched(
  title: string,
  { namespace }: { readonly namespace: string | undefined },
  namespaces: NamespaceScope,
): void {
  if (namespace === undefined || namespaces.includes(namespace)) return;
  throw new HomeostatError(
    "ERR_WATCH_SELECTION",
    `${title} selects namespace ${namespace}, but this manager watches ${namespaces.description} only`,
    { hint: "let the manager watch that namespace, or select objects in watched ones" },
  );
}
