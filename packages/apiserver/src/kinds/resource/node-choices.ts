// From which nodes devices can be reached: one of several ways to say it, for a slice and for one
// of its devices.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go
// (validateResourceSliceSpec, validateDevice).
import { dnsSubdomainFaults, isObject, type JsonObject } from "homeostat/api";
import { type FieldError, invalid, required } from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";

/** Which ways there are, and what is said when there is not exactly one. */
export interface NodeChoices {
  readonly fields: readonly string[];
  readonly emptyName: string;
  readonly selector: (selector: JsonObject, path: string) => readonly FieldError[];
  readonly detail: string;
  /** Added to `detail` when several are set. */
  readonly several: string;
}

/** Every breach in `holder`. */
export function nodeChoices(
  holder: JsonObject,
  path: string,
  { fields, emptyName, selector, detail, several }: NodeChoices,
): readonly FieldError[] {
  const chosen: string[] = [];
  const errors = fields.flatMap((field): readonly FieldError[] => {
    const value = holder[field];
    const at = `${path}.${field}`;
    if (!isSet(value)) return [];
    if (value === "") return [invalid(at, value, emptyName)];
    if (value === false) return [invalid(at, value, "must be either unset or set to true")];
    chosen.push(`\`${field}\``);
    if (typeof value === "string")
      return dnsSubdomainFaults(value).map((fault) => invalid(at, value, fault));
    return isObject(value) ? selector(value, at) : [];
  });
  if (chosen.length === 0) return [...errors, required(path, detail)];
  return chosen.length === 1
    ? errors
    : [...errors, invalid(path, `{${chosen.join(", ")}}`, `${detail}${several}`)];
}
