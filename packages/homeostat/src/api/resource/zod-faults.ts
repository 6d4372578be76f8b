// Finds what zod would silently drop in JSON Schema, by inspecting the schema: JavaScript checks,
// coercions, transforms, regular expression flags, key patterns, fallbacks. Uses zod's documented
// `_zod.def` and imports nothing of zod.
import type { SchemaFault } from "./schema-fault.ts";
import type { Schema } from "./schema.ts";

interface ZodLike {
  readonly _zod: { readonly def: ZodDef };
}
interface ZodDef {
  readonly type: string;
  readonly coerce?: boolean;
  readonly checks?: readonly {
    readonly _zod: {
      readonly def: { readonly check: string; readonly pattern?: RegExp; readonly format?: string };
    };
  }[];
  readonly pattern?: RegExp;
  readonly shape?: Readonly<Record<string, ZodLike>>;
  readonly element?: ZodLike;
  readonly innerType?: ZodLike;
  readonly keyType?: ZodLike;
  readonly valueType?: ZodLike;
  readonly options?: readonly ZodLike[];
  readonly left?: ZodLike;
  readonly right?: ZodLike;
  readonly catchall?: ZodLike;
  readonly getter?: () => ZodLike;
  readonly items?: readonly ZodLike[];
}

const remedies: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  pipe: [
    "transform, preprocess, codec and pipe run in JavaScript only",
    "write the rule with k.rule(…), and convert in reconcile",
  ],
  transform: ["transform runs in JavaScript only", "convert in reconcile"],
  catch: [
    ".catch() replaces bad values in JavaScript only; the server would refuse them",
    "use .default(…)",
  ],
  custom: ["z.custom() runs in JavaScript only", "describe the structure, and use k.rule(…)"],
  tuple: ["a tuple has no structural form", "use an object with named fields"],
  never: ["z.never() can hold no value", "remove the field"],
  map: ["a Map cannot be stored", "use z.record()"],
  set: ["a Set cannot be stored", "use k.set(…)"],
  promise: ["a promise cannot be stored", "remove it"],
  function: ["a function cannot be stored", "remove it"],
  success: ["z.success() runs in JavaScript only", "remove it"],
  file: ["a file cannot be stored", "remove it"],
};
const checkFaults: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  custom: [".refine() and .check() run in JavaScript only", "write the rule in CEL with k.rule(…)"],
  overwrite: [
    ".trim(), .toLowerCase() and other overwrites change the value in JavaScript only",
    "use .regex(…) to demand the form instead",
  ],
};

/** The faults of a zod schema; none for schemas of other libraries. */
export function zodFaults(schema: Schema, path: string): SchemaFault[] {
  if (schema["~standard"].vendor !== "zod") return [];
  const faults: SchemaFault[] = [];
  walk(schema as unknown as ZodLike, path, faults, new Set());
  return faults;
}

function walk(node: ZodLike, path: string, faults: SchemaFault[], seen: Set<ZodLike>): void {
  if (seen.has(node)) return;
  seen.add(node);
  const def = node._zod.def;
  const remedy = remedies[def.type];
  if (remedy) return void faults.push({ path, problem: remedy[0], remedy: remedy[1] });
  if (def.coerce)
    faults.push({
      path,
      problem: "z.coerce changes the value in JavaScript only",
      remedy: "use the plain type; the server checks it",
    });
  checkChecks(def, path, faults);
  if (def.type === "record") checkKeys(def, path, faults);
  for (const [child, childPath] of children(def, path)) walk(child, childPath, faults, seen);
}

function checkChecks(def: ZodDef, path: string, faults: SchemaFault[]): void {
  if (def.pattern?.flags) flagFault(def.pattern, path, faults);
  for (const check of def.checks ?? []) {
    const { check: name, pattern } = check._zod.def;
    const fault = checkFaults[name];
    if (fault) faults.push({ path, problem: fault[0], remedy: fault[1] });
    if (pattern?.flags) flagFault(pattern, path, faults);
  }
}

function flagFault(pattern: RegExp, path: string, faults: SchemaFault[]): void {
  const flags = pattern.flags.replaceAll("u", "").replaceAll("v", "");
  if (flags)
    faults.push({
      path,
      problem: `the flags "${flags}" of ${String(pattern)} do not survive in JSON Schema`,
      remedy: "spell them out, e.g. [aA] for /a/i",
    });
}

function checkKeys(def: ZodDef, path: string, faults: SchemaFault[]): void {
  const key = def.keyType?._zod.def;
  if (key && (key.type !== "string" || key.pattern || (key.checks?.length ?? 0) > 0))
    faults.push({
      path,
      problem: "the pattern of a record's keys has no structural form",
      remedy: "use z.record(z.string(), …) and k.rule(\"self.all(key, key.matches('…'))\", …)",
    });
}

function* children(def: ZodDef, path: string): Iterable<readonly [ZodLike, string]> {
  for (const [name, child] of Object.entries(def.shape ?? {})) yield [child, `${path}.${name}`];
  if (def.element) yield [def.element, `${path}[]`];
  if (def.innerType) yield [def.innerType, path];
  if (def.valueType) yield [def.valueType, `${path}.*`];
  for (const option of def.options ?? []) yield [option, path];
  if (def.left) yield [def.left, path];
  if (def.right) yield [def.right, path];
  if (def.catchall) yield [def.catchall, `${path}.*`];
  if (def.getter) yield [def.getter(), path];
}
