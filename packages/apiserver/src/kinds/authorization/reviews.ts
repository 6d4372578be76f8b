// Access reviews: requests that are answered and not stored. This server allows every
// authenticated user everything, and answers so.
// Upstream: k8s.io/kubernetes/pkg/registry/authorization,
// pkg/apis/authorization/validation/validation.go.
import type { Decoded } from "homeostat/api";
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from "homeostat/k8s/authorization/v1";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";
import { badRequestError, invalidError } from "../../apimachinery/errors/api-errors.ts";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError, printError } from "../../apimachinery/errors/field-error.ts";
import type { DecodedObject } from "../../apimachinery/meta/read-meta.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { hasItems } from "../../apimachinery/meta/read-fields.ts";

const group = "authorization.k8s.io";
const pathType = "*authorization.NonResourceAttributes";

/** What the three access reviews have in common. */
interface AccessReview extends DecodedObject {
  spec?: Decoded<SubjectAccessReviewSpec> | null;
  status?: Decoded<SubjectAccessReviewStatus> | null;
}

const allowed: Decoded<SubjectAccessReviewStatus> = { allowed: true };

export const subjectAccessReview: KindDefinition<Decoded<SubjectAccessReview>> = reviewKind(
  "SubjectAccessReview",
  answer((object) => [
    ...subjectErrors(object),
    ...emptyMetadataErrors(object, [], "must be empty"),
  ]),
);
export const selfSubjectAccessReview: KindDefinition<Decoded<SelfSubjectAccessReview>> = reviewKind(
  "SelfSubjectAccessReview",
  answer((object) => [
    ...attributeErrors(object),
    ...emptyMetadataErrors(object, [], "must be empty"),
  ]),
);
export const localSubjectAccessReview: KindDefinition<Decoded<LocalSubjectAccessReview>> =
  reviewKind(
    "LocalSubjectAccessReview",
    answer((object) => [
      ...subjectErrors(object),
      ...emptyMetadataErrors(object, ["namespace"], "must be empty except for namespace"),
      ...localErrors(object),
    ]),
  );
export const selfSubjectRulesReview: KindDefinition<Decoded<SelfSubjectRulesReview>> = reviewKind(
  "SelfSubjectRulesReview",
  (object: Decoded<SelfSubjectRulesReview>) => {
    if (!object.spec?.namespace) throw badRequestError("no namespace on request");
    const status = {
      resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
      nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
      incomplete: false,
    };
    return {
      apiVersion: `${group}/v1`,
      kind: "SelfSubjectRulesReview",
      metadata: {},
      spec: {},
      status,
    };
  },
);

type Review = NonNullable<KindDefinition["review"]>;

function reviewKind(kind: string, review: Review): KindDefinition {
  return { group, version: "v1", kind, review };
}

function answer(validate: (object: AccessReview) => readonly FieldError[]): Review {
  return (object, _caller, print) => {
    const errors = validate(object).map((error) => printError(error, print));
    // Upstream names no kind here.
    if (errors.length) throw invalidError({ group, kind: "" }, "", errors);
    object.status = { ...allowed };
    return object;
  };
}

/** Either a resource or a path. */
function attributeErrors(object: AccessReview): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = object.spec ?? {};
  if (resourceAttributes && nonResourceAttributes)
    return [
      fieldError.invalidInternal(
        "spec.nonResourceAttributes",
        [pathType, nonResourceAttributes],
        "cannot be specified in combination with resourceAttributes",
      ),
    ];
  if (resourceAttributes || nonResourceAttributes) return [];
  return [
    fieldError.invalid(
      "spec.resourceAttributes",
      null,
      "exactly one of nonResourceAttributes or resourceAttributes must be specified",
    ),
  ];
}

function subjectErrors(object: AccessReview): FieldError[] {
  const spec = object.spec ?? {};
  return [
    ...attributeErrors(object),
    ...errorIf(!spec.user && !hasItems(spec.groups), () =>
      fieldError.invalid("spec.user", "", "at least one of user or group must be specified"),
    ),
  ];
}

function emptyMetadataErrors(
  object: DecodedObject,
  except: readonly (keyof ObjectMeta)[],
  detail: string,
): FieldError[] {
  const metadata = object.metadata ?? {};
  const ignored: readonly string[] = ["managedFields", ...except];
  const given = Object.entries(metadata).filter(
    ([field, value]) => value !== null && !ignored.includes(field),
  );
  return errorIf(given.length, () => fieldError.invalid("metadata", metadata, detail));
}

function localErrors(object: AccessReview): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = object.spec ?? {};
  const namespace = object.metadata?.namespace ?? "";
  const asked = resourceAttributes ? (resourceAttributes.namespace ?? "") : namespace;
  return [
    ...errorIf(asked !== namespace, () =>
      fieldError.invalid(
        "spec.resourceAttributes.namespace",
        asked,
        "must match metadata.namespace",
      ),
    ),
    ...errorIf(nonResourceAttributes, () =>
      fieldError.invalidInternal(
        "spec.nonResourceAttributes",
        [pathType, nonResourceAttributes],
        "disallowed on this kind of request",
      ),
    ),
  ];
}
