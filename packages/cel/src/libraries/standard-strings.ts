// contains, startsWith, endsWith and matches.
// Upstream: github.com/google/cel-go v0.26 common/stdlib/standard.go, common/types/string.go.
import {
  type FunctionDeclaration,
  type Implementation,
  member,
  type Overload,
  overload,
  specialized,
} from "../declarations.ts";
import { compilePattern } from "../pattern.ts";
import { boolType, stringType } from "../type.ts";
import { noSuchOverload } from "../values/cel-error.ts";

const texts = [stringType, stringType];

/** These complain about values of other types without naming the function. */
const onTexts =
  (test: (text: string, other: string) => boolean): Implementation =>
  (text, other) => {
    if (typeof text !== "string" || typeof other !== "string") throw noSuchOverload();
    return test(text, other);
  };

const declare = (
  name: string,
  id: string,
  test: (text: string, other: string) => boolean,
): FunctionDeclaration => ({
  name,
  overloads: [member(id, texts, boolType, onTexts(test))],
  dynamic: onTexts(test),
});

const matches = onTexts((text, pattern) => compilePattern(pattern).test(text));

/** A constant pattern is compiled once. */
function withPattern(base: Overload): Overload {
  return specialized(base, ([, source]) => {
    if (typeof source !== "string") return undefined;
    const pattern = compilePattern(source);
    return onTexts((text) => pattern.test(text));
  });
}

/** Tests on strings. */
export const stringTests: readonly FunctionDeclaration[] = [
  declare("contains", "contains_string", (text, part) => text.includes(part)),
  declare("startsWith", "starts_with_string", (text, start) => text.startsWith(start)),
  declare("endsWith", "ends_with_string", (text, end) => text.endsWith(end)),
  {
    name: "matches",
    overloads: [
      overload("matches", texts, boolType, matches),
      member("matches_string", texts, boolType, matches),
    ].map(withPattern),
    dynamic: matches,
  },
];
