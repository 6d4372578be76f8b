// Asks the compiler which mutants it refuses: each is a copy of its file, beside it, that exists in
// memory only. Such a mistake never reaches a test.
import { readFileSync } from "node:fs";
import { API } from "typescript/unstable/sync";
import { applyChange, type Mutant } from "./find-mutants.ts";

/** How many copies are checked as one program. */
const batchSize = 400;

/**
 * The mutants with a type error that their file does not have.
 *
 * @param root with a slash at its end
 */
export function refusedMutants(
  root: string,
  mutants: readonly Mutant[],
  texts: ReadonlyMap<string, string>,
): ReadonlySet<Mutant> {
  const refused = new Set<Mutant>();
  for (let at = 0; at < mutants.length; at += batchSize)
    for (const mutant of refusedOf(root, mutants.slice(at, at + batchSize), texts))
      refused.add(mutant);
  return refused;
}

function refusedOf(
  root: string,
  mutants: readonly Mutant[],
  texts: ReadonlyMap<string, string>,
): readonly Mutant[] {
  const copies = new Map<string, string>();
  const copyOf = (path: string, id: number | "same", text: string): string => {
    const copy = root + path.replace(/\.ts$/, `.mutant-${id}.ts`);
    copies.set(copy, text);
    return copy;
  };
  const same = new Map(
    [...new Set(mutants.map(({ path }) => path))].map((path) => {
      const text = texts.get(path)!;
      return [path, copyOf(path, "same", text)] as const;
    }),
  );
  const changed = mutants.map((mutant, id) =>
    copyOf(mutant.path, id, applyChange(texts.get(mutant.path)!, asWritten(mutant))),
  );
  const errorsIn = checkCopies(root, copies);
  return mutants.filter((mutant, id) => errorsIn(changed[id]!) > errorsIn(same.get(mutant.path)!));
}

/**
 * A condition that is forced stands for one that is too wide or too narrow, not for code that the
 * compiler knows to be dead.
 */
function asWritten(mutant: Mutant): Mutant {
  const { operator, original, replacement } = mutant;
  if (operator !== "condition") return mutant;
  const joined = replacement === "true" ? "||" : "&&";
  return { ...mutant, replacement: `((${original}) ${joined} (0 as any))` };
}

/** How many type errors each of the copies has. */
function checkCopies(root: string, copies: ReadonlyMap<string, string>): (copy: string) => number {
  const config = `${root}tsconfig.mutants.json`;
  const { compilerOptions, ...rest } = JSON.parse(readFileSync(`${root}tsconfig.json`, "utf8"));
  const files = new Map(copies).set(
    config,
    JSON.stringify({ ...rest, compilerOptions, include: [], files: [...copies.keys()] }),
  );
  const api = new API({
    cwd: root,
    fs: {
      readFile: (path) => files.get(path),
      fileExists: (path) => (files.has(path) ? true : undefined),
    },
  });
  try {
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
    const errors = new Map<string, number>();
    for (const copy of copies.keys())
      errors.set(copy, project!.program.getSemanticDiagnostics(copy).length);
    return (copy) => errors.get(copy)!;
  } finally {
    api.close();
  }
}
