// Explains why a value does not fit the type of its schema, or the rules on strings and numbers.
// Upstream: k8s.io/kube-openapi/pkg/validation/validate (type.go, validator.go, values.go).
import type { Json } from "homeostat/api";
import { type SchemaNode, typeOfValue, type ValueType, typeBits } from "../schema-node.ts";
import { countCodePoints } from "./accepts-value.ts";
import type { Findings } from "./findings.ts";
import { isAlmostInteger, numberFaults } from "./number-rules.ts";
import { plainFault, tooLongFault, typeFault, valueFault } from "./schema-fault.ts";

/** The formats that Go's decoder gives to numbers. */
const goFormats: Partial<Readonly<Record<ValueType, string>>> = {
  integer: "int64",
  number: "float64",
};

/** Explains a value of another type. A string format stands in for the type. */
export function explainType(value: Json, node: SchemaNode, path: string, found: Findings): void {
  const type = typeOfValue(value);
  const numeric = (node.types & (typeBits.integer | typeBits.number)) !== 0;
  const fits = fitsType(value, type, node.types);
  const textual = type === "string" || type === "array";
  const goFormat = goFormats[type] ?? "";
  if (!textual && node.format !== "" && !fits && goFormat !== node.format)
    found.add(typeFault(path, node.format, goFormat));
  else if (!(textual && node.format !== "" && !numeric) && !fits)
    found.add(typeFault(path, node.typeNames, type));
  else found.matches++;
}

function fitsType(value: Json, type: ValueType, types: number): boolean {
  if ((types & typeBits[type]) !== 0) return true;
  if (type === "integer") return (types & typeBits.number) !== 0;
  return type === "number" && (types & typeBits.integer) !== 0 && isAlmostInteger(Number(value));
}

/** Explains breaches of length, pattern and format. */
export function explainString(
  value: string,
  node: SchemaNode,
  path: string,
  found: Findings,
): void {
  const size = countCodePoints(value);
  if (size > node.maxLength) found.add(tooLongFault(path, node.maxLength));
  else if (size < node.minLength)
    found.add(
      valueFault(path, `${path} in body should be at least ${node.minLength} chars long`, value),
    );
  else if (node.pattern && !node.pattern.test(value))
    found.add(valueFault(path, `${path} in body should match '${node.pattern.text()}'`, value));
  found.matches++;
  if (!node.checkFormat) return;
  if (!node.checkFormat(value)) found.add(typeFault(path, node.format, value));
  found.matches++;
}

/** Explains breaches of bounds and multipleOf. */
export function explainNumber(
  value: number | bigint,
  node: SchemaNode,
  path: string,
  found: Findings,
): void {
  for (const { text, value: held } of numberFaults(value, node, path))
    found.add(held === undefined ? plainFault(text) : valueFault(path, text, held));
  found.matches += 2;
}
