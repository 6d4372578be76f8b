// What a scanner remembers of a token until it knows whether that is a key.
// Upstream: go.yaml.in/yaml/v2 (yamlh.go, yaml_simple_key_t; scannerc.go).

/** A token that is a key if a colon follows. */
export interface PossibleKey {
  isPossible: boolean;
  /** It begins a line of a block mapping, where only a key can stand. */
  readonly isRequired: boolean;
  /** Counts the tokens of the text. */
  readonly token: number;
  readonly line: number;
  readonly column: number;
  readonly index: number;
}

/** What a place has before any token that may be a key. */
export const createNoKey = (token: number): PossibleKey => ({
  isPossible: false,
  isRequired: false,
  token,
  line: 0,
  column: 0,
  index: 0,
});
/** The most characters from the beginning of a key to its colon. */
export const maxKeyLength = 1024;
