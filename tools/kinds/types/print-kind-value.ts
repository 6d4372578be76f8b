// Prints the value of a kind: its names for the runtime, its types for the compiler. Pure.
import type { KindData } from "../../../packages/apiserver/src/apimachinery/kind-data/kind-data.ts";
import { type ModelType, modelOf, takesConditions, type TypeModule } from "./type-modules.ts";

/** Kinds whose creation is answered with another object. */
const answeredWithStatus: ReadonlySet<string> = new Set(["io.k8s.api.core.v1.Binding"]);

export const manifestName = (name: string): string => `${name}Manifest`;

/** Names of an import namespace of the models, e.g. `models.Deployment`. */
const model = (name: string): string => `models.${name}`;

/** The value of a kind, and its interface under the same name. */
export function printKindValue(data: KindData, module: TypeModule, type: ModelType): string {
  const { facts, role } = type;
  if (role.is !== "kind") throw new Error(`print the kind ${facts.model}: it is not served`);
  const name = facts.goStruct;
  const { resource, namespaced, verbs } = role.facts;
  const isStored = verbs.includes("get");
  const [valueType, create] = isStored
    ? ["BuiltInKind", "builtInKind"]
    : ["ReviewKind", "reviewKind"];
  const parameters = [
    isAnsweredWithStatus(type) ? "Status" : model(name),
    model(manifestName(name)),
    ...(isStored ? statusParameters(data, type) : []),
  ];
  const names = [module.apiVersion, name, resource, namespaced ? "Namespaced" : "Cluster"];
  const call = `${create}(${names.map((each) => JSON.stringify(each)).join(", ")})`;
  return [
    `export type ${name} = ${model(name)};`,
    `export const ${name}: ${valueType}<${parameters.join(", ")}> = /*#__PURE__*/ ${call};`,
  ].join("\n");
}

/** Whether creating the kind returns a Status. */
export const isAnsweredWithStatus = ({ facts }: ModelType): boolean =>
  answeredWithStatus.has(facts.model);

/** The types of status and conditions, where a status can be written. */
function statusParameters(data: KindData, { facts, role }: ModelType): readonly string[] {
  const status = facts.field("status");
  const isWritable =
    role.is === "kind" && role.facts.subresources.some(({ name }) => name === "status");
  const statusModel = status && isWritable ? modelOf(status.ref) : undefined;
  if (statusModel === undefined) return [];
  const name = model(statusModel.slice(statusModel.lastIndexOf(".") + 1));
  return takesConditions(data, facts) ? [name, "string"] : [name];
}
