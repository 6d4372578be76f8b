// Compiles the expressions of admission policies and of webhooks' match conditions: declares their
// variables and checks the type of their results. Loaded with the first expression
// (policy-expressions.ts).
// Upstream: k8s.io/apiserver v0.36 pkg/admission/plugin/cel/{compile,composition}.go,
// pkg/cel/mutation, and the ReturnTypes of pkg/admission/plugin/{policy,webhook/matchconditions}.
import {
  authorizerType,
  boolType,
  compatibilityMinor,
  compileExpression,
  dynType,
  type Environment,
  intType,
  jsonPatchLibrary,
  kubernetesEnvironment,
  listType,
  mapType,
  nullType,
  type Program,
  resourceCheckType,
  runtimeName,
  sameType,
  storedMinor,
  stringType,
  type StructDeclaration,
  structType,
  timestampType,
  type Type,
  withVariables,
} from "@homeostat/cel";
import { createJsonPatchValue, jsonPatchType, ObjectValue } from "./mutation-values.ts";

/** The purpose of an expression, which decides its result type. */
export type Purpose =
  | "condition"
  | "message"
  | "annotation"
  | "variable"
  | "JSON patch"
  | "apply configuration";

/** What an expression may refer to. */
export interface ExpressionScope {
  readonly params: "given" | "none";
  /** Stored expressions may use functions of newer servers. */
  readonly age: "new" | "stored";
  /** Types of the variables declared so far; undefined where variables are not allowed. */
  readonly variables: ReadonlyMap<string, Type> | undefined;
}

/** The program, or the error; `internal` errors are not the author's. */
export type CompiledPolicyExpression =
  | { readonly type: Type; readonly program: Program }
  | { readonly fault: string; readonly internal?: true };

const patchType = jsonPatchType;
const objectType = structType("Object");
const variablesType = structType("kubernetes.variables");
const results: Readonly<Record<Purpose, readonly Type[]>> = {
  condition: [boolType],
  message: [stringType],
  annotation: [stringType, nullType],
  variable: [],
  "JSON patch": [listType(patchType)],
  "apply configuration": [objectType],
};

/** Compiles one expression. */
export function compilePolicyExpression(
  expression: string,
  purpose: Purpose,
  scope: ExpressionScope,
): CompiledPolicyExpression {
  const compiled = compileExpression(expression, environmentOf(purpose, scope));
  if ("issues" in compiled) return { fault: `compilation failed: ${compiled.issues}` };
  const type = "program" in compiled ? compiled.program.type : compiled.type;
  const wanted = results[purpose];
  if (wanted.length && !wanted.some((each) => sameType(each, type))) {
    const names = wanted.map(runtimeName);
    return {
      fault: `must evaluate to ${names.length === 1 ? names[0] : `one of [${names.join(" ")}]`} but got ${runtimeName(type)}`,
    };
  }
  return "failure" in compiled
    ? { fault: `program instantiation failed: ${compiled.failure}`, internal: true }
    : { type, program: compiled.program };
}

/** The type of a variable in later expressions: dyn unless it is a scalar, a list or a map. */
export function variableType(type: Type | undefined): Type {
  if (!type || ["struct", "opaque", "type", "param", "error"].includes(type.kind)) return dynType;
  if (type.kind === "list") return listType(variableType(type.params[0]));
  return type.kind === "map"
    ? mapType(variableType(type.params[0]), variableType(type.params[1]))
    : type;
}

function environmentOf(purpose: Purpose, { params, age, variables }: ExpressionScope): Environment {
  const base = kubernetesEnvironment(age === "stored" ? storedMinor : compatibilityMinor);
  const isMutation = purpose === "JSON patch" || purpose === "apply configuration";
  const names = new Map<string, Type>([
    ["object", dynType],
    ["oldObject", dynType],
    ["namespaceObject", structType("kubernetes.Namespace")],
    ["request", structType("kubernetes.AdmissionRequest")],
    ...(params === "given" ? ([["params", dynType]] as const) : []),
    ...(purpose === "message" ? [] : authorizerVariables),
    ...(variables ? ([["variables", variablesType]] as const) : []),
  ]);
  const struct: Environment["struct"] = (name) => {
    if (name === variablesType.name && variables) return declare(name, variables);
    return (isMutation ? patchStruct(name) : undefined) ?? admissionStruct(name);
  };
  const functions = isMutation
    ? new Map([
        ...base.functions,
        ...jsonPatchLibrary.functions!.map((each) => [each.name, each] as const),
      ])
    : base.functions;
  return withVariables({ ...base, functions }, names, struct);
}

/** The types of `request` and `namespaceObject`. */
export const admissionStruct = (name: string): StructDeclaration | undefined =>
  structs[name] && declare(name, structs[name]);

const authorizerVariables = [
  ["authorizer", authorizerType],
  ["authorizer.requestResource", resourceCheckType],
] as const;

const declare = (name: string, fields: ReadonlyMap<string, Type>): StructDeclaration => ({
  name,
  field: (field) => fields.get(field),
});

/** Objects that a mutation constructs. They have no schema, so that every field is dyn. */
function patchStruct(name: string): StructDeclaration | undefined {
  // Upstream declares every field; one of an unknown name has no type.
  if (name === patchType.name)
    return {
      name,
      field: (field) => patchFields.get(field) ?? structType(""),
      create: createJsonPatchValue,
    };
  return name === objectType.name || name.startsWith(`${objectType.name}.`)
    ? { name, field: () => dynType, create: (fields) => new ObjectValue(structType(name), fields) }
    : undefined;
}

const fieldsOf = (fields: Readonly<Record<string, Type>>): ReadonlyMap<string, Type> =>
  new Map(Object.entries(fields));
const texts = listType(stringType);
const patchFields = fieldsOf({
  op: stringType,
  path: stringType,
  from: stringType,
  value: dynType,
});
const kindType = structType("kubernetes.GroupVersionKind");
const resourceType = structType("kubernetes.GroupVersionResource");

const structs: Readonly<Record<string, ReadonlyMap<string, Type>>> = {
  "kubernetes.GroupVersionKind": fieldsOf({
    group: stringType,
    version: stringType,
    kind: stringType,
  }),
  "kubernetes.GroupVersionResource": fieldsOf({
    group: stringType,
    version: stringType,
    resource: stringType,
  }),
  "kubernetes.UserInfo": fieldsOf({
    username: stringType,
    uid: stringType,
    groups: texts,
    extra: mapType(stringType, texts),
  }),
  "kubernetes.AdmissionRequest": fieldsOf({
    kind: kindType,
    resource: resourceType,
    subResource: stringType,
    requestKind: kindType,
    requestResource: resourceType,
    requestSubResource: stringType,
    name: stringType,
    namespace: stringType,
    operation: stringType,
    userInfo: structType("kubernetes.UserInfo"),
    dryRun: boolType,
    options: dynType,
  }),
  "kubernetes.Namespace": fieldsOf({
    metadata: structType("kubernetes.NamespaceMetadata"),
    spec: structType("kubernetes.NamespaceSpec"),
    status: structType("kubernetes.NamespaceStatus"),
  }),
  "kubernetes.NamespaceSpec": fieldsOf({ finalizers: texts }),
  "kubernetes.NamespaceStatus": fieldsOf({
    conditions: listType(structType("kubernetes.NamespaceCondition")),
    phase: stringType,
  }),
  "kubernetes.NamespaceCondition": fieldsOf({
    status: stringType,
    type: stringType,
    lastTransitionTime: timestampType,
    message: stringType,
    reason: stringType,
  }),
  "kubernetes.NamespaceMetadata": fieldsOf({
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: mapType(stringType, stringType),
    annotations: mapType(stringType, stringType),
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: texts,
  }),
};
