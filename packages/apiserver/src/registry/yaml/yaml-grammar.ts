// The grammar's states, and the collections with the tokens that open them.
// Upstream: go.yaml.in/yaml/v2 (yamlh.go, parser states).
import type { TokenType } from "./yaml-token.ts";

/** What comes next, as a production of the grammar. */
export type State =
  | "document-end"
  | "document-content"
  | "block-node"
  | "block-sequence-entry"
  | "indentless-sequence-entry"
  | "block-mapping-key"
  | "block-mapping-value"
  | "flow-sequence-first"
  | "flow-sequence-entry"
  | "pair-key"
  | "pair-value"
  | "pair-end"
  | "flow-mapping-first"
  | "flow-mapping-key"
  | "flow-mapping-value"
  | "flow-mapping-no-value";

/** Where a node stands: indentless sequences are values of a block mapping. */
export type Place = "flow" | "block" | "block-value";

/** Tags' prefixes by handle, which directives may replace. */
export const defaultPrefixes = [
  ["!", "!"],
  ["!!", "tag:yaml.org,2002:"],
] as const;

/** Tokens that follow an empty key or value of a block mapping. */
export const endsOfBlockPart: readonly TokenType[] = ["key", "value", "block-end"];

/** Collections by the tokens that open them. */
export const collections: Readonly<
  Partial<
    Record<TokenType, { kind: "sequence" | "mapping"; state: State; places: readonly Place[] }>
  >
> = {
  "block-entry": {
    kind: "sequence",
    state: "indentless-sequence-entry",
    places: ["block-value"],
  },
  "block-sequence-start": {
    kind: "sequence",
    state: "block-sequence-entry",
    places: ["block", "block-value"],
  },
  "block-mapping-start": {
    kind: "mapping",
    state: "block-mapping-key",
    places: ["block", "block-value"],
  },
  "flow-sequence-start": {
    kind: "sequence",
    state: "flow-sequence-first",
    places: ["flow", "block", "block-value"],
  },
  "flow-mapping-start": {
    kind: "mapping",
    state: "flow-mapping-first",
    places: ["flow", "block", "block-value"],
  },
};
