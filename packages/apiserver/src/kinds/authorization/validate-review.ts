// Validation of access reviews.
// Upstream: k8s.io/kubernetes/pkg/apis/authorization/validation/validation.go,
// k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go (Validate…SelectorRequirement).
import { type Decoded, labelKeyFaults, labelValueFaults } from "homeostat/api";
import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  ResourceAttributes,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from "homeostat/k8s/authorization/v1";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { hasItems } from "../../apimachinery/meta/read-fields.ts";
import type { DecodedObject } from "../../apimachinery/meta/read-meta.ts";
import { selectorOperatorErrors } from "../validation/label-selectors.ts";

const pathType = "*authorization.NonResourceAttributes";

/** What the three access reviews have in common. */
export interface AccessReview extends DecodedObject {
  spec?: Decoded<SubjectAccessReviewSpec> | null;
  status?: Decoded<SubjectAccessReviewStatus> | null;
}

/** The errors of a SelfSubjectAccessReview. */
export const validateSelfReview = (object: AccessReview): readonly FieldError[] => [
  ...attributeErrors(object),
  ...selectorErrors(object),
  ...metadataErrors(object, [], "must be empty"),
];

/** The errors of a SubjectAccessReview. */
export const validateSubjectReview = (object: AccessReview): readonly FieldError[] => [
  ...subjectErrors(object),
  ...metadataErrors(object, [], "must be empty"),
];

/** The errors of a LocalSubjectAccessReview. */
export const validateLocalReview = (object: AccessReview): readonly FieldError[] => [
  ...subjectErrors(object),
  ...metadataErrors(object, ["namespace"], "must be empty except for namespace"),
  ...localErrors(object),
];

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
    ...selectorErrors(object),
  ];
}

function metadataErrors(
  object: DecodedObject,
  except: readonly (keyof ObjectMeta)[],
  detail: string,
): FieldError[] {
  const metadata = object.metadata ?? {};
  const ignored: readonly string[] = ["managedFields", ...except];
  const given = Object.entries(metadata).filter(
    ([field, value]) => value !== null && !ignored.includes(field),
  );
  return errorIf(given.length, () =>
    fieldError.invalidInternal("metadata", ["v1.ObjectMeta", metadata], detail),
  );
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

type SelectorAttributes = Decoded<FieldSelectorAttributes> | Decoded<LabelSelectorAttributes>;
type Requirement = NonNullable<SelectorAttributes["requirements"]>[number];

function selectorErrors({ spec }: AccessReview): FieldError[] {
  const attributes: Decoded<ResourceAttributes> = spec?.resourceAttributes ?? {};
  return [
    ...oneSelectorErrors("fieldSelector", attributes.fieldSelector, ({ key }, at) =>
      errorIf(!key, () => fieldError.required(`${at}.key`, "must be specified")),
    ),
    ...oneSelectorErrors("labelSelector", attributes.labelSelector, () => [], labelErrors),
  ];
}

type Check = (requirement: Requirement, path: string) => FieldError[];

/** A selector is text or requirements. Operators that are not known ask about more. */
function oneSelectorErrors(
  name: string,
  selector: SelectorAttributes | null | undefined,
  before: Check,
  after: Check = () => [],
): FieldError[] {
  if (!selector) return [];
  const path = `spec.resourceAttributes.${name}`;
  const { rawSelector, requirements } = selector;
  return [
    ...errorIf(rawSelector && hasItems(requirements), () =>
      fieldError.invalid(
        `${path}.rawSelector`,
        rawSelector!,
        "may not specified at the same time as requirements",
      ),
    ),
    ...errorIf(!rawSelector && !hasItems(requirements), () =>
      fieldError.required(
        `${path}.requirements`,
        `when ${path} is specified, requirements or rawSelector is required`,
      ),
    ),
    ...eachItem(
      requirements as readonly Requirement[] | null | undefined,
      `${path}.requirements`,
      (requirement, at) => [
        ...before(requirement, at),
        ...operatorErrors(requirement, at),
        ...after(requirement, at),
      ],
    ),
  ];
}

const operatorErrors: Check = ({ operator, values }, path) =>
  ["In", "NotIn", "Exists", "DoesNotExist"].includes(operator ?? "")
    ? selectorOperatorErrors(operator ?? "", values?.length ?? 0, path)
    : [];

const labelErrors: Check = ({ key, values }, path) => [
  ...labelKeyFaults(key ?? "").map((fault) => fieldError.invalid(`${path}.key`, key ?? "", fault)),
  ...eachItem(values, `${path}.values`, (value, at) =>
    labelValueFaults(value).map((fault) => fieldError.invalid(at, value, fault)),
  ),
];
