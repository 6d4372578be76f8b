// Copies the members of options that are set, so that unset ones stay absent.

/** The named members whose value is not undefined. */
export function pickSet<T extends object, P extends keyof T>(
  from: T,
  names: readonly P[],
): Pick<T, P> {
  const set = names.filter((name) => from[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, from[name]])) as unknown as Pick<T, P>;
}
