// Keys of mappings, which YAML lets be of any type and JSON does not.
// Upstream: sigs.k8s.io/yaml (yaml.go, convertToJSONableObject), fmt (%#v).
import type { Json } from "homeostat/api";
import { formatGoSyntax } from "../../apimachinery/values/go-syntax.ts";
import type { YamlScalar } from "./decode-scalar.ts";
import { formatFloatKey } from "./resolve-scalar.ts";

/** A key. */
export interface MapKey {
  readonly scalar: YamlScalar;
  /** Its name in JSON. */
  readonly text: string;
  /** Differs where upstream's keys differ: the text `1` is not the number. */
  readonly identity: string;
  /** Whether upstream refuses it: null, and integers beyond int64. */
  readonly isUnsupported: boolean;
}

/** No text of YAML begins with half a character. */
const mark = "\udc00";

/** The key that a scalar is. */
export function toMapKey(scalar: YamlScalar): MapKey {
  const { type, value } = scalar;
  if (typeof value === "string")
    return { scalar, text: value, identity: value, isUnsupported: false };
  const text = type === "float" ? formatFloatKey(value as number) : String(value);
  const isUnsupported = value === null || (typeof value === "bigint" && value >= 2n ** 63n);
  return { scalar, text, identity: `${mark}${type} ${String(value)}`, isUnsupported };
}

/** A decoded value under Go's `%#v`, e.g. `map[interface {}]interface {}{"a":1}`. */
export const formatDecoded = (value: Json): string =>
  value === null ? "<nil>" : formatGoSyntax(value, "map[interface {}]interface {}");

/** Why upstream refuses a key. */
export function formatKeyFault({ scalar }: MapKey, value: Json): string {
  const type = scalar.value === null ? "%!s(<nil>)" : "uint64";
  const key = formatDecoded(scalar.value);
  return `unsupported map key of type: ${type}, key: ${key}, value: ${formatDecoded(value)}`;
}
