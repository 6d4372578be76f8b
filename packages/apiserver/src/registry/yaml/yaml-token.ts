// The tokens of a YAML text.
// Upstream: go.yaml.in/yaml/v2 (yamlh.go, yaml_token_t).
import type { ScannedDirective } from "./scan-properties.ts";

/** Upstream's tokens; one `...-start` for each kind of collection. */
export type TokenType =
  | "stream-end"
  | "directive"
  | "document-start"
  | "document-end"
  | "block-sequence-start"
  | "block-mapping-start"
  | "block-end"
  | "flow-sequence-start"
  | "flow-sequence-end"
  | "flow-mapping-start"
  | "flow-mapping-end"
  | "block-entry"
  | "flow-entry"
  | "key"
  | "value"
  | "alias"
  | "anchor"
  | "tag"
  | "scalar";

export interface Token {
  readonly type: TokenType;
  /** The line where it begins, from zero. */
  readonly line: number;
  /** The text of a scalar, the name of an anchor or alias, the handle of a tag. */
  readonly text: string;
  /** What a tag has behind its handle. */
  readonly suffix: string;
  /** Whether a scalar has neither quotes nor an indicator. */
  readonly isPlain: boolean;
  readonly directive: ScannedDirective | undefined;
}

/** A token; what is not stated is empty. */
export function createToken(type: TokenType, line: number, more: Partial<Token> = {}): Token {
  const { text = "", suffix = "", isPlain = false, directive } = more;
  return { type, line, text, suffix, isPlain, directive };
}
