// The nodes from which devices can be reached: exactly one of several fields, in a slice and in one
// of its devices.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go
// (validateResourceSliceSpec, validateDevice).
import { type Decoded, dnsSubdomainFaults } from "homeostat/api";
import type { NodeSelector } from "homeostat/k8s/core/v1";
import type { ResourceSliceSpec } from "homeostat/k8s/resource/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";

/** The fields that select nodes; devices have the first three. */
type NodeSelectionFields = Pick<
  Decoded<ResourceSliceSpec>,
  "nodeName" | "nodeSelector" | "allNodes" | "perDeviceNodeSelection"
>;

/** Which fields there are, and the messages. */
export interface NodeSelectionOptions {
  readonly fields: readonly (keyof NodeSelectionFields)[];
  /** The error of an empty node name. */
  readonly emptyName: string;
  readonly validateSelector: (
    selector: Decoded<NodeSelector>,
    path: string,
  ) => readonly FieldError[];
  /** The error when not exactly one field is set. */
  readonly detail: string;
  /** Added to `detail` when several are set. */
  readonly several: string;
}

/** Every violation in `holder`. */
export function validateNodeSelection(
  holder: NodeSelectionFields,
  path: string,
  { fields, emptyName, validateSelector, detail, several }: NodeSelectionOptions,
): readonly FieldError[] {
  const chosen: string[] = [];
  const errors = fields.flatMap((field): readonly FieldError[] => {
    const value = holder[field];
    const at = `${path}.${field}`;
    if (!isSet(value)) return [];
    if (value === "") return [fieldError.invalid(at, value, emptyName)];
    if (value === false)
      return [fieldError.invalid(at, value, "must be either unset or set to true")];
    chosen.push(`\`${field}\``);
    if (typeof value === "string")
      return dnsSubdomainFaults(value).map((fault) => fieldError.invalid(at, value, fault));
    return value === true ? [] : validateSelector(value, at);
  });
  if (chosen.length === 0) return [...errors, fieldError.required(path, detail)];
  return chosen.length === 1
    ? errors
    : [...errors, fieldError.invalid(path, `{${chosen.join(", ")}}`, `${detail}${several}`)];
}
