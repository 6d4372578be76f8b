// Parses command lines as kube-apiserver's flag library does: `--name=value`, `--name value`, and
// `--name` alone for true. Knows no particular flag. Upstream: github.com/spf13/pflag.

/** Values in order of appearance, by flag name without dashes. */
export type ParsedFlags = ReadonlyMap<string, readonly string[]>;

/** Parses e.g. `["--secure-port=6443", "--allow-privileged"]`; ignores positional arguments. */
export function parseFlags(argv: readonly string[]): ParsedFlags {
  const flags = new Map<string, string[]>();
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i]!;
    if (!argument.startsWith("--")) continue;
    const add = (name: string, value: string): unknown =>
      flags.set(name, [...(flags.get(name) ?? []), value]);
    const equals = argument.indexOf("=");
    const next = argv[i + 1];
    if (equals >= 0) {
      add(argument.slice(2, equals), argument.slice(equals + 1));
    } else if (next === undefined || next.startsWith("--")) {
      add(argument.slice(2), "true");
    } else {
      add(argument.slice(2), next);
      i++;
    }
  }
  return flags;
}

/** The value of a flag that takes one: the last occurrence wins, as upstream. */
export const lastOf = (flags: ParsedFlags, name: string): string | undefined =>
  flags.get(name)?.at(-1);
