// Labels and annotations as values.

/** Labels or annotations. */
export type Labels = Readonly<Record<string, string>>;

/** The labels without those of the given keys. */
export function omitKeys(labels: Labels = {}, keys: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !keys.includes(key)));
}
