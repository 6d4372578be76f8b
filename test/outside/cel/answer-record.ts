// A recorded answer of upstream's CEL tests, and whether the embedded implementation gives the
// same. The two recorders beside this file write the lines.
import { type Json, type JsonObject, parseJson } from "homeostat/api";
import { compileExpression, kubernetesEnvironment, storedMinor } from "@homeostat/cel";
import type {
  JsonSchemaProps,
  ValidationRule,
} from "../../../packages/apiserver/src/schema/json-schema-props.ts";
import {
  compileRule,
  ruleEnvironments,
} from "../../../packages/apiserver/src/schema/cel/compile-rule.ts";
import { compileRules } from "../../../packages/apiserver/src/schema/cel/compile-rules.ts";
import { priceOf } from "../../../packages/apiserver/src/schema/cel/rule-costs.ts";
import { schemaDeclType } from "../../../packages/apiserver/src/schema/cel/decl-type.ts";
import { formatValue } from "./format-value.ts";

/** An expression without variables, in an environment of the test's own making. */
interface ExpressionRecord {
  readonly type: "expression";
  readonly text: string;
  readonly issues?: string;
  readonly value?: string;
  readonly error?: string;
  readonly cost?: number;
}

/** A rule on a schema's node, and its price. */
interface RuleRecord {
  readonly type: "rule";
  readonly schema: JsonSchemaProps;
  readonly rule: ValidationRule;
  readonly root: boolean;
  readonly error?: string;
  readonly messageError?: string;
  readonly cost: string;
  readonly messageCost: string;
  readonly usesOldSelf: boolean;
}

/** What the rules of a schema say of an object; numbers of 64 bits are texts. */
interface ObjectRecord {
  readonly type: "object";
  readonly schema: JsonSchemaProps;
  readonly root: boolean;
  readonly object: Json;
  readonly old?: Json;
  readonly path: string;
  readonly ratchet: boolean;
  readonly budget: string;
  readonly remaining: string;
  readonly errors: readonly string[] | null;
}

type CelRecord = ExpressionRecord | RuleRecord | ObjectRecord;

/**
 * `beyond`: the expression is about a library or a variable that Kubernetes' environment does not
 * have.
 */
export interface Verdict {
  readonly word: "same" | "different" | "beyond";
  readonly why: string;
}

export function parseRecord(line: string): CelRecord {
  return withWireNames(parseJson(line).value) as unknown as CelRecord;
}

/** Rules come in Go's internal type, whose fields have no names for JSON. */
function withWireNames(value: Json): Json {
  if (Array.isArray(value)) return value.map(withWireNames);
  if (typeof value !== "object" || value === null) return value;
  if (!("MessageExpression" in value))
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, withWireNames(each)]),
    );
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      each === null || each === "" ? [] : [[name[0]!.toLowerCase() + name.slice(1), each]],
    ),
  );
}

/** Asks the implementation here what upstream was asked. */
export function answerRecord(record: CelRecord): Verdict {
  if (record.type === "expression") return answerExpression(record);
  return record.type === "rule" ? answerRule(record) : answerObject(record);
}

function answerExpression({ text, issues, error, value }: ExpressionRecord): Verdict {
  const theirs = issues ?? (error === undefined ? value! : `error: ${error}`);
  const compiled = compileExpression(text, kubernetesEnvironment(storedMinor));
  if ("issues" in compiled)
    return compare(
      text,
      otherEnvironment.test(`${compiled.issues}${theirs}`) || otherVersion.test(text),
      compiled.issues,
      theirs,
    );
  if ("failure" in compiled) return compare(text, false, `error: ${compiled.failure}`, theirs);
  const result = compiled.program.evaluate({});
  const ours = "error" in result ? `error: ${result.error.message}` : formatValue(result.value);
  return compare(
    text,
    otherVersion.test(text) || otherEnvironment.test(`${issues ?? ""}${ours}`),
    ours,
    theirs,
  );
}

/**
 * What only one of the environments knows; lists and maps of mixed types, which a server refuses;
 * what fails when costs are counted.
 */
const otherEnvironment =
  /undeclared reference to '|expected type '.*' but found '|interface conversion: /;
/** Kubernetes has the second version of the string library: another `format`, no `reverse`. */
const otherVersion = /\.format\(|\.reverse\(\)/;

function answerRule({ schema, rule, root, ...theirs }: RuleRecord): Verdict {
  const declared = schemaDeclType(schema, root ? "resource" : "value");
  if (!declared) return { word: "different", why: `${rule.rule}: the schema has no type here` };
  const compiled = compileRule(
    rule,
    ruleEnvironments(kubernetesEnvironment(storedMinor), declared),
  );
  const price = (program: typeof compiled.program): string =>
    program ? String(priceOf(program, declared)) : "0";
  const ours = {
    cost: price(compiled.program),
    messageCost: price(compiled.message),
    usesOldSelf: compiled.usesOldSelf,
    error: compiled.error,
    messageError: compiled.messageError,
  };
  const show = (each: typeof ours): string =>
    JSON.stringify([
      each.error,
      each.messageError,
      sameCost(each.cost),
      sameCost(each.messageCost),
      each.error === undefined && each.usesOldSelf,
    ]);
  return compare(
    `rule ${rule.rule}`,
    madeUp.test(rule.rule),
    show(ours),
    show({ error: undefined, messageError: undefined, ...theirs }),
  );
}

/** A function that a test adds to an environment of its own. */
const madeUp = /\bfakeFunction\b/;

/** Costs beyond what a double holds exactly are as good as endless. */
const sameCost = (cost: string): string => String(Number(cost));

function answerObject(record: ObjectRecord): Verdict {
  const { schema, object, old, path } = record;
  const rules = compileRules(schema, record.root ? "resource" : "value");
  // A server has no rules to run when all stand below an allOf; upstream's tests run them all the
  // same.
  if (!rules) return { word: "beyond", why: "" };
  const { errors, remainingBudget } = rules.evaluate({
    object,
    old,
    path,
    budget: Number(record.budget),
    ...(record.ratchet ? { ratchets: true } : {}),
  });
  // The cost of a failing rule does not matter: the request is refused.
  const failed = (record.errors ?? []).length > 0;
  const ours = JSON.stringify([
    errors.map((error) => `${error.field}: ${error.body}`),
    failed ? "" : remainingBudget,
  ]);
  return compare(
    `${JSON.stringify(rulesIn(schema)).slice(0, 300)} on ${textOf(object)}`,
    false,
    ours,
    JSON.stringify([record.errors ?? [], failed ? "" : Number(record.remaining)]),
  );
}

const textOf = (value: Json): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === "bigint" ? String(each) : each,
  ).slice(0, 200);

/** Texts of all rules, wherever they stand. */
function rulesIn(schema: JsonSchemaProps): readonly string[] {
  const found: string[] = [];
  JSON.stringify(schema, (name, value: unknown) => {
    if (name === "x-kubernetes-validations")
      found.push(...(value as readonly JsonObject[]).map(({ rule }) => String(rule)));
    return value;
  });
  return found;
}

function compare(what: string, beyond: boolean, ours: string, theirs: string): Verdict {
  const [here, there] = [ours, theirs].map((text) => text.replaceAll(/selfType\d+/g, "selfType"));
  if (here === there) return { word: "same", why: "" };
  return {
    word: beyond ? "beyond" : "different",
    why: `${what}\n      here:  ${here}\n      there: ${there}`,
  };
}
