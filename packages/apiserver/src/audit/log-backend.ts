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
  /** Larger events lose their bodies. */
  readonly maxEventBytes: number | undefined;
  readonly now: () => number;
  readonly warn: (message: string, error: unknown) => void;
}

/** A backend. */
export interface LogBackend {
  process(record: AuditRecord): void;
  close(): Promise<void>;
}

const notJson = "the audit log leaves out events of patches that are no JSON, as upstream's does";

const tooLarge = "the audit log leaves out events that are too large even without their bodies";

/**
 * An event that is not too large; undefined if it is, even without its bodies. Upstream:
 * k8s.io/apiserver/plugin/pkg/audit/truncate/truncate.go.
 */
function truncated(record: AuditRecord, maxBytes: number): AuditRecord | undefined {
  const fits = (event: AuditRecord): boolean => {
    const json = formatEvent(event);
    // Upstream counts the end of the line.
    return json === undefined || Buffer.byteLength(json) < maxBytes;
  };
  if (fits(record)) return record;
  if (record.level === "Metadata") return undefined;
  const annotations = new Map(record.annotations).set("audit.k8s.io/truncated", "true");
  const bare = { ...record, requestObject: undefined, responseObject: undefined, annotations };
  return fits(bare) ? bare : undefined;
}

/** Opens the file. Throws the error of the system. */
export function openLog(options: LogOptions): LogBackend {
  const { path, format, rotation, maxEventBytes, now, warn } = options;
  const file = path === "-" ? standardOutput : openLogFile(path, rotation, now);
  const said = new Set<string>();
  const say = (what: string, message: string, error: unknown): void => {
    if (!said.has(what)) warn(message, error);
    said.add(what);
  };
  const lineOf = format === "json" ? formatEvent : formatLegacyEvent;
  return {
    process(whole) {
      const record = maxEventBytes === undefined ? whole : truncated(whole, maxEventBytes);
      if (!record) return say("size", tooLarge, undefined);
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
