// What an access review asks about: the action, its selectors, and which of them could not be
// read. A selector that cannot be read is left out, which asks about more.
// Upstream: k8s.io/kubernetes/pkg/registry/authorization/util/helpers.go.
import {
  type Decoded,
  type FieldSelector,
  type LabelSelector,
  labelKeyFaults,
  labelValueFaults,
  parseFieldSelector,
  parseLabelSelector,
} from "homeostat/api";
import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  NonResourceAttributes,
  ResourceAttributes,
  SubjectAccessReviewSpec,
} from "homeostat/k8s/authorization/v1";
import { pathAction, type RequestedAction, resourceAction } from "../../apimachinery/authorizer.ts";
import type { UserInfo } from "../../apimachinery/user-info.ts";

/** The action of a review, and the faults of its selectors. */
export interface ReviewedAction {
  readonly info: RequestedAction;
  readonly faults: readonly string[];
}

/** Exactly one of the two is given. */
export function readAction(
  resource: Decoded<ResourceAttributes> | null | undefined,
  path: Decoded<NonResourceAttributes> | null | undefined,
): ReviewedAction {
  if (!resource) return { info: pathAction(path?.verb ?? "", path?.path ?? ""), faults: [] };
  const fields = readSelector(resource.fieldSelector, parseFieldSelector, fieldRequirement);
  const labels = readSelector(resource.labelSelector, parseLabelSelector, labelRequirement);
  return {
    info: resourceAction({
      verb: resource.verb ?? "",
      group: resource.group ?? "",
      version: resource.version || "*",
      namespace: resource.namespace ?? "",
      resource: resource.resource ?? "",
      subresource: resource.subresource ?? "",
      name: resource.name ?? "",
      ...(fields?.selector.length ? { fieldSelector: fields.selector } : {}),
      ...(labels?.selector.length ? { labelSelector: labels.selector } : {}),
    }),
    faults: [...faultOf("fieldSelector", fields), ...faultOf("labelSelector", labels)],
  };
}

/** The user that a review asks about. */
export const readSubject = (spec: Decoded<SubjectAccessReviewSpec>): UserInfo => ({
  name: spec.user ?? "",
  groups: spec.groups ?? [],
  ...(spec.uid ? { uid: spec.uid } : {}),
  ...(spec.extra ? { extra: spec.extra as NonNullable<UserInfo["extra"]> } : {}),
});

interface ReadSelector<R> {
  readonly selector: readonly R[];
  readonly isWhole: boolean;
}

/** The requirements that could be read; undefined without a selector. */
function readSelector<R, Q>(
  attributes:
    | { readonly rawSelector?: string | null; readonly requirements?: readonly Q[] | null }
    | null
    | undefined,
  parse: (text: string) => readonly R[],
  read: (requirement: Q) => R | undefined,
): ReadSelector<R> | undefined {
  if (!attributes) return undefined;
  const requirements = attributes.requirements ?? [];
  if (requirements.length) {
    const selector = requirements.flatMap((each) => read(each) ?? []);
    return { selector, isWhole: selector.length === requirements.length };
  }
  try {
    return { selector: parse(attributes.rawSelector ?? ""), isWhole: true };
  } catch {
    return { selector: [], isWhole: false };
  }
}

function faultOf(name: string, read: ReadSelector<unknown> | undefined): readonly string[] {
  if (!read || read.isWhole) return [];
  const extent = read.selector.length ? "partially ignored" : "ignored";
  return [`spec.resourceAttributes.${name} ${extent} due to parse error`];
}

type FieldQuestion = NonNullable<Decoded<FieldSelectorAttributes>["requirements"]>[number];
type LabelQuestion = NonNullable<Decoded<LabelSelectorAttributes>["requirements"]>[number];

/** Undefined for what field selectors cannot say. */
function fieldRequirement({
  key,
  operator,
  values,
}: FieldQuestion): FieldSelector[number] | undefined {
  const signs: Readonly<Record<string, "=" | "!=">> = { In: "=", NotIn: "!=" };
  const sign = signs[operator ?? ""];
  if (!sign || values?.length !== 1) return undefined;
  return { field: key ?? "", operator: sign, value: values[0]! };
}

function labelRequirement(question: LabelQuestion): LabelSelector[number] | undefined {
  const key = question.key ?? "";
  const values = question.values ?? [];
  const operator = labelOperators[question.operator ?? ""];
  const needsValues = operator === "in" || operator === "notin";
  if (!operator || needsValues !== values.length > 0 || labelKeyFaults(key).length)
    return undefined;
  return values.some((each) => labelValueFaults(each).length)
    ? undefined
    : { key, operator, values };
}

const labelOperators: Readonly<Record<string, LabelSelector[number]["operator"]>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};
