// What a YAML document consists of, before its scalars mean anything.
// Upstream: go.yaml.in/yaml/v2 (decode.go, node).

/** A node; the members of a mapping are keys and values by turns. */
export interface YamlNode {
  readonly kind: "scalar" | "sequence" | "mapping" | "alias";
  /** Where it begins, its tag and anchor included; counts from zero. */
  readonly line: number;
  /** In full, e.g. `tag:yaml.org,2002:int`; empty if it has none. */
  readonly tag: string;
  /** The text of a scalar, the name of an alias. */
  readonly text: string;
  /** Whether the text of a scalar says its type: it has neither a tag nor quotes. */
  readonly isPlain: boolean;
  readonly children: YamlNode[];
  /** What an alias stands for. */
  readonly target: YamlNode | undefined;
}
