// Facts about the built-in kinds of one Kubernetes minor: their Go structs, wire forms, merge rules
// and names. Knows nothing of requests, defaults in Go code or validation.
// Data: tools/kinds, from k8s.io/api, k8s.io/apimachinery, k8s.io/apiextensions-apiserver,
// k8s.io/kube-aggregator (struct tags), k8s.io/kubernetes/pkg/generated/openapi (merge rules,
// enums, defaults) and a running server's discovery.
import type { GroupVersionKind, ResourceNames } from "homeostat/api";
import type { Layout } from "./decode-layout.ts";

export type Primitive = "string" | "bool" | "int32" | "int64" | "float64" | "bytes";

/** Types with a wire form of their own, in JSON or in protobuf. */
export type SpecialName =
  | "Time"
  | "MicroTime"
  | "Duration"
  | "Quantity"
  | "IntOrString"
  | "RawExtension"
  | "FieldsV1"
  | "JSON"
  | "JSONSchemaPropsOrArray"
  | "JSONSchemaPropsOrBool"
  | "JSONSchemaPropsOrStringArray";

export type TypeRef =
  | { readonly at: Primitive }
  | { readonly at: "special"; readonly name: SpecialName }
  /** A model name, to be resolved with `KindData.type`. */
  | { readonly at: "struct"; readonly type: string }
  /**
   * `wrapped`: in protobuf a message of its own that carries the items as field 1 (Go: a named
   * slice with a Marshal method).
   */
  | { readonly at: "list"; readonly items: TypeRef; readonly wrapped?: true }
  /** Keys are strings. In protobuf a repeated entry message: key 1, value 2. */
  | { readonly at: "map"; readonly values: TypeRef };

export type PatchStrategy = "merge" | "replace" | "retainKeys";

/** One field of a Go struct. */
export interface GoField {
  /** JSON name; "" for an embedded struct whose members appear in the parent's JSON (`inline`). */
  readonly name: string;
  readonly goName: string;
  /**
   * As Go's decoder prints it: `int32`, `*bool`, `map[string]string`, `[]v1.ServicePort`,
   * `v1.Time`.
   */
  readonly goType: string;
  /**
   * Protobuf field number in the message of the struct that declares the field; 0 when it has no
   * protobuf form (the embedded TypeMeta).
   */
  readonly number: number;
  readonly ref: TypeRef;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly pointer: boolean;
  /** Listed as required by the published OpenAPI. */
  readonly required: boolean;
  /**
   * Flattened in JSON, yet an embedded message in protobuf when `number` is not 0
   * (`Volume.volumeSource`).
   */
  readonly inline: boolean;
  /**
   * Upstream has no description for it; in published OpenAPI v3 a documented reference is wrapped
   * in `allOf`, an undocumented one is bare.
   */
  readonly undocumented: boolean;
  readonly listType?: "atomic" | "set" | "map";
  readonly listMapKeys?: readonly string[];
  readonly mapType?: "atomic" | "granular";
  readonly patchStrategy?: readonly PatchStrategy[];
  readonly patchMergeKey?: string;
  readonly enum?: readonly string[];
  /**
   * Default in the published OpenAPI. Most are Go's zero values and say nothing to the API server;
   * list keys' defaults matter.
   */
  readonly default?: unknown;
  /**
   * Every other keyword that the published schema of this field has (`format`, `pattern`,
   * `minItems`, `x-kubernetes-…`), type and reference apart.
   */
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** One Go struct. */
export interface GoStruct {
  /** OpenAPI model name: `io.k8s.api.core.v1.ConfigMap`. */
  readonly model: string;
  /** Package-qualified Go name as reflection prints it: `v1.ConfigMap`. */
  readonly goName: string;
  /** Go name alone, as in `Go struct field ConfigMap.data`. */
  readonly goStruct: string;
  /** Fields as declared, in Go's order; embedded structs appear as one `inline` field. */
  readonly fields: readonly GoField[];
  /**
   * JSON members in Go's order with embedded structs expanded in place: what encoding/json writes.
   */
  readonly members: readonly GoField[];
  readonly structType?: "atomic" | "granular";
  /**
   * Other keywords of the published schema (`x-kubernetes-unions`,
   * `x-kubernetes-preserve-unknown-fields`).
   */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** The JSON member of that exact name, embedded structs included. */
  field(jsonName: string): GoField | undefined;
  /** The declared field with that protobuf number; embedded messages are not looked through. */
  byNumber(number: number): GoField | undefined;
}

/** A subresource in discovery, as metav1.APIResource describes it. */
export interface ApiSubresource extends GroupVersionKind {
  /** `status`, `scale`, `token`, `exec`, … */
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /**
   * Model name of the body, undefined where the kind is no registered type (proxies answer
   * `NodeProxyOptions`).
   */
  readonly type: string | undefined;
}

/** A resource in discovery, as metav1.APIResource describes it. */
export interface ApiResource extends GroupVersionKind, ResourceNames {
  /** Plural, as in paths. */
  readonly resource: string;
  readonly namespaced: boolean;
  /** In discovery's (alphabetical) order. */
  readonly verbs: readonly string[];
  readonly storageVersionHash?: string;
  /** Model name. */
  readonly type: string;
  readonly subresources: readonly ApiSubresource[];
}

/** One column of a resource's Table, as `columnDefinitions` has it. */
export interface TableColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, more only in wide output. */
  readonly priority: number;
}

export interface KindData {
  /** `v1.36.3` */
  readonly kubernetes: string;
  /**
   * The served ones in the order of /apis, the legacy group ("") first; with their versions, the
   * preferred one first.
   */
  readonly groups: readonly { readonly group: string; readonly versions: readonly string[] }[];
  kinds(group: string): readonly ApiResource[];
  kind(group: string, version: string, kind: string): ApiResource | undefined;
  resource(group: string, version: string, resource: string): ApiResource | undefined;
  /** Columns of the resource's Table; empty for what cannot be listed. */
  columns(group: string, version: string, resource: string): readonly TableColumnDefinition[];
  /**
   * The type that a `kind` in a body of that group and version means: resources, lists, options,
   * reviews, `Scale`, `Eviction`.
   */
  typeOf(group: string, version: string, kind: string): GoStruct | undefined;
  /** Throws ERR_KINDS_UNKNOWN_TYPE for a model that the data lacks. */
  type(model: string): GoStruct;
  /** Model names of all types, in file order. */
  readonly models: readonly string[];
  /** The internal structs that refusals print; read when first asked for. */
  layout(): Layout;
}
