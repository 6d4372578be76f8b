// Rights that declarations of controllers and webhooks do not show, for the roles that
// `homeostat generate` writes.
import { isKind } from "./check-kind.ts";
import type { Kind } from "./kind.ts";
import { describeValue } from "../util/describe-error.ts";
import { isOptions, unknownOptions } from "../util/option-faults.ts";

/** The verbs of RBAC for objects. Source: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go. */
export type Verb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection";

/**
 * A right to use a kind: for requests that go through `client`, and kinds that `watch(kind)` names.
 */
export interface Permission {
  readonly kind: Kind;
  readonly verbs: readonly Verb[];
  /** For example `"status"` or `"log"`. Default: the objects themselves. */
  readonly subresource?: string;
  /** Only objects of these names. RBAC cannot restrict create and deletecollection by name. */
  readonly names?: readonly string[];
}

const verbs: readonly string[] = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
] satisfies readonly Verb[];

const nameless = ["create", "deletecollection"];

/** Problems of `permissions`, before their types can be trusted. */
export function checkPermissions(permissions: unknown = []): readonly string[] {
  if (!Array.isArray(permissions)) return ["permissions is not a list"];
  return permissions.flatMap((one: unknown, i) =>
    checkPermission(one).map((problem) => `permissions[${i}]${problem}`),
  );
}

function checkPermission(permission: unknown): readonly string[] {
  if (!isOptions(permission)) return [` is ${describeValue(permission)}, expected { kind, verbs }`];
  const { kind, verbs: given, subresource, names } = permission as Record<string, unknown>;
  const known = ["kind", "verbs", "subresource", "names"];
  return [
    ...unknownOptions(permission, known).map((problem) => `: ${problem}`),
    ...(isKind(kind as Kind) ? [] : [`.kind is ${describeValue(kind)}, expected a kind`]),
    ...checkVerbs(given, names),
    ...(subresource === undefined || isText(subresource)
      ? []
      : [`.subresource is ${describeValue(subresource)}, expected a name such as "status"`]),
    ...(names === undefined || isTexts(names)
      ? []
      : [`.names is ${describeValue(names)}, expected a list of names`]),
  ];
}

function checkVerbs(given: unknown, names: unknown): readonly string[] {
  if (!Array.isArray(given) || given.length === 0)
    return [`.verbs is ${describeValue(given)}, expected some of ${verbs.join(", ")}`];
  return given.flatMap((verb: unknown) => {
    if (!verbs.includes(verb as Verb))
      return [`.verbs has ${describeValue(verb)}, expected some of ${verbs.join(", ")}`];
    if (names === undefined || !nameless.includes(verb as Verb)) return [];
    return [`.verbs has ${String(verb)}, which RBAC cannot restrict to names`];
  });
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isText);
