// Makes Tables, which kubectl prints. A row carries cells and the object, its metadata or nothing.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/response.go (asTable),
// k8s.io/apimachinery/pkg/apis/meta/v1/types.go.
import { formatApiVersion, isObject, type Json, type JsonObject } from "homeostat/api";
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";
import { formatBadValue } from "../../apimachinery/errors/field-error.ts";
import type { Query } from "../request/query.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import {
  agesAt,
  type TableColumn,
  type TablePrinter,
} from "../../apimachinery/rest/table-printer.ts";
import { rowOf } from "../revisions/table-rows.ts";
import { partialMetadata } from "../revisions/representations.ts";
import { encodeObjectText } from "../revisions/stored-json.ts";

export type IncludeObject = "" | "None" | "Metadata" | "Object";

/** How to make a Table. */
export interface TableOptions {
  /** The resource's own printer unless given. */
  readonly printer?: TablePrinter | undefined;
  /** List metadata of the Table. */
  readonly metadata: JsonObject;
  readonly includeObject: IncludeObject;
  /** `v1` or `v1beta1`. */
  readonly metaVersion: string;
  readonly nowMs: number;
  /** A watch sends the columns with its first event only. */
  readonly columns?: "with columns" | "without columns";
}

/** Reads `includeObject`; throws 400. */
export function readIncludeObject(query: Query): IncludeObject {
  const value = query.text("includeObject");
  if (value === "" || value === "None" || value === "Metadata" || value === "Object") return value;
  throw badRequestError(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${formatBadValue(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** The Table of `objects`. */
export function makeTable(
  resource: ServedResource,
  objects: readonly JsonObject[],
  options: TableOptions,
): JsonObject {
  const { metadata, metaVersion, printer = resource.table, columns = "with columns" } = options;
  const rows = objects.map((object) => makeRow(printer, resource, object, options));
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata,
    columnDefinitions: columns === "with columns" ? printer.columns.map(columnDefinition) : null,
    rows: rows.length === 0 && printer.emptyRowsNull ? null : rows,
  };
}

/** The text of a Table of one row; an object of the resource's kind has the order of that kind. */
export function encodeTable(resource: ServedResource, table: JsonObject): string {
  const [row] = table.rows as JsonObject[];
  const object = row?.object;
  if (!isObject(object) || object.kind !== resource.kind) return encodeObjectText(table);
  const { encode = encodeObjectText } = resource.codec;
  const text = encodeObjectText({ ...table, rows: [{ ...row, object: null }] });
  return `${text.slice(0, -endOfRow.length)}${encode(object)}}]}`;
}

const endOfRow = "null}]}";

const columnDefinition = ({
  name,
  type,
  format,
  description,
  priority,
}: TableColumn): JsonObject => ({ name, type, format, description, priority });

function makeRow(
  printer: TablePrinter,
  resource: ServedResource,
  object: JsonObject,
  { includeObject, metaVersion, nowMs }: TableOptions,
): JsonObject {
  return {
    ...rowOf(printer, object, agesAt(nowMs)),
    object: rowObject(resource, object, includeObject, metaVersion),
  };
}

function rowObject(
  resource: ServedResource,
  object: JsonObject,
  includeObject: IncludeObject,
  metaVersion: string,
): Json {
  if (includeObject === "None") return null;
  if (includeObject !== "Object") return partialMetadata(resource, object, metaVersion);
  return {
    ...object,
    kind: object.kind ?? resource.kind,
    apiVersion: object.apiVersion ?? formatApiVersion(resource),
  };
}

/** List metadata that a single object's Table carries. */
export function tableMetadata(object: JsonObject): JsonObject {
  const metadata = object.metadata as JsonObject | undefined;
  return typeof metadata?.resourceVersion === "string"
    ? { resourceVersion: metadata.resourceVersion }
    : {};
}
