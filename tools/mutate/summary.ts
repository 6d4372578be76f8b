// The table and the list at the end of a run.
import { describeMutant } from "./find-mutants.ts";
import type { MutantResult } from "./test-mutant.ts";

/** Mutants made, killed and left, for each folder below `src`, and all. */
export function formatSummary(results: readonly MutantResult[]): string {
  const rows = new Map<string, MutantResult[]>();
  for (const result of results) {
    const folder = /\/src\/([^/]+)/.exec(result.mutant.path)?.[1] ?? ".";
    rows.set(folder, [...(rows.get(folder) ?? []), result]);
  }
  const table = [...rows, ["all", results] as const].map(([folder, some]) =>
    formatRow(folder, some),
  );
  const head = "folder        mutants  refused  killed  timed out  survived  not covered    left";
  return [head, ...table].join("\n");
}

function formatRow(folder: string, results: readonly MutantResult[]): string {
  const count = (outcome: MutantResult["outcome"]): number =>
    results.filter((result) => result.outcome === outcome).length;
  const left = results.filter(isLeft).length;
  return [
    folder.padEnd(12),
    String(results.length).padStart(9),
    String(count("refused")).padStart(9),
    String(count("killed")).padStart(8),
    String(count("timed out")).padStart(11),
    String(count("survived")).padStart(10),
    String(count("not covered")).padStart(13),
    `${((100 * left) / (results.length - count("refused"))).toFixed(1)} %`.padStart(8),
  ].join("");
}

/** True for a mutant that no test noticed. */
export const isLeft = ({ outcome }: MutantResult): boolean =>
  outcome === "survived" || outcome === "not covered";

export const formatResult = ({ mutant, outcome, tests }: MutantResult): string =>
  `${outcome}${outcome === "survived" ? ` (${tests} tests)` : ""}  ${describeMutant(mutant)}`;
