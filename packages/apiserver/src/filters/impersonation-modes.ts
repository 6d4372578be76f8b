// The modes in which a caller may impersonate: as the node of a service account, as any node, as a
// service account, as another user, and by the verb `impersonate` alone. All but the last also
// need the right to do what is requested while impersonating.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/impersonation/mode.go.
import { type ApiStatusError, dnsLabelFaults, dnsSubdomainFaults } from "homeostat/api";
import { aggregate, formatFieldError } from "../apimachinery/errors/aggregate.ts";
import {
  type Authorizer,
  type RequestedAction,
  resourceAction,
} from "../apimachinery/authorizer.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import type { UserInfo } from "../apimachinery/user-info.ts";
import { refusal } from "../apimachinery/refusal.ts";
import { domainPathErrors } from "../kinds/validation/name-faults.ts";

/** Who wants to be whom, for what. */
export interface ImpersonationAttempt {
  readonly caller: UserInfo;
  /** As the headers name it. */
  readonly wanted: UserInfo;
  /** The request. */
  readonly info: RequestedAction;
  readonly authorizer: Authorizer;
}

/** The user that the request continues as. */
export interface Impersonated {
  readonly user: UserInfo;
  /** The verb of a constrained mode; "" for the verb `impersonate`. */
  readonly constraint: string;
}

/** Or why the caller may not be it. */
export type Impersonation = Impersonated | { readonly refusal: ApiStatusError };

/** Undefined when the mode is not for such a user. */
export type ImpersonationMode = (attempt: ImpersonationAttempt) => Impersonation | undefined;

const authentication = { group: "authentication.k8s.io", version: "v1" } as const;
const core = { group: "", version: "v1" } as const;
/** From so many values on, one question about all of them comes first. */
const many = 4;

/** In the order in which they are tried. */
export const impersonationModes: readonly ImpersonationMode[] = [
  constrained("associated-node", isOwnNode),
  constrained("arbitrary-node", ({ wanted }) => isNameOnly(wanted) && isNode(wanted.name)),
  constrained(
    "serviceaccount",
    ({ wanted }) => isNameOnly(wanted) && readAccount(wanted.name) !== undefined,
  ),
  constrained("user-info", ({ wanted }) => !isNode(wanted.name) && !readAccount(wanted.name)),
  (attempt) => impersonate(attempt, { verb: "impersonate", isConstrained: false }),
];

interface Mode {
  readonly verb: string;
  readonly isConstrained: boolean;
}

function constrained(
  name: string,
  isFor: (attempt: ImpersonationAttempt) => boolean,
): ImpersonationMode {
  const mode: Mode = { verb: `impersonate:${name}`, isConstrained: true };
  return (attempt) => {
    if (!isFor(attempt)) return undefined;
    const { info } = attempt;
    const refused = check(attempt, { ...info, verb: `impersonate-on:${name}:${info.verb}` });
    return refused ? { refusal: refused } : impersonate(attempt, mode);
  };
}

function impersonate(attempt: ImpersonationAttempt, mode: Mode): Impersonation {
  const refused =
    check(attempt, userAction(attempt.wanted, mode)) ??
    checkUid(attempt, mode) ??
    checkGroups(attempt, mode) ??
    checkExtra(attempt, mode);
  if (refused) return { refusal: refused };
  const constraint = mode.isConstrained ? mode.verb : "";
  return { user: resultOf(attempt.wanted, mode), constraint };
}

function userAction({ name }: UserInfo, mode: Mode): RequestedAction {
  const kind = { ...(mode.isConstrained ? authentication : core), verb: mode.verb };
  const account = readAccount(name);
  if (account) return resourceAction({ ...kind, resource: "serviceaccounts", ...account });
  if (!mode.isConstrained || !isNode(name))
    return resourceAction({ ...kind, resource: "users", name });
  // A right to be one's own node holds for the nodes of all pods of the account.
  const node = mode.verb === "impersonate:associated-node" ? "*" : name.slice(nodePrefix.length);
  return resourceAction({ ...kind, resource: "nodes", name: node });
}

function checkUid(attempt: ImpersonationAttempt, { verb }: Mode): ApiStatusError | undefined {
  const { uid } = attempt.wanted;
  if (!uid) return undefined;
  return check(attempt, resourceAction({ ...authentication, verb, resource: "uids", name: uid }));
}

function checkGroups(attempt: ImpersonationAttempt, mode: Mode): ApiStatusError | undefined {
  const { caller, wanted } = attempt;
  const ofGroup = (name: string): RequestedAction =>
    resourceAction({
      ...(mode.isConstrained ? authentication : core),
      verb: mode.verb,
      resource: "groups",
      name,
    });
  if (mode.isConstrained) {
    for (const [group, shown] of neverConstrained)
      if (wanted.groups.includes(group))
        return refusal(
          { user: caller, info: ofGroup(group) },
          `impersonating the ${shown} is not allowed`,
        );
    if (wanted.groups.length >= many && !check(attempt, ofGroup("*"))) return undefined;
  }
  return first(wanted.groups, (group) => check(attempt, ofGroup(group)));
}

const neverConstrained = [
  ["", "empty string group"],
  ["system:masters", "system:masters group"],
] as const;

function checkExtra(attempt: ImpersonationAttempt, mode: Mode): ApiStatusError | undefined {
  const { caller, wanted } = attempt;
  const entries = Object.entries(wanted.extra ?? {});
  if (entries.length === 0) return undefined;
  const ofValue = (subresource: string, name: string): RequestedAction =>
    resourceAction({
      ...authentication,
      verb: mode.verb,
      resource: "userextras",
      subresource,
      name,
    });
  if (mode.isConstrained) {
    const fault = first(entries, ([key, values]) => extraFault(key, values));
    if (fault !== undefined) return refusal({ user: caller, info: ofValue("", "") }, fault);
    const count = entries.flatMap(([, values]) => values).length;
    if (count >= many && !check(attempt, ofValue("*", "*"))) return undefined;
  }
  return first(entries, ([key, values]) =>
    first(values, (value) => check(attempt, ofValue(key, value))),
  );
}

function extraFault(key: string, values: readonly string[]): string | undefined {
  const denied = (what: string, why = ""): string => `impersonating ${what} is not allowed${why}`;
  if (!key) return denied("the empty string key in extra");
  const errors = domainPathErrors(key, "extra.key").map(formatFieldError);
  if (errors.length) return denied("an invalid key in extra", `: ${aggregate(errors)}`);
  if (key !== key.toLowerCase()) return denied("a non-lowercase key in extra", `: ${quoteGo(key)}`);
  return values.includes("") ? denied("the empty string value in extra") : undefined;
}

/** The user with the groups that it always has. */
function resultOf(wanted: UserInfo, mode: Mode): UserInfo {
  const account = readAccount(wanted.name);
  let { groups } = wanted;
  if (mode.isConstrained && isNode(wanted.name)) groups = ["system:nodes"];
  else if (account && groups.length === 0)
    groups = ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`];
  if (wanted.name === "system:anonymous") groups = including(groups, "system:unauthenticated");
  else if (!groups.includes("system:unauthenticated"))
    groups = including(groups, "system:authenticated");
  return { ...wanted, groups };
}

const including = (groups: readonly string[], group: string): readonly string[] =>
  groups.includes(group) ? groups : [...groups, group];

/** The refusal of an action; undefined when the caller may do it. */
function check(
  { caller, authorizer }: ImpersonationAttempt,
  info: RequestedAction,
): ApiStatusError | undefined {
  const { allowed, reason } = authorizer({ user: caller, info });
  return allowed ? undefined : refusal({ user: caller, info }, reason);
}

/** The first result that is not undefined. */
function first<T, R>(items: readonly T[], each: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const result = each(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

const isNameOnly = ({ uid, groups, extra }: UserInfo): boolean =>
  !uid && groups.length === 0 && Object.keys(extra ?? {}).length === 0;

const nodePrefix = "system:node:";

const isNode = (name: string): boolean =>
  name.startsWith(nodePrefix) && dnsSubdomainFaults(name.slice(nodePrefix.length)).length === 0;

/** Whether a service account wants to be the node of its pod. */
function isOwnNode({ caller, wanted }: ImpersonationAttempt): boolean {
  const nodes = caller.extra?.["authentication.kubernetes.io/node-name"] ?? [];
  return (
    isNameOnly(wanted) &&
    isNode(wanted.name) &&
    readAccount(caller.name) !== undefined &&
    nodes.length === 1 &&
    nodes[0] === wanted.name.slice(nodePrefix.length)
  );
}

/** Upstream: k8s.io/apiserver/pkg/authentication/serviceaccount/util.go (SplitUsername). */
function readAccount(
  username: string,
): { readonly namespace: string; readonly name: string } | undefined {
  const [system, kind, namespace = "", name = "", ...more] = username.split(":");
  if (system !== "system" || kind !== "serviceaccount" || more.length) return undefined;
  return dnsLabelFaults(namespace).length || dnsSubdomainFaults(name).length
    ? undefined
    : { namespace, name };
}
