// Parses files with the TypeScript compiler and finds their mutants.
import { API } from "typescript/unstable/sync";
import { findMutants, type Mutant } from "./find-mutants.ts";

/**
 * The mutants of files of the project, whose tsconfig.json includes them.
 *
 * @param root with a slash at its end
 */
export function readMutants(root: string, paths: readonly string[]): readonly Mutant[] {
  const api = new API({ cwd: root });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [`${root}tsconfig.json`] });
    const [project] = snapshot.getProjects();
    return paths.flatMap((path) => {
      const source = project!.program.getSourceFile(root + path);
      if (!source) throw new Error(`tsconfig.json does not include ${path}`);
      return findMutants(source, path);
    });
  } finally {
    api.close();
  }
}
