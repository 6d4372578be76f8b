// Parts of table cells: names, ages as kubectl shows them, and the cells of kinds without a
// printer.
// Upstream: k8s.io/kubernetes/pkg/printers/internalversion/printers.go,
// k8s.io/apiserver/pkg/registry/rest/table.go.
import type { Json } from "homeostat/api";
import type { DecodedObject } from "../../apimachinery/meta/read-meta.ts";
import type { CellAges, TableColumn } from "../../apimachinery/rest/table-printer.ts";

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
export const ageOf = (object: DecodedObject, ages: CellAges): string =>
  formatAge(object.metadata?.creationTimestamp, ages);

/** The age of a timestamp, e.g. `5m12s`; `<unknown>` without one. */
export function formatAge(timestamp: Json | undefined, ages: CellAges): string {
  if (typeof timestamp !== "string" || timestamp === "") return "<unknown>";
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? "<invalid>" : ages.since(then);
}

/** The cells of a kind without a printer: name and creation time. */
export const defaultCells = (object: DecodedObject): readonly Json[] => [
  nameOf(object),
  object.metadata?.creationTimestamp ?? "0001-01-01T00:00:00Z",
];
