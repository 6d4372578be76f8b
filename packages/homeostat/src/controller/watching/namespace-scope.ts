// The namespaces that a manager watches.

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
