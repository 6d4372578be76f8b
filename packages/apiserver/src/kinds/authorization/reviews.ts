// Questions about permission. This server allows everything to whoever has been authenticated, and
// says so.
// Upstream: k8s.io/kubernetes/pkg/registry/authorization,
// pkg/apis/authorization/validation/validation.go.
import { isObject, type JsonObject } from "homeostat/api";
import { badRequestError, invalidError } from "../../apimachinery/errors/api-errors.ts";
import {
  type FieldError,
  invalid,
  invalidInternal,
  printError,
} from "../../apimachinery/errors/field-error.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { hasItems, objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";

const group = "authorization.k8s.io";
const allowed: JsonObject = { allowed: true };
const pathType = "*authorization.NonResourceAttributes";

export const subjectAccessReview: KindDefinition = reviewKind(
  "SubjectAccessReview",
  answer((object) => [
    ...subjectErrors(object),
    ...emptyMetadataErrors(object, [], "must be empty"),
  ]),
);
export const selfSubjectAccessReview: KindDefinition = reviewKind(
  "SelfSubjectAccessReview",
  answer((object) => [
    ...attributeErrors(object),
    ...emptyMetadataErrors(object, [], "must be empty"),
  ]),
);
export const localSubjectAccessReview: KindDefinition = reviewKind(
  "LocalSubjectAccessReview",
  answer((object) => [
    ...subjectErrors(object),
    ...emptyMetadataErrors(object, ["namespace"], "must be empty except for namespace"),
    ...localErrors(object),
  ]),
);
export const selfSubjectRulesReview: KindDefinition = reviewKind(
  "SelfSubjectRulesReview",
  (object) => {
    if (!stringAt(objectAt(object, "spec"), "namespace"))
      throw badRequestError("no namespace on request");
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

function answer(validate: (object: JsonObject) => readonly FieldError[]): Review {
  return (object, _caller, print) => {
    const errors = validate(object).map((error) => printError(error, print));
    // Upstream names no kind here.
    if (errors.length) throw invalidError({ group, kind: "" }, "", errors);
    object["status"] = { ...allowed };
    return object;
  };
}

/** Either a resource or a path. */
function attributeErrors(object: JsonObject): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = objectAt(object, "spec");
  if (isObject(resourceAttributes) && isObject(nonResourceAttributes))
    return [
      invalidInternal(
        "spec.nonResourceAttributes",
        [pathType, nonResourceAttributes],
        "cannot be specified in combination with resourceAttributes",
      ),
    ];
  if (isObject(resourceAttributes) || isObject(nonResourceAttributes)) return [];
  return [
    invalid(
      "spec.resourceAttributes",
      null,
      "exactly one of nonResourceAttributes or resourceAttributes must be specified",
    ),
  ];
}

function subjectErrors(object: JsonObject): FieldError[] {
  const spec = objectAt(object, "spec");
  return [
    ...attributeErrors(object),
    ...(stringAt(spec, "user") || hasItems(spec["groups"])
      ? []
      : [invalid("spec.user", "", "at least one of user or group must be specified")]),
  ];
}

function emptyMetadataErrors(
  object: JsonObject,
  except: readonly string[],
  detail: string,
): FieldError[] {
  const metadata = objectAt(object, "metadata");
  const given = Object.keys(metadata).filter(
    (field) => field !== "managedFields" && metadata[field] !== null && !except.includes(field),
  );
  return given.length ? [invalid("metadata", metadata, detail)] : [];
}

function localErrors(object: JsonObject): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = objectAt(object, "spec");
  const namespace = stringAt(objectAt(object, "metadata"), "namespace");
  const asked = isObject(resourceAttributes)
    ? stringAt(resourceAttributes, "namespace")
    : namespace;
  return [
    ...(asked === namespace
      ? []
      : [invalid("spec.resourceAttributes.namespace", asked, "must match metadata.namespace")]),
    ...(isObject(nonResourceAttributes)
      ? [
          invalidInternal(
            "spec.nonResourceAttributes",
            [pathType, nonResourceAttributes],
            "disallowed on this kind of request",
          ),
        ]
      : []),
  ];
}
