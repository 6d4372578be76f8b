// The Go structs of audit policies, for the decoder that reads built-in kinds.
// Upstream: k8s.io/apiserver/pkg/apis/audit/v1/types.go.
import type { GoField, GoStruct, KindData, TypeRef } from "../apimachinery/kind-data/kind-data.ts";

/** Model names. */
export const policyModel = "audit.v1.Policy";
const ruleModel = "audit.v1.PolicyRule";
const resourcesModel = "audit.v1.GroupResources";
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

const text: TypeRef = { at: "string" };
const bool: TypeRef = { at: "bool" };
const listOf = (items: TypeRef): TypeRef => ({ at: "list", items });
const struct = (type: string): TypeRef => ({ at: "struct", type });

/** A field named as its Go field is, with another first letter. */
function field(name: string, goType: string, ref: TypeRef): GoField {
  return {
    name,
    goName: `${name[0]!.toUpperCase()}${name.slice(1)}`,
    goType,
    number: 0,
    ref,
    omitEmpty: true,
    omitZero: true,
    pointer: goType.startsWith("*"),
    required: false,
    inline: false,
    undocumented: false,
  };
}

const texts = (name: string): GoField => field(name, "[]string", listOf(text));
const stages = field("omitStages", "[]v1.Stage", listOf(text));

const structs: ReadonlyMap<string, GoStruct> = new Map([
  structOf(policyModel, [
    field("kind", "string", text),
    field("apiVersion", "string", text),
    field("metadata", "v1.ObjectMeta", struct(objectMeta)),
    field("rules", "[]v1.PolicyRule", listOf(struct(ruleModel))),
    stages,
    field("omitManagedFields", "bool", bool),
  ]),
  structOf(ruleModel, [
    field("level", "v1.Level", text),
    ...["users", "userGroups", "verbs"].map(texts),
    field("resources", "[]v1.GroupResources", listOf(struct(resourcesModel))),
    ...["namespaces", "nonResourceURLs"].map(texts),
    stages,
    field("omitManagedFields", "*bool", bool),
  ]),
  structOf(resourcesModel, [
    field("group", "string", text),
    ...["resources", "resourceNames"].map(texts),
  ]),
]);

function structOf(model: string, fields: readonly GoField[]): readonly [string, GoStruct] {
  const goStruct = model.slice(model.lastIndexOf(".") + 1);
  return [
    model,
    {
      model,
      goName: `v1.${goStruct}`,
      goStruct,
      fields,
      members: fields,
      field: (name) => fields.find((each) => each.name === name),
      byNumber: () => undefined,
    },
  ];
}

/** The data of the built-in kinds and of audit policies. */
export const withPolicyTypes = (data: KindData): KindData => ({
  ...data,
  type: (model) => structs.get(model) ?? data.type(model),
});
