// Parts of table cells: names, ages as kubectl shows them, and the cells of kinds without a
// printer.
// Upstream: k8s.io/kubernetes/pkg/printers/internalversion/printers.go,
// k8s.io/apimachinery/pkg/util/duration, k8s.io/apiserver/pkg/registry/rest/table.go.
import type { Json } from "homeostat/api";
import type { DecodedObject } from "../../apimachinery/meta/read-meta.ts";
import type { TableColumn } from "../../apimachinery/rest/table-printer.ts";

const nameText =
  "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const createdText =
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/** The first column of custom resources; built-in kinds have theirs in the kind data. */
export const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: nameText,
  priority: 0,
};
/** The last column of custom resources without columns of their own. */
export const ageColumn: TableColumn = {
  name: "Age",
  type: "string",
  format: "",
  description: createdText,
  priority: 0,
};

/** metadata.name; "" when absent. */
export const nameOf = (object: DecodedObject): string => object.metadata?.name ?? "";
/** The age of the object, e.g. `5m12s`. */
export const ageOf = (object: DecodedObject, nowMs: number): string =>
  formatAge(object.metadata?.creationTimestamp, nowMs);

/** The age of a timestamp, e.g. `5m12s`; `<unknown>` without one. */
export function formatAge(timestamp: Json | undefined, nowMs: number): string {
  if (typeof timestamp !== "string" || timestamp === "") return "<unknown>";
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? "<invalid>" : formatDuration(nowMs - then);
}

/** A duration as kubectl prints it: two units while the first is small. */
export function formatDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(ms / 60_000);
  if (minutes < 10) return pair(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(ms / 3_600_000);
  if (hours < 8) return pair(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return pair(days, "d", hours % 24, "h");
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return hours < 24 * 365 * 8 ? pair(years, "y", days % 365, "d") : `${years}y`;
}

const pair = (a: number, unitA: string, b: number, unitB: string): string =>
  b ? `${a}${unitA}${b}${unitB}` : `${a}${unitA}`;

/** The cells of a kind without a printer: name and creation time. */
export const defaultCells = (object: DecodedObject): readonly Json[] => [
  nameOf(object),
  object.metadata?.creationTimestamp ?? "",
];
