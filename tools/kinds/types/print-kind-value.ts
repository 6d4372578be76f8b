// Prints the value of a kind: its names for the runtime, its types for the compiler. Pure.
import type { KindData } from "../../../packages/apiserver/src/apimachinery/kind-data/kind-data.ts";
import { type ModelType, modelOf, takesConditions, type TypeModule } from "./type-modules.ts";

/** Kinds whose creation is answered with another object. */
const answeredWithStatus: ReadonlySet<string> = new Set(["io.k8s.api.core.v1.Binding"]);

export const manifestName = (name: string): string => `${name}Manifest`;

export interface KindValue {
  readonly text: string;
  /** Types of modules that the text refers to, with the module's path. */
  readonly types: readonly (readonly [path: string, name: string])[];
  /** What the text refers to of built-in-kind.ts. */
  readonly values: readonly string[];
}

/** The value that has the name of the kind's interface; its documentation is the interface's. */
export function printKindValue(data: KindData, module: TypeModule, type: ModelType): KindValue {
  const { facts, role } = type;
  if (role.is !== "kind") throw new Error(`print the kind ${facts.model}: it is not served`);
  const name = facts.goStruct;
  const { resource, namespaced, verbs } = role.facts;
  const isStored = verbs.includes("get");
  const values = isStored ? ["BuiltInKind", "builtInKind"] : ["ReviewKind", "reviewKind"];
  const isStatus = answeredWithStatus.has(facts.model);
  const parameters = [
    isStatus ? "Status" : name,
    manifestName(name),
    ...(isStored ? statusParameters(data, type) : []),
  ];
  const names = [module.apiVersion, name, resource, namespaced ? "Namespaced" : "Cluster"];
  const call = `${values[1]}(${names.map((each) => JSON.stringify(each)).join(", ")})`;
  return {
    text: `export const ${name}: ${values[0]}<${parameters.join(", ")}> = /*#__PURE__*/ ${call};`,
    types: isStatus ? [["meta/v1", "Status"]] : [],
    values,
  };
}

/** The types of status and conditions, where a status can be written. */
function statusParameters(data: KindData, { facts, role }: ModelType): readonly string[] {
  const status = facts.field("status");
  const isWritable =
    role.is === "kind" && role.facts.subresources.some(({ name }) => name === "status");
  const model = status && isWritable ? modelOf(status.ref) : undefined;
  if (model === undefined) return [];
  const name = model.slice(model.lastIndexOf(".") + 1);
  return takesConditions(data, facts) ? [name, "string"] : [name];
}
