// Lists as sets: sets.contains, sets.equivalent, sets.intersects.
// Upstream: github.com/google/cel-go v0.26 ext/sets.go.
import { addEstimates, fixed, multiplyEstimates, scaleEstimate } from "../cost/estimate.ts";
import { type Price, sizeOf } from "../cost/price.ts";
import { actualSize } from "../cost/actual-size.ts";
import { type Implementation, overload, pricedFunction } from "../functions/declarations.ts";
import type { Library } from "../environment/environment.ts";
import { boolType, listType, paramType } from "../types/type.ts";
import type { CelList } from "../values/list.ts";

const listT = listType(paramType("T"));

const contains = (list: CelList, part: CelList): boolean =>
  [...part].every((item) => list.contains(item));
const onLists =
  (test: (a: CelList, b: CelList) => boolean): Implementation =>
  (a, b) =>
    test(a as CelList, b as CelList);

/** Every item of one list is compared with every item of the other. */
const setPrice = (passes: number): Price => ({
  actual: (args) => 1 + Math.floor(actualSize(args[0]!) * actualSize(args[1]!) * passes),
  estimate: (site) => {
    const pairs = multiplyEstimates(sizeOf(site.args[0], site), sizeOf(site.args[1], site));
    return { cost: addEstimates(scaleEstimate(pairs, passes), fixed(1)) };
  },
});

/** Set functions. */
export const setLibrary: Library = {
  name: "sets",
  functions: [
    pricedFunction(setPrice(1), {
      name: "sets.contains",
      overloads: [overload("list_sets_contains_list", [listT, listT], boolType, onLists(contains))],
    }),
    pricedFunction(setPrice(2), {
      name: "sets.equivalent",
      overloads: [
        overload(
          "list_sets_equivalent_list",
          [listT, listT],
          boolType,
          onLists((a, b) => contains(a, b) && contains(b, a)),
        ),
      ],
    }),
    pricedFunction(setPrice(1), {
      name: "sets.intersects",
      overloads: [
        overload(
          "list_sets_intersects_list",
          [listT, listT],
          boolType,
          onLists((a, b) => [...a].some((item) => b.contains(item))),
        ),
      ],
    }),
  ],
};
