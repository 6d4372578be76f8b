// Finds the mutants of one source file: small changes of its text, each of which a test should
// notice. Types, imports and message texts have none. Which changes a node has is in
// `changes-of.ts`.
import type { Node, SourceFile } from "typescript/unstable/ast";
import { SyntaxKind } from "typescript/unstable/ast";
import { type Change, changesOf } from "./changes-of.ts";

/** One change of one file. */
export interface Mutant extends Change {
  /** From the root of the project, with slashes. */
  readonly path: string;
  readonly line: number;
  /** The text that the change replaces. */
  readonly original: string;
  /** Which of the file's mutants with the same operator, original and replacement it is. */
  readonly occurrence: number;
}

const withoutMutants: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ImportDeclaration,
  SyntaxKind.ExportDeclaration,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
]);

/** The mutants of a file, in the order of its text. */
export function findMutants(source: SourceFile, path: string): readonly Mutant[] {
  const changes: Change[] = [];
  const visit = (node: Node): void => {
    if (withoutMutants.has(node.kind)) return;
    changes.push(...changesOf(node, source));
    node.forEachChild((child) => visit(child));
  };
  visit(source);
  const seen = new Map<string, number>();
  return changes
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map((change) => {
      const original = source.text.slice(change.start, change.end);
      const key = JSON.stringify([change.operator, original, change.replacement]);
      const occurrence = seen.get(key) ?? 0;
      seen.set(key, occurrence + 1);
      const line = source.text.slice(0, change.start).split("\n").length;
      return { ...change, path, line, original, occurrence };
    });
}

/** The text of the file with the change. */
export const applyChange = (text: string, { start, end, replacement }: Change): string =>
  text.slice(0, start) + replacement + text.slice(end);

/** Names a mutant in one line: `src/a.ts:3 condition: a < b → true`. */
export function describeMutant({ path, line, operator, original, replacement }: Mutant): string {
  return `${path}:${line} ${operator}: ${oneLine(original)} → ${oneLine(replacement) || "(removed)"}`;
}

function oneLine(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length > 90 ? `${flat.slice(0, 87)}…` : flat;
}
