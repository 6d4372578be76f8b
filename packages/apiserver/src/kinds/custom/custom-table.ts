// Custom resources as Tables: the name, then the definition's columns, or the age without any. A
// column whose path does not parse ends the columns, as upstream keeps those before it.
// Upstream:
// k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor/tableconvertor.go,
// pkg/apiserver/helpers.go (default and scale columns).
import type { Json, JsonObject } from "homeostat/api";
import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresourceScale,
} from "homeostat/k8s/apiextensions/v1";
import { findJsonPath, JsonPathError } from "../../json-path/find-json-path.ts";
import type { JsonPath } from "../../json-path/json-path-node.ts";
import { JsonPathSyntaxError, parseJsonPath } from "../../json-path/parse-json-path.ts";
import { printJsonPathValues } from "../../json-path/print-json-path.ts";
import type { CellAges, TableColumn, TablePrinter } from "../../apimachinery/rest/table-printer.ts";
import {
  formatGoTime,
  GoTimeError,
  parseGoTime,
  rfc3339,
} from "../../apimachinery/values/go-time.ts";
import { ageColumn, nameColumn, nameOf } from "../printers/cells.ts";

const defaultAge: CustomResourceColumnDefinition = {
  name: "Age",
  type: "date",
  description: ageColumn.description,
  jsonPath: ".metadata.creationTimestamp",
};

interface PreparedColumn {
  readonly column: TableColumn;
  readonly path: JsonPath;
}

/** The printer of one version. */
export function createCustomTable(
  columns: readonly CustomResourceColumnDefinition[] | undefined,
): TablePrinter {
  return tableOf(columns?.length ? columns : [defaultAge]);
}

/** The printer of the scale subresource. */
export function createScaleTable(scale: CustomResourceSubresourceScale): TablePrinter {
  const columns: CustomResourceColumnDefinition[] = [];
  if (scale.specReplicasPath)
    columns.push({
      name: "Desired",
      type: "integer",
      description: "Number of desired replicas",
      jsonPath: ".spec.replicas",
    });
  if (scale.statusReplicasPath)
    columns.push({
      name: "Available",
      type: "integer",
      description: "Number of actual replicas",
      jsonPath: ".status.replicas",
    });
  return tableOf([...columns, defaultAge]);
}

function tableOf(columns: readonly CustomResourceColumnDefinition[]): TablePrinter {
  const prepared = prepare(columns);
  return {
    columns: [nameColumn, ...prepared.map(({ column }) => column)],
    cells: (object, ages) => [
      nameOf(object),
      ...prepared.map((each) => cellOf(object, each, ages)),
    ],
    emptyRowsNull: false,
  };
}

function prepare(columns: readonly CustomResourceColumnDefinition[]): readonly PreparedColumn[] {
  const prepared: PreparedColumn[] = [];
  for (const { name, type, format = "", description, priority = 0, jsonPath } of columns) {
    const path = parseOrUndefined(`{${jsonPath}}`);
    if (!path) return prepared;
    prepared.push({
      path,
      column: {
        name,
        type,
        format,
        description:
          description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
        priority,
      },
    });
  }
  return prepared;
}

function parseOrUndefined(template: string): JsonPath | undefined {
  try {
    return parseJsonPath(template);
  } catch (error) {
    if (error instanceof JsonPathSyntaxError) return undefined;
    throw error;
  }
}

function cellOf(object: JsonObject, { column, path }: PreparedColumn, ages: CellAges): Json {
  const value = firstFound(object, path);
  if (value === undefined) return null;
  return column.type === "string"
    ? printJsonPathValues([value])
    : typedCell(value, column.type, ages);
}

function firstFound(object: JsonObject, path: JsonPath): Json | undefined {
  try {
    return findJsonPath(path, object, { missingKeys: "allowed" })[0]?.[0];
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

/** Values of the wrong type are null; integer columns truncate fractions. */
function typedCell(value: Json, type: string, ages: CellAges): Json {
  switch (type) {
    case "integer":
      if (typeof value === "bigint") return value;
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? Number(value) : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? dateCell(value, ages) : null;
    default:
      return null;
  }
}

function dateCell(text: string, ages: CellAges): string {
  if (text === "" || text === "null") return "<unknown>";
  try {
    const time = parseGoTime(text, rfc3339);
    return formatGoTime(time, rfc3339) === null ? "<unknown>" : ages.since(time.seconds * 1000);
  } catch (error) {
    if (error instanceof GoTimeError) return "<invalid>";
    throw error;
  }
}
