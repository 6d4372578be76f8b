// Shows people the server's warnings, each text once.
// Upstream: k8s.io/client-go/rest/warnings.go (NewWarningWriter, Deduplicate).
import { stripVTControlCharacters } from "node:util";
import { checkArgument, checkOptions } from "../util/call-options.ts";
import { createNewTexts } from "../util/new-texts.ts";

/** Where warnings are written. */
export interface WarningWriterOptions {
  /** Takes one line with its newline. Default: to standard error. */
  readonly write?: (line: string) => void;
}

/**
 * Creates a handler for `warned` that writes each text once, as in `Warning: unknown field
 * "spec.foo"`.
 *
 * @throws ERR_ARGUMENT
 */
export function createWarningWriter(options: WarningWriterOptions = {}): (text: string) => void {
  checkOptions("createWarningWriter(…)", options, { write: "a function" });
  const { write = toStandardError } = options;
  const isNew = createNewTexts();
  return (text) => {
    checkArgument("a warning writer", ["its argument", text], "a string");
    if (isNew(text)) write(`Warning: ${stripVTControlCharacters(text)}\n`);
  };
}

function toStandardError(line: string): void {
  process.stderr.write(line);
}
