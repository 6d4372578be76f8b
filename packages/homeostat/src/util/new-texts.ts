// Texts that have not been seen lately: the same warning comes with every request.

/** Texts that are remembered, so that a long run does not keep all that it has ever seen. */
const remembered = 1000;

/** Creates a predicate that is true for each text once; the oldest texts are forgotten. */
export function createNewTexts(): (text: string) => boolean {
  const seen = new Set<string>();
  return (text) => {
    if (seen.has(text)) return false;
    seen.add(text);
    if (seen.size > remembered) seen.delete(seen.values().next().value!);
    return true;
  };
}
