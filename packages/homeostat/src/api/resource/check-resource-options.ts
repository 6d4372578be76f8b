// Checks the options of defineResource: what the types forbid, for JavaScript.
import { describeValue } from "../../util/describe-error.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { describeMissing, isOptions, unknownOptions } from "../../util/option-faults.ts";

type Unchecked = Readonly<Record<string, unknown>>;

const kindPattern = /^[A-Z][A-Za-z0-9]*$/;
const versionPattern = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const groupPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

/** @throws ERR_RESOURCE_SHAPE, ERR_RESOURCE_NAME, ERR_RESOURCE_COLUMN */
export function checkResourceOptions(options: unknown, known: readonly string[]): void {
  checkNamesOfOptions(options, known);
  checkNames(options as Unchecked);
  checkShape(options as Unchecked);
}

function checkNamesOfOptions(options: unknown, known: readonly string[]): void {
  const problems = isOptions(options)
    ? [...unknownOptions(options, known), ...listFaults(options)]
    : [`its options are ${describeMissing(options)}, expected { group, version, kind, spec }`];
  if (problems.length === 0) return;
  const { kind } = (isOptions(options) ? options : {}) as { kind?: unknown };
  const title = typeof kind === "string" ? kind : "a resource";
  throw new HomeostatError("ERR_RESOURCE_SHAPE", `defining ${title}: ${problems.join("; ")}`, {
    hint: "correct the options of defineResource",
  });
}

const listed = ["shortNames", "categories", "selectableFields", "rules"] as const;

/** What the server would refuse, or print, as it is. */
function listFaults(options: Readonly<Record<string, unknown>>): string[] {
  const { scope, plural, name, scale } = options;
  const isText = (value: unknown): boolean => typeof value === "string";
  return [
    ...(scope === undefined || scope === "Namespaced" || scope === "Cluster"
      ? []
      : [`scope is ${describeValue(scope)}, expected "Namespaced" or "Cluster"`]),
    ...(plural === undefined || isText(plural)
      ? []
      : [`plural is ${describeValue(plural)}, expected a string`]),
    ...Object.entries({ name, scale }).flatMap(([key, value]) =>
      value === undefined || isOptions(value)
        ? []
        : [`${key} is ${describeMissing(value)}, expected an object`],
    ),
    ...listed.flatMap((key) => {
      const list = options[key];
      if (list === undefined) return [];
      const test = key === "rules" ? isOptions : isText;
      if (Array.isArray(list) && list.every((one) => test(one))) return [];
      return [
        `${key} is ${describeMissing(list)}, expected a list of ${key === "rules" ? "rules" : "strings"}`,
      ];
    }),
  ];
}

function checkNames({ group, version, kind }: Unchecked): void {
  const title = typeof kind === "string" && kind !== "" ? kind : "a resource";
  const bad = (what: string, value: unknown, expected: string) =>
    new HomeostatError(
      "ERR_RESOURCE_NAME",
      `defining ${title}: ${what} must be ${expected}, got ${typeof value === "string" ? `"${value}"` : describeMissing(value)}`,
      { hint: `change the ${what}` },
    );
  const isName = (pattern: RegExp, value: unknown): boolean =>
    typeof value === "string" && pattern.test(value);
  if (!isName(kindPattern, kind))
    throw bad("kind", kind, "a CamelCase name that starts with a capital letter");
  if (!isName(versionPattern, version))
    throw bad("version", version, "a DNS label such as v1 or v1alpha1");
  if (!isName(groupPattern, group))
    throw bad("group", group, "a DNS name with at least one dot, such as kitchen.example.com");
}

const conditionPattern = /^[A-Z][A-Za-z0-9]*$/;

const isSchema = (schema: unknown): boolean =>
  typeof schema === "object" && schema !== null && "~standard" in schema;

/** Checks what the types forbid, for JavaScript. */
function checkShape({ kind, spec, status, conditions = [], columns = {} }: Unchecked): void {
  const bad = (what: string, expected: string, got: string) =>
    new HomeostatError(
      "ERR_RESOURCE_SHAPE",
      `defining ${kind as string}: ${what} must be ${expected}, got ${got}`,
      { hint: `change ${what}` },
    );
  const aSchema = "a schema such as z.object({ … })";
  if (!isSchema(spec)) throw bad("spec", aSchema, spec === undefined ? "nothing" : typeof spec);
  if (status !== undefined && !isSchema(status))
    throw bad("status", aSchema, status === null ? "null" : typeof status);
  if (!Array.isArray(conditions))
    throw bad("conditions", 'a list such as ["Ready"]', describeMissing(conditions));
  for (const condition of conditions as readonly unknown[])
    if (typeof condition !== "string" || !conditionPattern.test(condition))
      throw bad(
        `condition ${describeValue(condition)}`,
        "a CamelCase name such as Ready",
        describeValue(condition),
      );
  if (!isOptions(columns)) throw bad("columns", "paths by title", describeMissing(columns));
  for (const [title, path] of Object.entries(columns)) {
    if (typeof path !== "string") throw bad(`column "${title}"`, "a path", describeMissing(path));
    const type = path.startsWith("condition:") ? path.slice("condition:".length) : undefined;
    if (type !== undefined && !conditions.includes(type))
      throw new HomeostatError(
        "ERR_RESOURCE_COLUMN",
        `defining ${kind as string}: column "${title}" shows condition "${type}", which is not declared`,
        { hint: "list it in `conditions`" },
      );
  }
}
