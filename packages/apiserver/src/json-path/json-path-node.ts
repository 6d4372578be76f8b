// The syntax tree of a JSONPath in kubectl's dialect.
// Upstream: k8s.io/client-go/util/jsonpath/node.go.

/** Bounds of `[start:end:step]`; undefined when omitted. */
export interface Slice {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly step: number | undefined;
  /** `[3]` stands for `[3:4]`, and `[-1]` for the last item. */
  readonly single: boolean;
}

export type JsonPathNode =
  | { readonly at: "list"; readonly nodes: readonly JsonPathNode[] }
  | { readonly at: "text"; readonly text: string }
  | { readonly at: "field"; readonly name: string }
  | { readonly at: "array"; readonly slice: Slice }
  | {
      readonly at: "filter";
      readonly left: readonly JsonPathNode[];
      readonly right: readonly JsonPathNode[];
      readonly operator: string;
    }
  | { readonly at: "number"; readonly value: number; readonly float: boolean }
  | { readonly at: "bool"; readonly value: boolean }
  | { readonly at: "wildcard" }
  | { readonly at: "recursive" }
  | { readonly at: "union"; readonly members: readonly (readonly JsonPathNode[])[] }
  | { readonly at: "identifier"; readonly name: string };

/** A parsed template: text and `{…}` lists in turn. */
export interface JsonPath {
  readonly nodes: readonly JsonPathNode[];
}
