// Transcripts of kubectl sessions: a script of commands with the output that the real
// kube-apiserver drew from kubectl. Lines that begin with `$ ` are commands (run by sh, in the
// folder of the script's files); what follows is their output. Recorded on upstream, compared on
// ours; what must differ from run to run is replaced by words.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";

/** One command and what it printed. */
export interface TranscriptStep {
  readonly command: string;
  readonly output: string;
}

/** Parses a transcript; text before the first command is a comment. */
export function parseTranscript(text: string): readonly TranscriptStep[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf("\n");
      return { command: part.slice(0, end), output: part.slice(end + 1) };
    });
}

/** Formats a transcript under its head comment. */
export function formatTranscript(head: string, steps: readonly TranscriptStep[]): string {
  return `${head}${steps.map(({ command, output }) => `$ ${command}\n${output}`).join("")}`;
}

/** The comment above the first command. */
export function headOf(path: string): string {
  const text = readFileSync(path, "utf8");
  const start = text.search(/^\$ /m);
  return start < 0 ? text : text.slice(0, start);
}

/**
 * Runs one command. Standard error follows standard output; a failing command ends with its exit
 * code.
 */
export function runCommand(
  command: string,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      "sh",
      ["-c", command],
      { ...options, timeout: 30_000, encoding: "utf8" },
      (error, stdout, stderr) => {
        const code = error
          ? `[exit ${typeof error.code === "number" ? error.code : (error.signal ?? error.code)}]\n`
          : "";
        resolve(`${withNewline(stdout)}${withNewline(stderr)}${code}`);
      },
    );
  });
}

/**
 * Whether hashes of templates are the same in every run: `kubectl rollout restart` writes the time
 * into one.
 */
export type TemplateHashes = "repeatable" | "timed";

/**
 * Replaces what no two runs share: uids, revisions, times, ages, addresses, tokens, generated
 * names.
 */
export function normalise(output: string, hashes: TemplateHashes): string {
  const named = withoutGeneratedNames(hashes === "timed" ? withoutHashes(output) : output);
  return (
    (named === output ? named : named.replaceAll(/(?<=\S) {2,}/g, "  "))
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
      .replaceAll(/(resourceVersion"?: ?"?)[0-9]+/g, "$1<rv>")
      .replaceAll(/(Resource Version: +|version to be \d+, was )[0-9]+/g, "$1<rv>")
      .replaceAll(/\b\d+d\b/g, "<days>")
      .replaceAll(/Context "[^"]*"/g, 'Context "<context>"')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
      .replaceAll(
        /(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g,
        "<time>",
      )
      // client-go's own notice that a watch ended before a second was over: it depends on the load.
      .replaceAll(/^W\d{4} .* reflector\.go:.*very short watch:.*\n/gm, "")
      .replaceAll(/^([IWE])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (?=\S+\.go:)/gm, "$1<time> ")
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} UTC/g, "<time>")
      .replaceAll(/https:\/\/127\.0\.0\.1:\d+/g, "<server>")
      .replaceAll(/\/tmp\/\S*\//g, "<tmp>/")
      .replaceAll(/(?<!cpu: *)(^|\s)\d+(ms|s|m\d*s?)(?=\s|$)/gm, "$1<age>")
      .replaceAll(/ +$/gm, "")
      .replaceAll(/<age> +/g, "<age> ")
  );
}

const withoutHashes = (output: string): string =>
  output.replaceAll(
    /(-|pod-template-hash=)[bcdfghjklmnpqrstvwxz2456789]{8,10}(?=-[bcdfghjklmnpqrstvwxz2456789]{5}\b|\b(?![-.]))/g,
    "$1<hash>",
  );

/**
 * What servers and controllers make up; outputs that show such a thing have columns of chance
 * widths, which the caller evens out.
 */
const withoutGeneratedNames = (output: string): string =>
  output
    .replaceAll(/(?<=[A-Za-z0-9>])-[bcdfghjklmnpqrstvwxz2456789]{5}\b(?![-.])/g, "-<suffix>")
    .replaceAll(/\.[0-9a-f]{16}\b/g, ".<event>")
    .replaceAll(/\b10\.0\.0\.(?!1\b)\d+\b/g, "<ip>")
    .replaceAll(/((?:NodePort: .*|nodePort"?: |:))3[0-2]\d{3}\b/g, "$1<port>")
    .replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<token>");

const withNewline = (text: string): string =>
  text === "" || text.endsWith("\n") ? text : `${text}\n`;
