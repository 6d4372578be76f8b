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
  type Implementation,
  member,
  pricedFunction,
} from "../functions/declarations.ts";
import type { Library } from "../environment/environment.ts";
import { boolType, stringType, structType, type Type } from "../types/type.ts";
import { CelError, noSuchOverload } from "../values/cel-error.ts";
import { CelObject, type CelValue } from "../values/value.ts";
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

export const authorizerType = structType("kubernetes.authorization.Authorizer");
const pathCheckType = structType("kubernetes.authorization.PathCheck");
const groupCheckType = structType("kubernetes.authorization.GroupCheck");
export const resourceCheckType = structType("kubernetes.authorization.ResourceCheck");
const decisionType = structType("kubernetes.authorization.Decision");

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
class PendingCheck extends CelObject {
  readonly type: Type;
  readonly query: AccessQuery;
  readonly check: AccessCheck;

  constructor(type: Type, query: AccessQuery, check: AccessCheck) {
    super();
    this.type = type;
    this.query = query;
    this.check = check;
  }

  equals(): boolean {
    throw noSuchOverload();
  }

  toString(): string {
    return this.type.name;
  }
}

class Decision extends CelObject {
  readonly type = decisionType;
  readonly decision: AccessDecision;

  constructor(decision: AccessDecision) {
    super();
    this.decision = decision;
  }

  equals(): boolean {
    throw noSuchOverload();
  }

  toString(): string {
    return decisionType.name;
  }
}

/** The value of the variable `authorizer`. */
export const createAuthorizer = (check: AccessCheck): CelValue =>
  new PendingCheck(authorizerType, blank, check);

/**
 * The value of the variable `authorizer.requestResource`: a check of the request's own resource.
 */
export const createResourceAuthorizer = (
  check: AccessCheck,
  resource: Pick<AccessQuery, "group" | "resource" | "subresource" | "namespace" | "name">,
): CelValue => new PendingCheck(resourceCheckType, { ...blank, ...resource }, check);

const extend =
  (type: Type, part: (text: string) => Partial<AccessQuery>): Implementation =>
  (value, text) => {
    const { query, check } = value as PendingCheck;
    return new PendingCheck(type, { ...query, ...part(text as string) }, check);
  };

const nonEmpty =
  (name: "path" | "resource") =>
  (text: string): Partial<AccessQuery> => {
    if (text.trim() === "") throw new CelError(`${name} must not be empty`);
    return { [name]: text };
  };

const serviceAccount: Implementation = (value, namespace, name) => {
  if (subdomainRule(name as string).length > 0) throw new CelError("Invalid service account name");
  if (labelRule(namespace as string).length > 0)
    throw new CelError("Invalid service account namespace");
  const { query, check } = value as PendingCheck;
  return new PendingCheck(
    authorizerType,
    { ...query, serviceAccount: { namespace: namespace as string, name: name as string } },
    check,
  );
};

const check: Implementation = (value, verb) => {
  const pending = value as PendingCheck;
  return new Decision(pending.check({ ...pending.query, verb: verb as string }));
};

/** A function that sets one field of an access check. */
interface Step {
  readonly name: string;
  readonly id: string;
  readonly from: Type;
  readonly to: Type;
  readonly part: (text: string) => Partial<AccessQuery>;
}

const step = ({ name, id, from, to, part }: Step): FunctionDeclaration => ({
  name,
  overloads: [member(id, [from, stringType], to, extend(to, part))],
});

const ask = (
  name: string,
  id: string,
  result: Type,
  read: (decision: AccessDecision) => CelValue,
): FunctionDeclaration => ({
  name,
  overloads: [member(id, [decisionType], result, (value) => read((value as Decision).decision))],
});

/** Access checks. */
export const authorizerLibrary: Library = {
  name: "kubernetes authorizer",
  functions: [
    step({
      name: "path",
      id: "authorizer_path",
      from: authorizerType,
      to: pathCheckType,
      part: nonEmpty("path"),
    }),
    step({
      name: "group",
      id: "authorizer_group",
      from: authorizerType,
      to: groupCheckType,
      part: (group) => ({ group }),
    }),
    {
      name: "serviceAccount",
      overloads: [
        member(
          "authorizer_serviceaccount",
          [authorizerType, stringType, stringType],
          authorizerType,
          serviceAccount,
        ),
      ],
    },
    step({
      name: "resource",
      id: "groupcheck_resource",
      from: groupCheckType,
      to: resourceCheckType,
      part: nonEmpty("resource"),
    }),
    step({
      name: "subresource",
      id: "resourcecheck_subresource",
      from: resourceCheckType,
      to: resourceCheckType,
      part: (subresource) => ({ subresource }),
    }),
    step({
      name: "namespace",
      id: "resourcecheck_namespace",
      from: resourceCheckType,
      to: resourceCheckType,
      part: (namespace) => ({ namespace }),
    }),
    step({
      name: "name",
      id: "resourcecheck_name",
      from: resourceCheckType,
      to: resourceCheckType,
      part: (name) => ({ name }),
    }),
    pricedFunction(fixedPrice(350_000), {
      name: "check",
      overloads: [
        member("pathcheck_check", [pathCheckType, stringType], decisionType, check),
        member("resourcecheck_check", [resourceCheckType, stringType], decisionType, check),
      ],
    }),
    ask("errored", "decision_errored", boolType, (decision) => decision.error !== undefined),
    ask("error", "decision_error", stringType, (decision) => decision.error ?? ""),
    ask("allowed", "decision_allowed", boolType, (decision) => decision.allowed),
    ask("reason", "decision_reason", stringType, (decision) => decision.reason),
  ],
  equality: [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType].map(
    unitEquality,
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
    pricedFunction(
      selectorPrice,
      step({
        name: "fieldSelector",
        id: "authorizer_fieldselector",
        from: resourceCheckType,
        to: resourceCheckType,
        part: (fieldSelector) => ({ fieldSelector }),
      }),
    ),
    pricedFunction(
      selectorPrice,
      step({
        name: "labelSelector",
        id: "authorizer_labelselector",
        from: resourceCheckType,
        to: resourceCheckType,
        part: (labelSelector) => ({ labelSelector }),
      }),
    ),
  ],
};
