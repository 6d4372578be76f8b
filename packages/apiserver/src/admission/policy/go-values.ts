// Values of Go in an apply configuration: no type of a schema accepts them.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/typed/validate.go on the values of
// k8s.io/apiserver/pkg/cel/mutation/dynamic/objects.go.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";
import type { TypedError } from "../../merge/typed/typed-error.ts";
import { type GoJson, type GoObject, GoValue } from "./mutation-json.ts";

/** A configuration in JSON, and what is wrong with the values that are left out of it. */
export interface GoValueFree {
  readonly intent: JsonObject;
  readonly faults: readonly TypedError[];
}

/** Takes the values of Go out of a configuration. */
export function withoutGoValues(type: SmdType, configuration: GoObject): GoValueFree {
  const faults: TypedError[] = [];
  const intent = strip(type, configuration, "", faults) as JsonObject;
  return { intent, faults };
}

/** A value without those of Go; undefined for one of Go. */
function strip(
  type: SmdType | undefined,
  value: GoJson,
  path: string,
  faults: TypedError[],
): Json | undefined {
  if (value instanceof GoValue) {
    faults.push({ path, message: faultOf(type, value) });
    return undefined;
  }
  if (Array.isArray(value))
    return value.map((item, i) => stripItem(type, item, `${path}[${i}]`, faults));
  if (!isObject(value as Json)) return value as Json;
  const { map } = type ?? {};
  const members = Object.entries(value as GoObject).flatMap(([name, member]) => {
    const below = (map?.field(name)?.type ?? map?.element)?.();
    const kept = strip(below, member, `${path}.${name}`, faults);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(members);
}

/** Items of lists with keys must be maps, whatever else they are. */
function stripItem(
  type: SmdType | undefined,
  item: GoJson,
  path: string,
  faults: TypedError[],
): Json {
  if (type?.list?.keys.length && item instanceof GoValue) return false;
  return strip(type?.list?.element(), item, path, faults) ?? null;
}

function faultOf(type: SmdType | undefined, value: GoValue): string {
  const shown = `got &{${value.shown}}`;
  if (type?.map) return `expected map, ${shown}`;
  switch (type?.scalar) {
    case "numeric":
      return `expected numeric (int or float), got ${value.type}`;
    case "string":
      return `expected string, got &value.valueUnstructured{Value:${value.syntax}}`;
    case "boolean":
      return `expected boolean, ${shown}`;
    case "untyped":
      return `expected any scalar, ${shown}`;
    default:
      return type?.list ? `expected list, ${shown}` : "field not declared in schema";
  }
}
