// Optional values: optional.of and its kin, `?` accessors, optMap and optFlatMap.
// Upstream: github.com/google/cel-go v0.26 cel/library.go (OptionalTypes).
import type { Expr } from "../ast/ast.ts";
import {
  type FunctionDeclaration,
  type Implementation,
  member,
  overload,
} from "../functions/declarations.ts";
import type { Library } from "../environment/environment.ts";
import { callTo, memberCall } from "../ast/build-expr.ts";
import { bindValue } from "../parser/fold.ts";
import type { Macro } from "../parser/macros.ts";
import { dynType, listType, mapType, optionalType, paramType, scalarTypes } from "../types/type.ts";
import { CelError } from "../values/cel-error.ts";
import { type CelList, ValueList } from "../values/list.ts";
import { none, Optional } from "../values/optional.ts";
import { CelObject, type CelValue, showValue } from "../values/value.ts";

const { bool, int64, string } = scalarTypes;
const k = paramType("K");
const v = paramType("V");
const optionalV = optionalType(v);
const listV = listType(v);
const mapKv = mapType(k, v);

function isZero(value: CelValue): boolean {
  if (value instanceof CelObject) return value.isZero();
  if (value instanceof Uint8Array) return value.length === 0;
  return value === null || value === 0 || value === "" || value === false;
}

const unwrap: Implementation = (list) => {
  const held: CelValue[] = [];
  for (const item of list as CelList) {
    if (!(item instanceof Optional)) throw new CelError(`value ${showValue(item)} is not optional`);
    if (item.held !== undefined) held.push(item.held);
  }
  return new ValueList(held);
};

const at =
  (pick: (list: CelList) => number): Implementation =>
  (value) => {
    const list = value as CelList;
    return list.size === 0 ? none : new Optional(list.at(pick(list)));
  };

const functions: readonly FunctionDeclaration[] = [
  {
    name: "optional.of",
    overloads: [overload("optional_of", [v], optionalV, (value) => new Optional(value))],
  },
  {
    name: "optional.ofNonZeroValue",
    overloads: [
      overload("optional_ofNonZeroValue", [v], optionalV, (value) =>
        isZero(value!) ? none : new Optional(value),
      ),
    ],
  },
  { name: "optional.none", overloads: [overload("optional_none", [], optionalV, () => none)] },
  {
    name: "value",
    overloads: [member("optional_value", [optionalV], v, (value) => (value as Optional).value)],
  },
  {
    name: "hasValue",
    overloads: [
      member(
        "optional_hasValue",
        [optionalV],
        bool,
        (value) => (value as Optional).held !== undefined,
      ),
    ],
  },
  { name: "or", overloads: [member("optional_or_optional", [optionalV, optionalV], optionalV)] },
  { name: "orValue", overloads: [member("optional_orValue_value", [optionalV, v], v)] },
  {
    name: "_?._",
    overloads: [overload("select_optional_field", [dynType, string], optionalV)],
  },
  {
    name: "_[?_]",
    overloads: [
      overload("list_optindex_optional_int", [listV, int64], optionalV),
      overload("optional_list_optindex_optional_int", [optionalType(listV), int64], optionalV),
      overload("map_optindex_optional_value", [mapKv, k], optionalV),
      overload("optional_map_optindex_optional_value", [optionalType(mapKv), k], optionalV),
    ],
  },
  {
    name: "_[_]",
    overloads: [
      overload("optional_list_index_int", [optionalType(listV), int64], optionalV),
      overload("optional_map_index_value", [optionalType(mapKv), k], optionalV),
    ],
  },
  {
    name: "last",
    overloads: [
      member(
        "list_last",
        [listV],
        optionalV,
        at((list) => list.size - 1),
      ),
    ],
  },
  {
    name: "first",
    overloads: [
      member(
        "list_first",
        [listV],
        optionalV,
        at(() => 0),
      ),
    ],
  },
  {
    name: "optional.unwrap",
    overloads: [overload("optional_unwrap", [listType(optionalV)], listV, unwrap)],
  },
  {
    name: "unwrapOpt",
    overloads: [member("optional_unwrapOpt", [listType(optionalV)], listV, unwrap)],
  },
];

const mapping =
  (name: string, wrap: (place: number, mapped: Expr) => Expr): Macro =>
  (place, target, args) => {
    const variable = args[0]!;
    if (variable.kind !== "ident")
      return { at: variable.at, message: `${name}() variable name must be a simple identifier` };
    const mapped = bindValue(
      place,
      variable.name,
      memberCall(place, "value", copy(target!)),
      args[1]!,
    );
    return callTo(
      place,
      "_?_:_",
      memberCall(place, "hasValue", target!),
      wrap(place, mapped),
      callTo(place, "optional.none"),
    );
  };

/** The checker writes into nodes, so a subtree that is used twice is copied. */
function copy(node: Expr): Expr {
  switch (node.kind) {
    case "select":
      return { ...node, operand: copy(node.operand) };
    case "call":
      return { ...node, target: node.target && copy(node.target), args: node.args.map(copy) };
    case "list":
      return { ...node, elements: node.elements.map(copy) };
    case "map":
      return {
        ...node,
        entries: node.entries.map((entry) => ({
          ...entry,
          key: copy(entry.key),
          value: copy(entry.value),
        })),
      };
    case "struct":
      return {
        ...node,
        fields: node.fields.map((field) => ({ ...field, value: copy(field.value) })),
      };
    case "comprehension":
      return {
        ...node,
        range: copy(node.range),
        init: copy(node.init),
        condition: copy(node.condition),
        step: copy(node.step),
        result: copy(node.result),
      };
    default:
      return { ...node };
  }
}

/** Optional values and their syntax. */
export const optionalLibrary: Library = {
  name: "optional",
  functions,
  macros: new Map([
    [".optMap/2", mapping("optMap", (place, mapped) => callTo(place, "optional.of", mapped))],
    [".optFlatMap/2", mapping("optFlatMap", (_place, mapped) => mapped)],
  ]),
  types: [optionalType(dynType)],
};
