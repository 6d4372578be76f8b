// The contract of authorization: who wants to do what, what an authorizer answers, and which rules
// a user has. Anything may ask: filters, admission, reviews, expressions.
// Upstream: k8s.io/apiserver/pkg/authorization/authorizer/{interfaces,rule}.go.
import type { FieldSelector, LabelSelector } from "homeostat/api";
import type { UserInfo } from "./user-info.ts";

/** What a user wants to do: a verb on a resource or on a path. */
export interface RequestedAction {
  readonly isResource: boolean;
  /**
   * Decoded, without the query. It decides only where no resource is named, e.g. `/healthz`.
   */
  readonly path: string;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; the
   * lower-case method for other paths.
   */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  /** "" for a whole collection. */
  readonly name: string;
  readonly fieldSelector?: FieldSelector;
  readonly labelSelector?: LabelSelector;
}

/** Who wants to do what. */
export interface AuthorizerAttributes {
  readonly user: UserInfo;
  readonly info: RequestedAction;
}

/** What an authorizer decides; `reason` is appended to the refusal. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Decides at once: what it needs is in memory. */
export type Authorizer = (attempt: AuthorizerAttributes) => Decision;

/** What a user may do with resources. Absent lists are empty. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** What a user may do with paths. */
export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** The rules of a user, as far as an authorizer can list them. */
export interface UserRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** There may be other rules. */
  readonly incomplete: boolean;
  /** Why rules may be missing; "" without a fault. */
  readonly evaluationError: string;
}

/** Lists the rules of a user in a namespace. */
export type RuleResolver = (user: UserInfo, namespace: string) => UserRules;

/** How a server authorizes. */
export interface Authorization {
  readonly authorize: Authorizer;
  readonly rulesFor: RuleResolver;
}

const nothing: RequestedAction = {
  isResource: false,
  path: "",
  verb: "",
  group: "",
  version: "",
  namespace: "",
  resource: "",
  subresource: "",
  name: "",
};

/** An action on a resource; absent fields are "", and the version is any. */
export function resourceAction(fields: Partial<RequestedAction>): RequestedAction {
  return { ...nothing, isResource: true, version: "*", ...fields };
}

/** An action on a path that is no resource. */
export function pathAction(verb: string, path: string): RequestedAction {
  return { ...nothing, verb, path };
}
