// What a role or binding of the server's own lacks, and gets back: rules, subjects, labels,
// aggregation. What somebody added stays. Pure.
// Upstream:
// k8s.io/kubernetes/pkg/registry/rbac/reconciliation/{reconcile_role,reconcile_rolebindings}.go,
// pkg/registry/rbac/validation/policy_comparator.go (Covers).
import { cloneJson, equalJson, type JsonObject } from "homeostat/api";
import { itemsAt, textMapAt, textsAt, objectAt } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";

const autoUpdate = "rbac.authorization.kubernetes.io/autoupdate";

/**
 * The stored object as it should be; undefined where nothing is missing, or its annotation says to
 * leave it.
 */
export function reconcileRole(stored: JsonObject, wanted: JsonObject): JsonObject | undefined {
  if (textMapAt(metadataOf(stored), "annotations")[autoUpdate] === "false") return undefined;
  const next = cloneJson(stored);
  for (const field of ["labels", "annotations"] as const) {
    const missing = Object.entries(textMapAt(metadataOf(wanted), field)).filter(
      ([key]) => !Object.hasOwn(textMapAt(metadataOf(stored), field), key),
    );
    if (missing.length)
      metadataOf(next)[field] = {
        ...textMapAt(metadataOf(stored), field),
        ...Object.fromEntries(missing),
      };
  }
  append(
    next,
    "rules",
    itemsAt(wanted, "rules")
      .flatMap(breakDown)
      .filter((rule) => !covers(itemsAt(stored, "rules"), rule)),
  );
  append(next, "subjects", missingFrom(stored, wanted, "subjects"));
  const [before, after] = [
    objectAt(stored, "aggregationRule"),
    objectAt(wanted, "aggregationRule"),
  ];
  const selectors = missingFrom(before, after, "clusterRoleSelectors");
  if (selectors.length)
    next["aggregationRule"] = {
      ...before,
      clusterRoleSelectors: [...itemsAt(before, "clusterRoleSelectors"), ...selectors],
    };
  return equalJson(next, stored) ? undefined : next;
}

const missingFrom = (
  stored: JsonObject,
  wanted: JsonObject,
  field: string,
): readonly JsonObject[] =>
  itemsAt(wanted, field).filter(
    (each) => !itemsAt(stored, field).some((other) => equalJson(each, other)),
  );

function append(object: JsonObject, field: string, more: readonly JsonObject[]): void {
  if (more.length) object[field] = [...itemsAt(object, field), ...more];
}

/** A rule as rules of one verb on one thing each. */
function breakDown(rule: JsonObject): readonly JsonObject[] {
  const names = textsAt(rule, "resourceNames");
  const onResources = textsAt(rule, "apiGroups").flatMap((group) =>
    textsAt(rule, "resources").flatMap((resource) =>
      textsAt(rule, "verbs").flatMap((verb): JsonObject[] => {
        const one = { verbs: [verb], apiGroups: [group], resources: [resource] };
        return names.length ? names.map((name) => ({ ...one, resourceNames: [name] })) : [one];
      }),
    ),
  );
  const onPaths = textsAt(rule, "nonResourceURLs").flatMap((path) =>
    textsAt(rule, "verbs").map((verb) => ({ verbs: [verb], nonResourceURLs: [path] })),
  );
  return [...onResources, ...onPaths];
}

/** Whether one of the rules allows all of `one`, which has been broken down. */
function covers(rules: readonly JsonObject[], one: JsonObject): boolean {
  const has = (rule: JsonObject, field: string): boolean =>
    textsAt(rule, field).includes("*") ||
    textsAt(one, field).every((each) => textsAt(rule, field).includes(each));
  return rules.some((rule) => {
    if (!has(rule, "verbs")) return false;
    const [path] = textsAt(one, "nonResourceURLs");
    if (path !== undefined)
      return textsAt(rule, "nonResourceURLs").some(
        (each) => each === path || (each.endsWith("*") && path.startsWith(each.slice(0, -1))),
      );
    const names = textsAt(rule, "resourceNames");
    return (
      has(rule, "apiGroups") &&
      hasResource(rule, textsAt(one, "resources")[0]!) &&
      (!names.length || (textsAt(one, "resourceNames").length > 0 && has(rule, "resourceNames")))
    );
  });
}

/** `*` is every resource, and a star before a slash a subresource of every one. */
function hasResource(rule: JsonObject, wanted: string): boolean {
  const slash = wanted.indexOf("/");
  return textsAt(rule, "resources").some(
    (each) => each === "*" || each === wanted || (slash >= 0 && each === `*${wanted.slice(slash)}`),
  );
}
