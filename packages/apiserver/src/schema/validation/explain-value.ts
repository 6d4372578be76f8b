// Finds out what is wrong with a value, in kube-openapi's words and with its counting: among
// failing branches of anyOf and oneOf the one with the most positive checks is reported. Runs only
// on values that accepts-value.ts refused.
// Upstream: k8s.io/kube-openapi/pkg/validation/validate (schema.go, schema_props.go, type.go,
// object_validator.go, slice_validator.go, validator.go, result.go);
// k8s.io/apiextensions-apiserver/pkg/apiserver/validation/ratcheting.go.
import type { Json, JsonObject } from "homeostat/api";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { countCodePoints } from "./accepts-value.ts";
import type { Correlation } from "./correlated-object.ts";
import { isEnumMember } from "./enum-members.ts";
import { isAlmostInteger, numberFaults } from "./number-rules.ts";
import {
  enumFault,
  plainFault,
  requiredFault,
  type SchemaFault,
  tooLongFault,
  tooManyFault,
  typeFault,
  valueFault,
} from "./schema-fault.ts";
import {
  type SchemaNode,
  TYPE_ARRAY,
  TYPE_BOOLEAN,
  TYPE_INTEGER,
  TYPE_NULL,
  TYPE_NUMBER,
  TYPE_OBJECT,
  TYPE_STRING,
  typeOfValue,
  type ValueType,
} from "../schema-node.ts";

/**
 * The faults of a value, in a stable order. With a correlation, faults in unchanged parts are left
 * out.
 */
export function explainValue(
  value: Json,
  node: SchemaNode,
  correlation?: Correlation,
): readonly SchemaFault[] {
  return explain(value, node, "", correlation).faults();
}

/** Faults found and checks made; a text is reported once. */
class Findings {
  readonly #faults = new Map<string, SchemaFault>();
  matches = 0;

  get failed(): boolean {
    return this.#faults.size > 0;
  }

  faults(): readonly SchemaFault[] {
    return [...this.#faults.values()];
  }

  add(fault: SchemaFault): void {
    if (!this.#faults.has(fault.text)) this.#faults.set(fault.text, fault);
  }

  merge(other: Findings): void {
    for (const fault of other.#faults.values()) this.add(fault);
    this.matches += other.matches;
  }

  /** Tolerates what was found. */
  forgive(): void {
    this.#faults.clear();
  }
}

const typeBits: Readonly<Record<ValueType, number>> = {
  object: TYPE_OBJECT,
  array: TYPE_ARRAY,
  string: TYPE_STRING,
  integer: TYPE_INTEGER,
  number: TYPE_NUMBER,
  boolean: TYPE_BOOLEAN,
  null: TYPE_NULL,
};

function explain(
  value: Json,
  node: SchemaNode,
  path: string,
  correlation: Correlation | undefined,
): Findings {
  const found = new Findings();
  if (value === null) explainNull(node, path, found);
  else explainPresent(value, node, path, correlation, found);
  // Tolerated faults vanish; upstream makes warnings of them that nobody reads.
  if (correlation && found.failed && correlation.unchanged()) found.forgive();
  return found;
}

function explainNull(node: SchemaNode, path: string, found: Findings): void {
  if (node.types === 0 || node.nullable || (node.types & TYPE_NULL) !== 0) found.matches++;
  else found.add(typeFault(path, node.typeNames, "null"));
  if (node.enum) found.add(enumFault(path, null, node.enum));
}

function explainPresent(
  value: Exclude<Json, null>,
  node: SchemaNode,
  path: string,
  correlation: Correlation | undefined,
  found: Findings,
): void {
  if (node.types !== 0 || node.format !== "") {
    explainType(value, node, path, found);
    found.matches++;
  }
  explainLogic(value, node, path, found);
  found.matches++;
  if (typeof value === "string") explainString(value, node, path, found);
  if (typeof value === "number" || typeof value === "bigint")
    explainNumber(value, node, path, found);
  if (Array.isArray(value)) explainItems(value, node, path, correlation, found);
  if (node.enum && !isEnumMember(value, node.enum)) found.add(enumFault(path, value, node.enum));
  found.matches++;
  if (typeof value === "object" && !Array.isArray(value))
    explainMembers(value, node, path, correlation, found);
  found.matches++;
}

function explainType(value: Json, node: SchemaNode, path: string, found: Findings): void {
  const type = typeOfValue(value);
  const numeric = (node.types & (TYPE_INTEGER | TYPE_NUMBER)) !== 0;
  const fits =
    (node.types & typeBits[type]) !== 0 ||
    (type === "number" && (node.types & TYPE_INTEGER) !== 0 && isAlmostInteger(Number(value))) ||
    (type === "integer" && (node.types & TYPE_NUMBER) !== 0);
  const textual = type === "string" || type === "array";
  const goFormat = type === "integer" ? "int64" : type === "number" ? "float64" : "";
  if (!textual && node.format !== "" && !fits && goFormat !== node.format)
    found.add(typeFault(path, node.format, goFormat));
  else if (!(textual && node.format !== "" && !numeric) && !fits)
    found.add(typeFault(path, node.typeNames, type));
  else found.matches++;
}

function explainString(value: string, node: SchemaNode, path: string, found: Findings): void {
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

function explainNumber(
  value: number | bigint,
  node: SchemaNode,
  path: string,
  found: Findings,
): void {
  for (const { text, value: held } of numberFaults(value, node, path))
    found.add(held === undefined ? plainFault(text) : valueFault(path, text, held));
  found.matches += 2;
}

function explainItems(
  items: readonly Json[],
  node: SchemaNode,
  path: string,
  correlation: Correlation | undefined,
  found: Findings,
): void {
  if (node.items)
    for (let i = 0; i < items.length; i++)
      found.merge(explain(items[i]!, node.items, `${path}[${i}]`, correlation?.item(i)));
  if (items.length < node.minItems)
    found.add(
      valueFault(path, `${path} in body should have at least ${node.minItems} items`, items.length),
    );
  if (items.length > node.maxItems)
    found.add(tooManyFault(path, "items", items.length, node.maxItems));
  found.matches += 2;
}

function explainMembers(
  object: JsonObject,
  node: SchemaNode,
  path: string,
  correlation: Correlation | undefined,
  found: Findings,
): void {
  const names = Object.keys(object);
  if (names.length < node.minProperties)
    found.add(
      valueFault(
        path,
        `${path} in body should have at least ${node.minProperties} properties`,
        names.length,
      ),
    );
  if (names.length > node.maxProperties)
    found.add(tooManyFault(path, "properties", names.length, node.maxProperties));
  const pair = (name: string): Correlation | undefined =>
    path === "" && (name === "kind" || name === "apiVersion")
      ? undefined
      : correlation?.member(name);
  if (node.additional) {
    for (const name of names)
      if (!node.properties?.has(name))
        found.merge(explain(object[name]!, node.additional, `${path}.${name}`, pair(name)));
  }
  for (const [i, name] of node.propertyNames.entries()) {
    if (Object.hasOwn(object, name))
      found.merge(
        explain(object[name]!, node.propertyNodes[i]!, path ? `${path}.${name}` : name, pair(name)),
      );
  }
  for (const name of node.required)
    if (!Object.hasOwn(object, name)) found.add(requiredFault(`${path}.${name}`));
  found.matches++;
}

/** Branches are judged without ratcheting. */
function explainLogic(value: Json, node: SchemaNode, path: string, found: Findings): void {
  found.matches++;
  if (!node.hasLogic) return;
  if (node.anyOf.length > 0) explainAnyOf(value, node.anyOf, path, found);
  if (node.oneOf.length > 0) explainOneOf(value, node.oneOf, path, found);
  if (node.allOf.length > 0) explainAllOf(value, node.allOf, path, found);
  if (node.not && !explain(value, node.not, path, undefined).failed)
    found.add(plainFault(`${quoteGo(path)} must not validate the schema (not)`));
}

function explainAnyOf(
  value: Json,
  branches: readonly SchemaNode[],
  path: string,
  found: Findings,
): void {
  let best: Findings | undefined;
  for (const branch of branches) {
    const result = explain(value, branch, path, undefined);
    if (!result.failed) return found.merge(result);
    if (!best || result.matches > best.matches) best = result;
  }
  found.add(plainFault(`${quoteGo(path)} must validate at least one schema (anyOf)`));
  if (best) found.merge(best);
}

function explainOneOf(
  value: Json,
  branches: readonly SchemaNode[],
  path: string,
  found: Findings,
): void {
  let best: Findings | undefined;
  let first: Findings | undefined;
  let valid = 0;
  for (const branch of branches) {
    const result = explain(value, branch, path, undefined);
    if (!result.failed) {
      valid++;
      first ??= result;
    } else if (valid === 0 && (!best || result.matches > best.matches)) best = result;
  }
  if (valid === 1) return found.merge(first!);
  found.add(
    plainFault(
      `${quoteGo(path)} must validate one and only one schema (oneOf). ${valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`}`,
    ),
  );
  if (valid === 0 && best) found.merge(best);
}

function explainAllOf(
  value: Json,
  branches: readonly SchemaNode[],
  path: string,
  found: Findings,
): void {
  let valid = 0;
  for (const branch of branches) {
    const result = explain(value, branch, path, undefined);
    if (!result.failed) valid++;
    found.merge(result);
  }
  if (valid !== branches.length)
    found.add(
      plainFault(
        `${quoteGo(path)} must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`,
      ),
    );
}
