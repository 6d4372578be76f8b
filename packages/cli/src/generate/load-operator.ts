// Imports the module that describes an operator, and checks its exports. The module runs nothing:
// it is also what `main.ts` imports.
import { existsSync, readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type Controller,
  type DescribedOptions,
  managerOptionFaults,
  type ResourceDefinition,
} from "homeostat";
import { CommandError, usageError } from "../command-error.ts";
import { describeImportError } from "./describe-import-error.ts";

/** What an operator's module exports. */
export interface OperatorModule {
  /** Its name: field managers are `<operator>/<controller>`. */
  readonly operator: string;
  readonly resources: readonly { readonly definition: ResourceDefinition }[];
  readonly controllers: readonly Controller[];
  /** Of createManager; those that decide what the operator needs on a cluster. */
  readonly options: Omit<DescribedOptions, "controllers"> & {
    readonly shutdownTimeoutMs?: number;
  };
}

/** The module that is read by default. */
export const defaultModule = "src/operator.ts";

const nameRule = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Options of createManager whose needs are not generated yet, and what these are. */
const ungenerated: Readonly<Record<string, string>> = {
  clusters: "rights on other clusters",
};

/** What a user has to add by hand, a line each. */
export function missingParts({ options }: OperatorModule): readonly string[] {
  return Object.entries(ungenerated).flatMap(([name, needs]) =>
    (options as Readonly<Record<string, unknown>>)[name] === undefined
      ? []
      : [`options.${name}: not generated yet: ${needs}; add them by hand`],
  );
}

/**
 * @throws CommandError when the module is missing, cannot be imported, or exports something else
 */
export async function loadOperator(path: string): Promise<OperatorModule> {
  const file = resolve(path);
  if (!existsSync(file))
    throw usageError(
      `generate ${path}: there is no such file; name the module that exports operator, resources and controllers`,
    );
  // A program, such as `main.ts`, would run, on the cluster of the kubeconfig, and never end.
  if (!/\bexport\b/.test(readFileSync(file, "utf8")))
    throw usageError(
      `generate ${path}: it exports nothing, so it is a program and is not imported; name the module that exports operator, resources and controllers`,
    );
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new CommandError(`generate ${path}: import it: ${describeImportError(error)}`, 1);
  }
  const problems = problemsOf(exported);
  if (problems.length > 0)
    throw new CommandError(
      `generate ${relative(process.cwd(), file)}: ${problems.join("; ")}. Export what createManager and installDefinitions are given: operator, resources, controllers and, if there are more, options`,
      1,
    );
  const { operator, resources, controllers, options = {} } = exported;
  return { operator, resources, controllers, options } as OperatorModule;
}

function problemsOf(exported: Readonly<Record<string, unknown>>): readonly string[] {
  const { operator, resources, controllers } = exported;
  return [
    ...(typeof operator === "string" && nameRule.test(operator) && operator.length <= 50
      ? []
      : [
          `operator is ${describe(operator)}, expected a name of at most 50 lower-case letters, digits and "-"`,
        ]),
    ...(isListOf(resources, "definition")
      ? []
      : [`resources is ${describe(resources)}, expected a list of what defineResource returns`]),
    ...(isListOf(controllers, "reconcile")
      ? []
      : [
          `controllers is ${describe(controllers)}, expected a list of what defineController returns`,
        ]),
    ...optionFaults(exported),
  ];
}

function optionFaults({
  operator,
  options = {},
}: Readonly<Record<string, unknown>>): readonly string[] {
  if (typeof options !== "object" || options === null)
    return [`options is ${describe(options)}, expected an object`];
  return managerOptionFaults({ operator, ...options }).map((fault) => `options.${fault}`);
}

function isListOf(value: unknown, member: string): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (one: unknown) =>
        ((typeof one === "object" && one !== null) || typeof one === "function") && member in one,
    )
  );
}

function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list of something else";
  return typeof value === "string" ? JSON.stringify(value) : `a ${typeof value}`;
}
