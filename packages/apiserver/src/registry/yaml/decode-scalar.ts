// What a scalar node means: its tag decides, or its text.
// Upstream: go.yaml.in/yaml/v2 (resolve.go; decode.go, scalar).
import { resolveScalar, type ScalarType } from "./resolve-scalar.ts";
import type { YamlNode } from "./yaml-node.ts";
import { YamlSyntaxError } from "./yaml-reader.ts";

/** A decoded scalar. */
export interface YamlScalar {
  readonly type: ScalarType;
  /** Without sign, as large integers may be; NaN and infinite numbers included. */
  readonly value: string | number | bigint | boolean | null;
}

const prefix = "tag:yaml.org,2002:";
/** Types by the tags that ask for them. */
const asked: Readonly<Record<string, ScalarType>> = {
  [`${prefix}bool`]: "bool",
  [`${prefix}float`]: "float",
  [`${prefix}int`]: "int",
  [`${prefix}null`]: "null",
  [`${prefix}timestamp`]: "timestamp",
};
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes a scalar. Throws {@link YamlSyntaxError}. */
export function decodeScalar({ tag, text, isPlain }: YamlNode): YamlScalar {
  if (tag === "") return isPlain ? resolveScalar(text) : { type: "str", value: text };
  if (tag === `${prefix}binary`) return { type: "str", value: decodeBinary(text) };
  const type = asked[tag];
  return type ? resolveAs(type, text) : { type: "str", value: text };
}

function resolveAs(type: ScalarType, text: string): YamlScalar {
  const { type: found, value } = resolveScalar(text);
  if (found === type) return { type, value };
  if (type === "float" && found === "int" && isInt64(value)) return { type, value: Number(value) };
  // Only a tag for timestamps, and no tag, make one of a text.
  const shown = found === "timestamp" ? "str" : found;
  throw new YamlSyntaxError(`yaml: cannot decode !!${shown} \`${text}\` as a !!${type}`);
}

const isInt64 = (value: YamlScalar["value"]): boolean =>
  typeof value === "number" || (typeof value === "bigint" && value < 2n ** 63n);

function decodeBinary(text: string): string {
  const digits = text.replaceAll(/[\r\n]/g, "");
  if (!base64.test(digits))
    throw new YamlSyntaxError("yaml: !!binary value contains invalid base64 data");
  return Buffer.from(digits, "base64").toString("utf8");
}
