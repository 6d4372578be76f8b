// Names controllers in lines of the log.

/** `controller "a"`, or `controllers "a", "b"`. */
export function describeControllers(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`).join(", ");
  return `controller${names.length === 1 ? "" : "s"} ${quoted}`;
}
