// authorizer: may somebody do something? Values of these types come from admission; the functions
// exist everywhere. Knows nothing of users or policies: the answer is a function that the caller
// gives.
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
 * One question. Either `path` or `resource` is set; empty texts stand for everything that was not
 * said.
 */
export interface AccessQuery {
  /** Whose access is asked about, where it is not the requester's. */
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

/** The answer to a question. */
export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Answers questions about access for one request. */
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

/** A question under way: each function adds a part. */
class Question extends CelObject {
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
  new Question(authorizerType, blank, check);

/**
 * The value of the variable `authorizer.requestResource`: a question about what the request is
 * about.
 */
export const createResourceAuthorizer = (
  check: AccessCheck,
  resource: Pick<AccessQuery, "group" | "resource" | "subresource" | "namespace" | "name">,
): CelValue => new Question(resourceCheckType, { ...blank, ...resource }, check);

const extend =
  (type: Type, part: (text: string) => Partial<AccessQuery>): Implementation =>
  (value, text) => {
    const { query, check } = value as Question;
    return new Question(type, { ...query, ...part(text as string) }, check);
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
  const { query, check } = value as Question;
  return new Question(
    authorizerType,
    { ...query, serviceAccount: { namespace: namespace as string, name: name as string } },
    check,
  );
};

const check: Implementation = (value, verb) => {
  const question = value as Question;
  return new Decision(question.check({ ...question.query, verb: verb as string }));
};

const step = (
  name: string,
  id: string,
  from: Type,
  to: Type,
  part: (text: string) => Partial<AccessQuery>,
): FunctionDeclaration => ({
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

/** Questions about access. */
export const authorizerLibrary: Library = {
  name: "kubernetes authorizer",
  functions: [
    step("path", "authorizer_path", authorizerType, pathCheckType, nonEmpty("path")),
    step("group", "authorizer_group", authorizerType, groupCheckType, (group) => ({ group })),
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
    step(
      "resource",
      "groupcheck_resource",
      groupCheckType,
      resourceCheckType,
      nonEmpty("resource"),
    ),
    step(
      "subresource",
      "resourcecheck_subresource",
      resourceCheckType,
      resourceCheckType,
      (subresource) => ({ subresource }),
    ),
    step(
      "namespace",
      "resourcecheck_namespace",
      resourceCheckType,
      resourceCheckType,
      (namespace) => ({ namespace }),
    ),
    step("name", "resourcecheck_name", resourceCheckType, resourceCheckType, (name) => ({ name })),
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

/** Questions narrowed by selectors. */
export const authorizerSelectorLibrary: Library = {
  name: "kubernetes authorizer selectors",
  functions: [
    pricedFunction(
      selectorPrice,
      step(
        "fieldSelector",
        "authorizer_fieldselector",
        resourceCheckType,
        resourceCheckType,
        (fieldSelector) => ({ fieldSelector }),
      ),
    ),
    pricedFunction(
      selectorPrice,
      step(
        "labelSelector",
        "authorizer_labelselector",
        resourceCheckType,
        resourceCheckType,
        (labelSelector) => ({ labelSelector }),
      ),
    ),
  ],
};
