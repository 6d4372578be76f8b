// Writes audit events to a file or to standard output, one a line. A write is done when the request
// goes on (upstream's mode `blocking`); one that fails does not fail the request.
// Upstream: k8s.io/apiserver/plugin/pkg/audit/log/backend.go, pkg/server/options/audit.go.
import { reasonOf } from "../apimachinery/errors/server-error.ts";
import { type AuditRecord, formatEvent } from "./audit-event.ts";
import { formatLegacyEvent } from "./legacy-event.ts";
import { openLogFile, type LogFile, type Rotation } from "./log-file.ts";

export interface LogOptions {
  /** `-` is standard output. */
  readonly path: string;
  readonly format: "json" | "legacy";
  readonly rotation: Rotation;
  readonly now: () => number;
  readonly warn: (message: string, error: unknown) => void;
}

/** A backend. */
export interface LogBackend {
  process(record: AuditRecord): void;
  close(): Promise<void>;
}

const notJson = "the audit log leaves out events of patches that are no JSON, as upstream's does";

/** Opens the file. Throws the error of the system. */
export function openLog({ path, format, rotation, now, warn }: LogOptions): LogBackend {
  const file = path === "-" ? standardOutput : openLogFile(path, rotation, now);
  const said = new Set<string>();
  const say = (what: string, message: string, error: unknown): void => {
    if (!said.has(what)) warn(message, error);
    said.add(what);
  };
  const lineOf = format === "json" ? formatEvent : formatLegacyEvent;
  return {
    process(record) {
      const line = lineOf(record);
      if (line === undefined) return say("body", `${notJson} (${record.requestURI})`, undefined);
      try {
        file.write(`${line}\n`);
      } catch (error) {
        say("write", `write the audit log ${path}: ${reasonOf(error)}; events are lost`, error);
      }
    },
    close: () => file.close(),
  };
}

const standardOutput: LogFile = {
  write: (line) => void process.stdout.write(line),
  async close() {
    await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
  },
};
