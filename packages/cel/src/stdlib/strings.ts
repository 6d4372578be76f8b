// contains, startsWith, endsWith and matches.
// Upstream: github.com/google/cel-go v0.26 common/stdlib/standard.go, common/types/string.go.
import { affixPrice, containsPrice, matchesPrice } from "./prices.ts";
import { type Price } from "../cost/price.ts";
import {
  type FunctionDeclaration,
  type Implementation,
  member,
  overload,
  priced,
  specialized,
} from "../functions/declarations.ts";
import { compilePattern } from "../go/pattern.ts";
import { boolType, stringType } from "../types/type.ts";
import { noSuchOverload } from "../values/cel-error.ts";

const texts = [stringType, stringType];

/** For values of other types the error does not name the function. */
const onTexts =
  (test: (text: string, other: string) => boolean): Implementation =>
  (text, other) => {
    if (typeof text !== "string" || typeof other !== "string") throw noSuchOverload();
    return test(text, other);
  };

const declare = (
  name: string,
  id: string,
  price: Price,
  test: (text: string, other: string) => boolean,
): FunctionDeclaration => ({
  name,
  overloads: [priced(price, member(id, texts, boolType, onTexts(test)))],
  dynamic: onTexts(test),
});

const matches = onTexts((text, pattern) => compilePattern(pattern).test(text));

/** Tests on strings. */
export const stringTests: readonly FunctionDeclaration[] = [
  declare("contains", "contains_string", containsPrice, (text, part) => text.includes(part)),
  declare("startsWith", "starts_with_string", affixPrice, (text, start) => text.startsWith(start)),
  declare("endsWith", "ends_with_string", affixPrice, (text, end) => text.endsWith(end)),
  {
    name: "matches",
    overloads: [
      overload("matches", texts, boolType, matches),
      priced(matchesPrice, member("matches_string", texts, boolType, matches)),
    ].map((each) =>
      // A constant pattern is compiled once.
      specialized(each, ([, source]) => {
        if (typeof source !== "string") return undefined;
        const pattern = compilePattern(source);
        return onTexts((text) => pattern.test(text));
      }),
    ),
    dynamic: matches,
  },
];
