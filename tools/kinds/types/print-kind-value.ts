// Prints the value of a kind: its names for the runtime, its types for the compiler. Pure.
import type { KindData } from "../../../packages/apiserver/src/apimachinery/kind-data/kind-data.ts";
import { type ModelType, modelOf, takesConditions, type TypeModule } from "./type-modules.ts";

/** Kinds whose creation is answered with another object. */
const answeredWithStatus: ReadonlySet<string> = new Set(["io.k8s.api.core.v1.Binding"]);

export const manifestName = (name: string): string => `${name}Manifest`;

/** Other names for models that another object holds. */
export const embeddedName = (name: string): string => `Embedded${name}`;

/** Whether a server keeps objects of the kind: their metadata is complete when they are read. */
export const isStored = (role: ModelType["role"]): boolean =>
  role.is === "kind" && role.facts.verbs.includes("get");

/** Whether creating the kind returns a Status. */
export const isAnsweredWithStatus = ({ facts }: ModelType): boolean =>
  answeredWithStatus.has(facts.model);

/** The types of status and conditions, where a status can be written. */
export function statusParameters(data: KindData, { facts, role }: ModelType): readonly string[] {
  const status = facts.field("status");
  const isWritable =
    role.is === "kind" && role.facts.subresources.some(({ name }) => name === "status");
  const model = status && isWritable ? modelOf(status.ref) : undefined;
  if (model === undefined) return [];
  const name = data.type(model).goStruct;
  return takesConditions(data, facts) ? [name, "string"] : [name];
}

/** The value of a kind, and its interface under the same name. */
export function printKindValue(module: TypeModule, { facts, role }: ModelType): string {
  if (role.is !== "kind") throw new Error(`print the kind ${facts.model}: it is not served`);
  const name = facts.goStruct;
  const { resource, namespaced } = role.facts;
  const scope = namespaced ? "namespaced" : "cluster";
  const create = isStored(role) ? scope : `${scope}Review`;
  return [
    `export const ${name}: Kinds["${name}"] =`,
    `  /*#__PURE__*/ ${module.version}.${create}("${name}", "${resource}");`,
    `export type ${name} = models.${name};`,
  ].join("\n");
}
