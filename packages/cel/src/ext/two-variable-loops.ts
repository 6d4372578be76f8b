// Macros over index and item, or key and value: all, exists, existsOne, transformList,
// transformMap, transformMapEntry.
// Upstream: github.com/google/cel-go v0.26 ext/comprehensions.go.
import type { Expr } from "../ast/ast.ts";
import { type FunctionDeclaration, overload } from "../functions/declarations.ts";
import type { Library } from "../environment/environment.ts";
import { accumulator, callTo, ident, literal } from "../ast/build-expr.ts";
import { fold, foldAll, foldExists, foldExistsOne, foldList, type Loop } from "../parser/fold.ts";
import { loopVariable, type Macro } from "../parser/macros.ts";
import { mapType, paramType } from "../types/type.ts";
import { CelError } from "../values/cel-error.ts";
import { type CelMap, ValueMap } from "../values/map.ts";
import { type CelValue, showValue } from "../values/value.ts";

type Rewrite = (loop: Loop, transform: Expr, filter?: Expr) => Expr;

/** Arguments: two names, perhaps a filter, the transform or predicate. */
const macro =
  (rewrite: Rewrite): Macro =>
  (at, target, args) => {
    const [first, second] = args
      .slice(0, 2)
      .map((arg) => loopVariable(arg, "argument must be a simple name"));
    if (typeof first !== "string") return first!;
    if (typeof second !== "string") return second!;
    if (first === second) return { at: args[1]!.at, message: `duplicate variable name: ${first}` };
    const loop = { at, range: target!, variable: first, variable2: second };
    return rewrite(loop, args.at(-1)!, args.length === 4 ? args[2] : undefined);
  };

const k = paramType("K");
const v = paramType("V");
const mapKv = mapType(k, v);

function insert(map: CelMap, entries: readonly (readonly [CelValue, CelValue])[]): CelMap {
  for (const [key] of entries)
    if (map.find(key) !== undefined)
      throw new CelError(`insert failed: key ${showValue(key)} already exists`);
  return new ValueMap([...map.keys().map((key) => [key, map.find(key)!] as const), ...entries]);
}

const mapInsert: FunctionDeclaration = {
  name: "cel.@mapInsert",
  overloads: [
    overload("@mapInsert_map_key_value", [mapKv, k, v], mapKv, (map, key, value) =>
      insert(map as CelMap, [[key!, value!]]),
    ),
    overload("@mapInsert_map_map", [mapKv, mapKv], mapKv, (map, added) =>
      insert(
        map as CelMap,
        (added as CelMap).keys().map((key) => [key, (added as CelMap).find(key)!] as const),
      ),
    ),
  ],
};

function foldMap(loop: Loop, inserted: Expr, filter?: Expr): Expr {
  const { at } = loop;
  return fold(loop, {
    init: { kind: "map", at, entries: [] },
    condition: literal(at, true),
    step: filter ? callTo(at, "_?_:_", filter, inserted, accumulator(at)) : inserted,
  });
}

const transformMap: Rewrite = (loop, transform, filter) => {
  const { at, variable } = loop;
  const key = ident(at, variable);
  return foldMap(loop, callTo(at, "cel.@mapInsert", accumulator(at), key, transform), filter);
};

const transformMapEntry: Rewrite = (loop, transform, filter) =>
  foldMap(loop, callTo(loop.at, "cel.@mapInsert", accumulator(loop.at), transform), filter);

/** Loops over two variables. */
export const twoVariableLoops: Library = {
  name: "two-variable comprehensions",
  functions: [mapInsert],
  macros: new Map([
    [".all/3", macro(foldAll)],
    [".exists/3", macro(foldExists)],
    [".existsOne/3", macro(foldExistsOne)],
    [".exists_one/3", macro(foldExistsOne)],
    [".transformList/3", macro(foldList)],
    [".transformList/4", macro(foldList)],
    [".transformMap/3", macro(transformMap)],
    [".transformMap/4", macro(transformMap)],
    [".transformMapEntry/3", macro(transformMapEntry)],
    [".transformMapEntry/4", macro(transformMapEntry)],
  ]),
};
