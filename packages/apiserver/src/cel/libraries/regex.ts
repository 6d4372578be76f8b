// find and findAll.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/regex.go.
import { type Implementation, member } from "../declarations.ts";
import type { Library } from "../environment.ts";
import { compilePattern, type Pattern } from "../pattern.ts";
import { intType, listType, stringType } from "../type.ts";
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

const find: Implementation = (text, pattern) => patternOf(pattern!).find(text as string) ?? "";
const findAll: Implementation = (text, pattern, limit = -1) => new ValueList([...patternOf(pattern!).findAll(text as string, Number(limit))]);

/** Searches by pattern. */
export const regexLibrary: Library = {
  name: "kubernetes regex",
  functions: [
    { name: "find", overloads: [member("string_find_string", [stringType, stringType], stringType, find)] },
    { name: "findAll", overloads: [member("string_find_all_string", [stringType, stringType], listType(stringType), findAll), member("string_find_all_string_int", [stringType, stringType, intType], listType(stringType), findAll)] },
  ],
};
