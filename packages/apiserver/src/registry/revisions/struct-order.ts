// Encodes objects of meta/v1 and Scales with their members in the order of Go's structs, also where
// they stand for custom resources: Status, Table, PartialObjectMetadata, Scale.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/types.go, k8s.io/api/autoscaling/v1/types.go.
import { encodeJson, isObject, type Json, type JsonObject } from "homeostat/api";

/**
 * Members in order, with the shape of what they hold; `any` is written in bytewise order. Lists
 * have the shape of their items.
 */
interface Shape {
  readonly [name: string]: Shape | "any";
}

const fields = (names: string, nested: Shape = {}): Shape =>
  Object.fromEntries(names.split(" ").map((name) => [name, nested[name] ?? "any"]));

const listMeta = fields("selfLink resourceVersion continue remainingItemCount");
const objectMeta = fields(
  "name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds labels annotations ownerReferences finalizers managedFields",
  {
    ownerReferences: fields("apiVersion kind name uid controller blockOwnerDeletion"),
    managedFields: fields("manager operation apiVersion time fieldsType fieldsV1 subresource"),
  },
);
const partial = fields("kind apiVersion metadata", { metadata: objectMeta });
const table = fields("kind apiVersion metadata columnDefinitions rows", {
  metadata: listMeta,
  columnDefinitions: fields("name type format description priority"),
  rows: fields("cells conditions object"),
});
const status = fields("kind apiVersion metadata status message reason details code", {
  metadata: listMeta,
  details: fields("name group kind uid causes retryAfterSeconds", {
    causes: fields("reason message field"),
  }),
});
const scale = fields("kind apiVersion metadata spec status", {
  metadata: objectMeta,
  spec: fields("replicas"),
  status: fields("replicas selector"),
});

/** How an object of these kinds is written; undefined for all others. */
function shapeOf(object: JsonObject): Shape | undefined {
  const { kind, apiVersion } = object;
  if (kind === "Status" && apiVersion === "v1") return status;
  if (kind === "Scale" && apiVersion === "autoscaling/v1") return scale;
  if (apiVersion !== "meta.k8s.io/v1" && apiVersion !== "meta.k8s.io/v1beta1") return undefined;
  if (kind === "Table") return table;
  return kind === "PartialObjectMetadata" ? partial : undefined;
}

/** The text of an object of meta/v1 (or a Scale); undefined for other kinds. */
export function encodeStruct(object: JsonObject): string | undefined {
  const shape = shapeOf(object);
  return shape && encodeShape(object, shape);
}

function encodeShape(value: Json, shape: Shape | "any"): string {
  if (Array.isArray(value)) return `[${value.map((item) => encodeShape(item, shape)).join(",")}]`;
  if (!isObject(value)) return encodeJson(value);
  const own = shape === "any" ? shapeOf(value) : shape;
  if (!own) return encodeJson(value);
  const names = [
    ...Object.keys(own).filter((name) => value[name] !== undefined),
    ...Object.keys(value)
      .filter((name) => !Object.hasOwn(own, name) && value[name] !== undefined)
      .sort(),
  ];
  return `{${names.map((name) => `${encodeJson(name)}:${encodeShape(value[name]!, own[name] ?? "any")}`).join(",")}}`;
}
