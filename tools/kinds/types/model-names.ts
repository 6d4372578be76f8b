// The names that a module's models.ts refers to, gathered while it is printed. Pure.
import { printEnum } from "./print-declaration.ts";

export class ModelNames {
  /** Names by file, a path relative to the module's folder. */
  readonly #imports = new Map<string, Set<string>>();
  readonly #reexports = new Map<string, Set<string>>();
  /** Closed sets of strings, by Go's name. */
  readonly #enums = new Map<string, readonly string[]>();

  /** Returns `name`. */
  import(file: string, name: string): string {
    add(this.#imports, file, name);
    return name;
  }

  reexport(file: string, name: string): void {
    add(this.#reexports, file, name);
  }

  /** Throws when the name already means other values. Returns `name`. */
  define(name: string, values: readonly string[]): string {
    const known = this.#enums.get(name);
    if (known !== undefined && known.join() !== values.join())
      throw new Error(`print ${name}: two sets of values have this name`);
    this.#enums.set(name, values);
    return name;
  }

  printImports(): readonly string[] {
    return printLines("import", this.#imports);
  }

  printReexports(): readonly string[] {
    return printLines("export", this.#reexports);
  }

  printEnums(): readonly string[] {
    return [...this.#enums]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, values]) => printEnum(name, values));
  }

  /** Each name once for each thing that it means. */
  all(): readonly string[] {
    const files = new Set([...this.#imports.keys(), ...this.#reexports.keys()]);
    const imported = [...files].flatMap((file) => [
      ...new Set([...(this.#imports.get(file) ?? []), ...(this.#reexports.get(file) ?? [])]),
    ]);
    return [...imported, ...this.#enums.keys()];
  }
}

function add(map: Map<string, Set<string>>, file: string, name: string): void {
  map.set(file, (map.get(file) ?? new Set()).add(name));
}

const printLines = (
  keyword: "import" | "export",
  names: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] =>
  [...names]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([file, each]) => `${keyword} type { ${[...each].toSorted().join(", ")} } from "${file}";`,
    );
