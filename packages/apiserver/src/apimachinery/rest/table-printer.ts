// How a kind is printed as a Table.
// Upstream: k8s.io/apiserver/pkg/registry/rest/table.go, k8s.io/kubernetes/pkg/printers.
import type { Json, JsonObject } from "homeostat/api";
import { formatDuration } from "../values/human-duration.ts";

/** One column of a Table. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** Prints the ages in cells: nothing else in them depends on the time. */
export interface CellAges {
  /** The time since `thenMs`, e.g. `5m12s`. */
  since(thenMs: number): string;
}

/** Ages at this time. */
export const agesAt = (nowMs: number): CellAges => ({
  since: (thenMs) => formatDuration(nowMs - thenMs),
});

/** Prints objects of one kind as rows of a Table. */
export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** The cells of one object in this version. */
  cells(object: JsonObject, ages: CellAges): readonly Json[];
  /** Conditions of the row, e.g. `Completed` for a pod that has terminated. */
  readonly rowConditions?: (object: JsonObject) => readonly JsonObject[];
  /** Upstream's default printer writes `rows: null` for an empty list. */
  readonly emptyRowsNull: boolean;
}
