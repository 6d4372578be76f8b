// Rules of roles, merged so that a reader sees each right once. Pure.

/** A rule of a Role or ClusterRole, as in rbac.authorization.k8s.io/v1. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** A right to use one resource. */
export interface Right {
  readonly group: string;
  /** With its subresource: `orders` or `orders/status`. */
  readonly resource: string;
  readonly verbs: readonly string[];
  readonly names?: readonly string[] | undefined;
}

/** The order in which RBAC's documentation lists verbs. */
const verbOrder = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
];

/**
 * The rules that grant exactly these rights: resources of one group with the same verbs share a
 * rule. Sorted, so that the same rights always print alike.
 */
export function toPolicyRules(rights: readonly Right[]): readonly PolicyRule[] {
  const verbsOf = new Map<string, { readonly right: Right; readonly verbs: Set<string> }>();
  for (const right of rights) {
    const { group, resource, names } = right;
    const id = JSON.stringify([group, resource, names?.toSorted() ?? []]);
    const known = verbsOf.get(id) ?? { right, verbs: new Set() };
    for (const verb of right.verbs) known.verbs.add(verb);
    verbsOf.set(id, known);
  }
  const rules = new Map<string, { readonly rule: PolicyRule; readonly resources: string[] }>();
  for (const { right, verbs } of verbsOf.values()) {
    const names = right.names?.toSorted();
    const sorted = verbOrder.filter((verb) => verbs.has(verb));
    const id = JSON.stringify([right.group, sorted, names ?? []]);
    const known = rules.get(id);
    if (known) {
      known.resources.push(right.resource);
      continue;
    }
    const resources = [right.resource];
    const rule = { apiGroups: [right.group], resources, verbs: sorted };
    rules.set(id, { rule: names ? { ...rule, resourceNames: names } : rule, resources });
  }
  for (const { resources } of rules.values()) resources.sort();
  return Array.from(rules.values(), ({ rule }) => rule).toSorted(byGroupAndResource);
}

/** What these rights grant beyond the others, which hold for objects of any name. */
export function beyond(rights: readonly Right[], others: readonly Right[]): readonly Right[] {
  const idOf = ({ group, resource }: Right, verb: string): string =>
    JSON.stringify([group, resource, verb]);
  const granted = new Set(
    others.filter(({ names }) => !names).flatMap((one) => one.verbs.map((verb) => idOf(one, verb))),
  );
  return rights.flatMap((right) => {
    const verbs = right.verbs.filter((verb) => !granted.has(idOf(right, verb)));
    return verbs.length === 0 ? [] : [{ ...right, verbs }];
  });
}

function byGroupAndResource(a: PolicyRule, b: PolicyRule): number {
  return compare(idOf(a), idOf(b));
}

/** Rules without names come first. */
const idOf = ({ apiGroups, resources, verbs, resourceNames }: PolicyRule): string =>
  JSON.stringify([apiGroups, resources, resourceNames ?? "", verbs]);

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);
