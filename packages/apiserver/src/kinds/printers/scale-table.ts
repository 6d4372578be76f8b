// How the scale subresource of built-in kinds is printed.
// Upstream: k8s.io/kubernetes/pkg/printers/internalversion/printers.go (printScale),
// k8s.io/api/autoscaling/v1/types_swagger_doc_generated.go.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import type { TableColumn, TablePrinter } from "../../apimachinery/rest/table-printer.ts";
import { ageColumn, ageOf, nameColumn, nameOf } from "./cells.ts";

const count = (name: string, description: string): TableColumn => ({
  name,
  type: "integer",
  format: "",
  description,
  priority: 0,
});

const replicasOf = (part: Json | undefined): Json => (isObject(part) ? (part.replicas ?? 0) : 0);

/** Prints a Scale. */
export const scaleTable: TablePrinter = {
  columns: [
    { ...nameColumn, format: "" },
    count("Desired", "replicas is the desired number of instances for the scaled object."),
    count("Available", "replicas is the actual number of observed instances of the scaled object."),
    ageColumn,
  ],
  cells: (scale: JsonObject, ages) => [
    nameOf(scale),
    replicasOf(scale.spec),
    replicasOf(scale.status),
    ageOf(scale, ages),
  ],
  emptyRowsNull: false,
};
