// Lists as sets: sets.contains, sets.equivalent, sets.intersects.
// Upstream: github.com/google/cel-go v0.26 ext/sets.go.
import { type Implementation, overload } from "../declarations.ts";
import type { Library } from "../environment.ts";
import { boolType, listType, paramType } from "../type.ts";
import type { CelList } from "../values/list.ts";

const listT = listType(paramType("T"));

const contains = (list: CelList, part: CelList): boolean =>
  [...part].every((item) => list.contains(item));
const onLists =
  (test: (a: CelList, b: CelList) => boolean): Implementation =>
  (a, b) =>
    test(a as CelList, b as CelList);

/** Set functions. */
export const setLibrary: Library = {
  name: "sets",
  functions: [
    {
      name: "sets.contains",
      overloads: [overload("list_sets_contains_list", [listT, listT], boolType, onLists(contains))],
    },
    {
      name: "sets.equivalent",
      overloads: [
        overload(
          "list_sets_equivalent_list",
          [listT, listT],
          boolType,
          onLists((a, b) => contains(a, b) && contains(b, a)),
        ),
      ],
    },
    {
      name: "sets.intersects",
      overloads: [
        overload(
          "list_sets_intersects_list",
          [listT, listT],
          boolType,
          onLists((a, b) => [...a].some((item) => b.contains(item))),
        ),
      ],
    },
  ],
};
