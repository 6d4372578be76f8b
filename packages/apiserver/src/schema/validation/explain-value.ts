// Explains what is wrong with a value, with kube-openapi's messages and its way of counting checks.
// Runs only on values that accepts-value.ts refuses.
// Upstream: k8s.io/kube-openapi/pkg/validation/validate (schema.go, schema_props.go,
// object_validator.go, slice_validator.go);
// k8s.io/apiextensions-apiserver/pkg/apiserver/validation/ratcheting.go.
import type { Json, JsonObject } from "homeostat/api";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { type SchemaNode, typeBits } from "../schema-node.ts";
import type { CorrelatedObject } from "./correlated-object.ts";
import { isEnumMember } from "./enum-members.ts";
import { explainNumber, explainString, explainType } from "./explain-scalar.ts";
import { Findings } from "./findings.ts";
import {
  enumFault,
  plainFault,
  requiredFault,
  type SchemaFault,
  tooManyFault,
  typeFault,
  valueFault,
} from "./schema-fault.ts";

/** The schema that a value is validated against, and the value's place in the object. */
interface Subject {
  readonly node: SchemaNode;
  readonly path: string;
  readonly correlation?: CorrelatedObject | undefined;
}

/** The faults of a value, in a stable order, except those in parts that `correlation` tolerates. */
export function explainValue(
  value: Json,
  node: SchemaNode,
  correlation?: CorrelatedObject,
): readonly SchemaFault[] {
  return explain(value, { node, path: "", correlation }).faults();
}

function explain(value: Json, subject: Subject): Findings {
  const { node, path, correlation } = subject;
  const found = new Findings();
  if (value === null) explainNull(node, path, found);
  else explainPresent(value, subject, found);
  // Upstream turns tolerated faults into warnings that it does not send.
  if (correlation && found.failed && correlation.unchanged()) found.clear();
  return found;
}

function explainNull(node: SchemaNode, path: string, found: Findings): void {
  if (node.types === 0 || node.nullable || (node.types & typeBits.null) !== 0) found.matches++;
  else found.add(typeFault(path, node.typeNames, "null"));
  if (node.enum) found.add(enumFault(path, null, node.enum));
}

function explainPresent(value: Exclude<Json, null>, subject: Subject, found: Findings): void {
  const { node, path } = subject;
  if (node.types !== 0 || node.format !== "") {
    explainType(value, node, path, found);
    found.matches++;
  }
  explainLogic(value, node, path, found);
  found.matches++;
  if (typeof value === "string") explainString(value, node, path, found);
  if (typeof value === "number" || typeof value === "bigint")
    explainNumber(value, node, path, found);
  if (Array.isArray(value)) explainItems(value, subject, found);
  if (node.enum && !isEnumMember(value, node.enum)) found.add(enumFault(path, value, node.enum));
  found.matches++;
  if (typeof value === "object" && !Array.isArray(value)) explainMembers(value, subject, found);
  found.matches++;
}

function explainItems(items: readonly Json[], subject: Subject, found: Findings): void {
  const { node, path, correlation } = subject;
  if (node.items)
    for (const [i, item] of items.entries())
      found.merge(
        explain(item, {
          node: node.items,
          path: `${path}[${i}]`,
          correlation: correlation?.item(i),
        }),
      );
  if (items.length < node.minItems)
    found.add(
      valueFault(path, `${path} in body should have at least ${node.minItems} items`, items.length),
    );
  if (items.length > node.maxItems)
    found.add(tooManyFault(path, "items", items.length, node.maxItems));
  found.matches += 2;
}

function explainMembers(object: JsonObject, subject: Subject, found: Findings): void {
  const { node, path } = subject;
  const names = Object.keys(object);
  explainSize(names.length, node, path, found);
  if (node.additional) {
    for (const name of names)
      if (!node.properties?.has(name))
        found.merge(
          explain(object[name]!, {
            node: node.additional,
            path: `${path}.${name}`,
            correlation: memberCorrelation(subject, name),
          }),
        );
  }
  for (const [i, name] of node.propertyNames.entries()) {
    if (Object.hasOwn(object, name))
      found.merge(
        explain(object[name]!, {
          node: node.propertyNodes[i]!,
          path: path ? `${path}.${name}` : name,
          correlation: memberCorrelation(subject, name),
        }),
      );
  }
  for (const name of node.required)
    if (!Object.hasOwn(object, name)) found.add(requiredFault(`${path}.${name}`));
  found.matches++;
}

function explainSize(size: number, node: SchemaNode, path: string, found: Findings): void {
  if (size < node.minProperties)
    found.add(
      valueFault(
        path,
        `${path} in body should have at least ${node.minProperties} properties`,
        size,
      ),
    );
  if (size > node.maxProperties)
    found.add(tooManyFault(path, "properties", size, node.maxProperties));
}

/** The root's kind and apiVersion never correlate. */
function memberCorrelation(
  { path, correlation }: Subject,
  name: string,
): CorrelatedObject | undefined {
  if (path === "" && (name === "kind" || name === "apiVersion")) return undefined;
  return correlation?.member(name);
}

/** Validates against allOf, anyOf, oneOf and not, without ratcheting. */
function explainLogic(value: Json, node: SchemaNode, path: string, found: Findings): void {
  found.matches++;
  if (!node.hasLogic) return;
  const explainBranch = (branch: SchemaNode): Findings => explain(value, { node: branch, path });
  if (node.anyOf.length > 0) explainAnyOf(node.anyOf.map(explainBranch), path, found);
  if (node.oneOf.length > 0) explainOneOf(node.oneOf.map(explainBranch), path, found);
  if (node.allOf.length > 0) explainAllOf(node.allOf.map(explainBranch), path, found);
  if (node.not && !explainBranch(node.not).failed)
    found.add(plainFault(`${quoteGo(path)} must not validate the schema (not)`));
}

function explainAnyOf(branches: readonly Findings[], path: string, found: Findings): void {
  const valid = branches.find((branch) => !branch.failed);
  if (valid) return found.merge(valid);
  found.add(plainFault(`${quoteGo(path)} must validate at least one schema (anyOf)`));
  found.merge(closest(branches));
}

function explainOneOf(branches: readonly Findings[], path: string, found: Findings): void {
  const valid = branches.filter((branch) => !branch.failed);
  if (valid.length === 1) return found.merge(valid[0]!);
  const outcome =
    valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
  found.add(
    plainFault(`${quoteGo(path)} must validate one and only one schema (oneOf). ${outcome}`),
  );
  if (valid.length === 0) found.merge(closest(branches));
}

/** The first of the branches with the most checks. */
const closest = (branches: readonly Findings[]): Findings =>
  branches.reduce((best, branch) => (branch.matches > best.matches ? branch : best));

function explainAllOf(branches: readonly Findings[], path: string, found: Findings): void {
  for (const branch of branches) found.merge(branch);
  const valid = branches.filter((branch) => !branch.failed).length;
  if (valid === branches.length) return;
  const outcome = valid === 0 ? ". None validated" : "";
  found.add(plainFault(`${quoteGo(path)} must validate all the schemas (allOf)${outcome}`));
}
