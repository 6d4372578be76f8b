// Conditions that must hold, or must not, before a pod is bound to a device's node.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go
// (validateDeviceBindingParameters).
import type { JsonObject } from "homeostat/api";
import { duplicate, type FieldError, invalid } from "../../apimachinery/errors/field-error.ts";
import { labelKeyErrors } from "../validation/name-faults.ts";
import { textsAt } from "../../apimachinery/meta/read-fields.ts";
import { validateList } from "./bounded-lists.ts";

const maxConditions = 4;
const wanted = "bindingConditions";
const fatal = "bindingFailureConditions";

/** Both lists of one device or of one result. */
export function validateBindingConditions(holder: JsonObject, path: string): readonly FieldError[] {
  const conditions = textsAt(holder, wanted);
  const failures = textsAt(holder, fatal);
  const at = (field: string, i: number): string => `${path}.${field}[${i}]`;
  const needed = (field: string, other: string): FieldError =>
    invalid(`${path}.${field}`, holder[field], `${field} are required to use ${other}`);
  return [
    ...validateList(conditions, maxConditions, labelKeyErrors, `${path}.${wanted}`),
    ...validateList(failures, maxConditions, labelKeyErrors, `${path}.${fatal}`),
    ...conditions.flatMap((each, i) =>
      conditions.indexOf(each) < i ? [duplicate(at(wanted, i), each)] : [],
    ),
    ...failures.flatMap((each, i) => [
      ...(failures.indexOf(each) < i ? [duplicate(at(fatal, i), each)] : []),
      ...(conditions.includes(each)
        ? [
            invalid(
              at(fatal, i),
              each,
              "bindingFailureConditions must not overlap with bindingConditions",
            ),
          ]
        : []),
    ]),
    ...(!conditions.length && failures.length ? [needed(wanted, fatal)] : []),
    ...(conditions.length && !failures.length ? [needed(fatal, wanted)] : []),
  ];
}
