// Reads command lines as kube-apiserver's flag library does: `--name=value`, `--name value`, and
// `--name` alone for true. Knows no flag. Upstream: github.com/spf13/pflag.

/** Values in the order given, by name without dashes. */
export type ParsedFlags = ReadonlyMap<string, readonly string[]>;

/**
 * Parses e.g. `["--secure-port=6443", "--allow-privileged"]`; words that belong to no flag are left
 * out.
 */
export function parseFlags(argv: readonly string[]): ParsedFlags {
  const flags = new Map<string, string[]>();
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (!word.startsWith("--")) continue;
    const equals = word.indexOf("=");
    const next = argv[i + 1];
    const spaced = equals < 0 && next !== undefined && !next.startsWith("--");
    const name = word.slice(2, equals < 0 ? undefined : equals);
    const value = equals >= 0 ? word.slice(equals + 1) : spaced ? next : "true";
    if (spaced) i++;
    flags.set(name, [...(flags.get(name) ?? []), value]);
  }
  return flags;
}

/** A flag that has one value: the last one counts, as upstream. */
export const lastOf = (flags: ParsedFlags, name: string): string | undefined =>
  flags.get(name)?.at(-1);
