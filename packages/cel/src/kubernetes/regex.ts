// find and findAll.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/regex.go.
import { type Price, sizeOf } from "../cost/price.ts";
import { patternCost, patternEstimate } from "../cost/prices.ts";
import {
  type Implementation,
  member,
  type Overload,
  pricedFunction,
  specialized,
} from "../functions/declarations.ts";
import type { Library } from "../environment/environment.ts";
import { compilePattern, type Pattern } from "../go/pattern.ts";
import { intType, listType, stringType, type Type } from "../types/type.ts";
import { CelError } from "../values/cel-error.ts";
import { ValueList } from "../values/list.ts";
import type { CelValue } from "../values/value.ts";

function patternOf(source: CelValue): Pattern {
  try {
    return compilePattern(source as string);
  } catch (error) {
    if (error instanceof CelError) throw new CelError(`Illegal regex: ${error.message}`);
    throw error;
  }
}

type Search = (
  pattern: Pattern,
  text: CelValue | undefined,
  limit: CelValue | undefined,
) => CelValue;

const find: Search = (pattern, text) => pattern.find(text as string) ?? "";
const findAll: Search = (pattern, text, limit = -1) =>
  new ValueList([...pattern.findAll(text as string, Number(limit))]);

/** A constant pattern is compiled once; its error is an error of the program. */
function searching(id: string, args: readonly Type[], result: Type, search: Search): Overload {
  const anew: Implementation = (text, source, limit) => search(patternOf(source!), text, limit);
  return specialized(member(id, args, result, anew), ([, source]) => {
    if (typeof source !== "string") return undefined;
    const pattern = compilePattern(source);
    return (text, _source, limit) => search(pattern, text, limit);
  });
}

/** One search; a match is no longer than the text. */
const searchPrice: Price = {
  actual: patternCost,
  estimate(site) {
    if (!site.target || !site.args[0]) return undefined;
    const size = sizeOf(site.target, site);
    return {
      cost: patternEstimate(size, sizeOf(site.args[0], site)),
      resultSize: { min: 0, max: size.max },
    };
  },
};

/** Searches by pattern. */
export const regexLibrary: Library = {
  name: "kubernetes regex",
  functions: [
    pricedFunction(searchPrice, {
      name: "find",
      overloads: [searching("string_find_string", [stringType, stringType], stringType, find)],
    }),
    pricedFunction(searchPrice, {
      name: "findAll",
      overloads: [
        searching(
          "string_find_all_string",
          [stringType, stringType],
          listType(stringType),
          findAll,
        ),
        searching(
          "string_find_all_string_int",
          [stringType, stringType, intType],
          listType(stringType),
          findAll,
        ),
      ],
    }),
  ],
};
