// Compiles a selector, checks its result type and estimates its cost. Loaded with the first
// selector (device-selectors.ts).
// Upstream: k8s.io/dynamic-resource-allocation v0.36 cel/compile.go.
import {
  anyType,
  bindingLibrary,
  boolType,
  compatibilityMinor,
  compileExpression,
  type Environment,
  estimateCost,
  kubernetesEnvironment,
  mapType,
  runtimeName,
  type SizeOracle,
  storedMinor,
  stringType,
  structType,
  type Type,
  ValueMap,
  withVariables,
} from "@homeostat/cel";
import type { Age } from "./device-configuration.ts";

/** The worst cost of an expression, or its error. */
export type CompiledSelector = { readonly cost: number } | { readonly fault: string };

const deviceType = structType("kubernetes.DRADevice");

const fields: ReadonlyMap<string, Type> = new Map([
  ["driver", stringType],
  ["allowMultipleAllocations", boolType],
  ["attributes", mapType(stringType, mapType(stringType, anyType))],
  ["capacity", mapType(stringType, mapType(stringType, structType("kubernetes.Quantity")))],
]);

/** Compiles an expression; a stored one may use functions of newer servers. */
export function compileSelector(expression: string, age: Age): CompiledSelector {
  const compiled = compileExpression(expression, environmentOf(age));
  if ("issues" in compiled) return { fault: `compilation failed: ${compiled.issues}` };
  const type = "program" in compiled ? compiled.program.type : compiled.type;
  if ((type.kind !== "bool" || type.nullable) && type !== anyType)
    return { fault: `must evaluate to bool or the unknown type, not ${runtimeName(type)}` };
  if ("failure" in compiled) return { fault: `program instantiation failed: ${compiled.failure}` };
  return { cost: estimateCost(compiled.program.root, sizeAt).max };
}

function environmentOf(age: Age): Environment {
  const base = kubernetesEnvironment(age === "stored" ? storedMinor : compatibilityMinor);
  const device: Environment["struct"] = (name) =>
    name === deviceType.name
      ? { name, field: (field) => fields.get(field), create: (given) => new ValueMap(given) }
      : undefined;
  return withVariables(
    { ...base, macros: new Map([...base.macros, ...bindingLibrary.macros!]) },
    new Map([["device", deviceType]]),
    device,
  );
}

/** Maximum characters or entries of a device's fields. */
const max = { domain: 63, identifier: 32, driver: 63, flag: 1, attribute: 64, entries: 32 };

/**
 * Sizes by path, e.g. `device.attributes.@values.model`; domains and identifiers are the keys of
 * the two maps.
 */
const sizeAt: SizeOracle = (path) => {
  const [root, field, ...rest] = path;
  if (root !== "device") return undefined;
  const size = field === undefined ? 0 : sizeOfField(field, rest);
  return size === undefined ? undefined : { min: 0, max: size };
};

function sizeOfField(field: string, path: readonly string[]): number | undefined {
  if (field === "driver" || field === "allowMultipleAllocations")
    return path.length ? undefined : max[field === "driver" ? "driver" : "flag"];
  if (field !== "attributes" && field !== "capacity") return undefined;
  const [domain, name, ...rest] = path;
  if (domain === undefined) return max.entries;
  if (domain === "@keys") return name === undefined ? max.domain : undefined;
  if (domain !== "@values" && domain !== "@items") return undefined;
  if (name === undefined) return max.entries;
  if (rest.length) return undefined;
  if (name === "@keys") return max.identifier;
  // An attribute may be selected by its name; the size of a capacity has no cost.
  if (field === "attributes") return max.attribute;
  return name === "@values" || name === "@items" ? 0 : undefined;
}
