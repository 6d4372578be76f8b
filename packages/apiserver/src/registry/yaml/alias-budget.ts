// Bounds what aliases may multiply.
// Upstream: go.yaml.in/yaml/v2 (decode.go, allowedAliasRatio).
import { YamlSyntaxError } from "./yaml-reader.ts";

const small = 400_000;
const large = 4_000_000;

/** The share of decoded nodes that may stand behind aliases: 99 % of few, 10 % of many. */
function allowedShare(decoded: number): number {
  if (decoded <= small) return 0.99;
  if (decoded >= large) return 0.1;
  return 0.99 - 0.89 * ((decoded - small) / (large - small));
}

/** Counts decoded nodes. */
export class AliasBudget {
  /** The document itself is the first. */
  #decoded = 1;
  #behindAliases = 0;

  /**
   * Counts a node that stands behind `aliases` aliases. Throws {@link YamlSyntaxError} when too
   * many do.
   */
  count(aliases: number): void {
    this.#decoded++;
    if (aliases > 0) this.#behindAliases++;
    if (this.#behindAliases <= 100 || this.#decoded <= 1000) return;
    if (this.#behindAliases / this.#decoded > allowedShare(this.#decoded))
      throw new YamlSyntaxError("yaml: document contains excessive aliasing");
  }
}
