// Access reviews: questions to the server's authorizer. They are answered and not stored.
// Upstream: k8s.io/kubernetes/pkg/registry/authorization.
import type { Decoded } from "homeostat/api";
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from "homeostat/k8s/authorization/v1";
import { badRequestError, invalidError } from "../../apimachinery/errors/api-errors.ts";
import { type FieldError, printError } from "../../apimachinery/errors/field-error.ts";
import type { ReviewCaller } from "../../apimachinery/rest/review.ts";
import type { UserInfo } from "../../apimachinery/user-info.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { readAction, readSubject } from "./review-attributes.ts";
import {
  type AccessReview,
  validateLocalReview,
  validateSelfReview,
  validateSubjectReview,
} from "./validate-review.ts";

const group = "authorization.k8s.io";

const named = (object: AccessReview): UserInfo => readSubject(object.spec ?? {});

export const subjectAccessReview: KindDefinition<Decoded<SubjectAccessReview>> = reviewKind(
  "SubjectAccessReview",
  answer(validateSubjectReview, named),
);
export const selfSubjectAccessReview: KindDefinition<Decoded<SelfSubjectAccessReview>> = reviewKind(
  "SelfSubjectAccessReview",
  answer(validateSelfReview, (_object, caller) => caller.user),
);
export const localSubjectAccessReview: KindDefinition<Decoded<LocalSubjectAccessReview>> =
  reviewKind("LocalSubjectAccessReview", answer(validateLocalReview, named));
export const selfSubjectRulesReview: KindDefinition<Decoded<SelfSubjectRulesReview>> = reviewKind(
  "SelfSubjectRulesReview",
  (object: Decoded<SelfSubjectRulesReview>, { user, rulesFor }) => {
    const namespace = object.spec?.namespace;
    if (!namespace) throw badRequestError("no namespace on request");
    const { evaluationError, ...rules } = rulesFor(user, namespace);
    return {
      apiVersion: `${group}/v1`,
      kind: "SelfSubjectRulesReview",
      metadata: {},
      spec: {},
      status: {
        resourceRules: rules.resourceRules.map((rule) => copyLists({ ...rule })),
        nonResourceRules: rules.nonResourceRules.map((rule) => copyLists({ ...rule })),
        incomplete: rules.incomplete,
        ...(evaluationError ? { evaluationError } : {}),
      },
    };
  },
);

type Review = NonNullable<KindDefinition["review"]>;

function reviewKind(kind: string, review: Review): KindDefinition {
  return { group, version: "v1", kind, review };
}

function answer(
  validate: (object: AccessReview) => readonly FieldError[],
  subjectOf: (object: AccessReview, caller: ReviewCaller) => UserInfo,
): Review {
  return (object, caller, print) => {
    const review: AccessReview = object;
    const errors = validate(review).map((error) => printError(error, print));
    // Upstream names no kind here.
    if (errors.length) throw invalidError({ group, kind: "" }, "", errors);
    const { resourceAttributes, nonResourceAttributes } = review.spec ?? {};
    const { info, faults } = readAction(resourceAttributes, nonResourceAttributes);
    const { allowed, reason } = caller.authorize({ user: subjectOf(review, caller), info });
    object.status = {
      allowed,
      ...(reason ? { reason } : {}),
      ...(faults.length ? { evaluationError: faults.join("; ") } : {}),
    };
    return object;
  };
}

/** Rules belong to the authorizer, and a response to its encoder. */
const copyLists = (rule: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(rule).map(([field, values]) => [field, [...values]]));
