// authorizer: access checks in expressions. Admission provides the values; the functions exist in
// every environment. Knows neither users nor policies: the caller passes an AccessCheck.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/authz.go.
import { actualSize, passOver } from "../cost/actual-size.ts";
import { passEstimate } from "../cost/prices.ts";
import { addEstimates, fixed, scaleEstimate } from "../cost/estimate.ts";
import { unitEquality } from "../cost/equality-price.ts";
import { fixedPrice, listCost, type Price, sizeOf, structCost } from "../cost/price.ts";
import {
  type FunctionDeclaration,
  member,
  type Overload,
  pricedFunction,
} from "../functions/declarations.ts";
import { LibraryType } from "../functions/library-type.ts";
import type { Library } from "../environment/environment.ts";
import { boolType, stringType, structType, type Type } from "../types/type.ts";
import { CelError } from "../values/cel-error.ts";
import type { CelValue } from "../values/value.ts";
import { labelRule, subdomainRule } from "./name-rules.ts";

/**
 * One access check. Either `path` or `resource` is set; unset fields are empty.
 */
export interface AccessQuery {
  /** The subject; undefined for the requester. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string } | undefined;
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
  readonly verb: string;
}

/** The result of an access check. */
export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Checks access on behalf of one request. */
export type AccessCheck = (query: AccessQuery) => AccessDecision;

const blank: AccessQuery = {
  serviceAccount: undefined,
  path: "",
  group: "",
  resource: "",
  subresource: "",
  namespace: "",
  name: "",
  fieldSelector: "",
  labelSelector: "",
  verb: "",
};

/** An access check under construction: each function sets a field. */
interface PendingCheck {
  readonly query: AccessQuery;
  readonly check: AccessCheck;
}

const authorization = <T extends object>(name: string): LibraryType<T> =>
  new LibraryType({ type: structType(`kubernetes.authorization.${name}`) });
const authorizers = authorization<PendingCheck>("Authorizer");
const pathChecks = authorization<PendingCheck>("PathCheck");
const groupChecks = authorization<PendingCheck>("GroupCheck");
const resourceChecks = authorization<PendingCheck>("ResourceCheck");
const decisions = authorization<AccessDecision>("Decision");

export const authorizerType: Type = authorizers.type;
export const resourceCheckType: Type = resourceChecks.type;

/** The value of the variable `authorizer`. */
export const createAuthorizer = (check: AccessCheck): CelValue =>
  authorizers.wrap({ query: blank, check });

/**
 * The value of the variable `authorizer.requestResource`: a check of the request's own resource.
 */
export const createResourceAuthorizer = (
  check: AccessCheck,
  resource: Pick<AccessQuery, "group" | "resource" | "subresource" | "namespace" | "name">,
): CelValue => resourceChecks.wrap({ query: { ...blank, ...resource }, check });

/** A function that sets one field of an access check. */
interface Step {
  readonly id: string;
  readonly from: LibraryType<PendingCheck>;
  readonly to: LibraryType<PendingCheck>;
  /** Refuses blank texts. */
  readonly nonEmpty?: true;
}

/** A step is called by the field that it sets. */
function step(
  field: Exclude<keyof AccessQuery, "serviceAccount">,
  { id, from, to, nonEmpty }: Step,
): FunctionDeclaration {
  const set = member(id, [from.type, stringType], to.type, (value, text) => {
    if (nonEmpty && (text as string).trim() === "")
      throw new CelError(`${field} must not be empty`);
    const { query, check } = from.unwrap(value);
    return to.wrap({ query: { ...query, [field]: text }, check });
  });
  return { name: field, overloads: [set] };
}

const serviceAccount = member(
  "authorizer_serviceaccount",
  [authorizerType, stringType, stringType],
  authorizerType,
  (value, namespace, name) => {
    if (subdomainRule(name as string).length > 0)
      throw new CelError("Invalid service account name");
    if (labelRule(namespace as string).length > 0)
      throw new CelError("Invalid service account namespace");
    const { query, check } = authorizers.unwrap(value);
    const account = { namespace: namespace as string, name: name as string };
    return authorizers.wrap({ query: { ...query, serviceAccount: account }, check });
  },
);

/** `check(verb)` on a complete access check. */
const checking = (id: string, checks: LibraryType<PendingCheck>): Overload =>
  member(id, [checks.type, stringType], decisions.type, (value, verb) => {
    const { query, check } = checks.unwrap(value);
    return decisions.wrap(check({ ...query, verb: verb as string }));
  });

const onResource = { from: resourceChecks, to: resourceChecks };

/** Access checks. */
export const authorizerLibrary: Library = {
  name: "kubernetes authorizer",
  functions: [
    step("path", {
      id: "authorizer_path",
      from: authorizers,
      to: pathChecks,
      nonEmpty: true,
    }),
    step("group", { id: "authorizer_group", from: authorizers, to: groupChecks }),
    { name: "serviceAccount", overloads: [serviceAccount] },
    step("resource", {
      id: "groupcheck_resource",
      from: groupChecks,
      to: resourceChecks,
      nonEmpty: true,
    }),
    step("subresource", { id: "resourcecheck_subresource", ...onResource }),
    step("namespace", { id: "resourcecheck_namespace", ...onResource }),
    step("name", { id: "resourcecheck_name", ...onResource }),
    pricedFunction(fixedPrice(350_000), {
      name: "check",
      overloads: [
        checking("pathcheck_check", pathChecks),
        checking("resourcecheck_check", resourceChecks),
      ],
    }),
    decisions.reader("errored", "decision_errored", boolType, ({ error }) => error !== undefined),
    decisions.reader("error", "decision_error", stringType, ({ error }) => error ?? ""),
    decisions.reader("allowed", "decision_allowed", boolType, ({ allowed }) => allowed),
    decisions.reader("reason", "decision_reason", stringType, ({ reason }) => reason),
  ],
  equality: [authorizers, pathChecks, groupChecks, resourceChecks, decisions].map(({ type }) =>
    unitEquality(type),
  ),
};

/** The selector is parsed into a list of requirements: at most one for every two characters. */
const selectorPrice: Price = {
  actual: (args) =>
    listCost +
    passOver(args[1]!) +
    Math.ceil(Math.ceil(actualSize(args[1]!) * 0.5) * (listCost + structCost)),
  estimate(site) {
    if (site.args.length !== 1) return undefined;
    const size = sizeOf(site.args[0], site);
    return {
      cost: addEstimates(
        fixed(listCost),
        passEstimate(size),
        scaleEstimate(scaleEstimate(size, 0.5), listCost + structCost),
      ),
    };
  },
};

/** Access checks with selectors. */
export const authorizerSelectorLibrary: Library = {
  name: "kubernetes authorizer selectors",
  functions: [
    step("fieldSelector", { id: "authorizer_fieldselector", ...onResource }),
    step("labelSelector", { id: "authorizer_labelselector", ...onResource }),
  ].map((declared) => pricedFunction(selectorPrice, declared)),
};
