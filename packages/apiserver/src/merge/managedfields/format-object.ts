// Names objects and kinds as the errors of field managers do.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal/structuredmerge.go
// (objectGVKNN), pkg/runtime/schema (GroupVersionKind.String).
import { isObject, type JsonObject, parseApiVersion } from "homeostat/api";

/** A string of the metadata; "" when absent. */
export const metadataText = (object: JsonObject, name: string): string =>
  isObject(object["metadata"]) && typeof object["metadata"][name] === "string"
    ? object["metadata"][name]
    : "";

/** `apps/v1, Kind=Deployment`, `/v1, Kind=Secret`; without names when apiVersion is malformed. */
export function formatKind(object: JsonObject): string {
  const gv = parseApiVersion(typeof object["apiVersion"] === "string" ? object["apiVersion"] : "");
  if (!gv) return "/, Kind=";
  return `${gv.group}/${gv.version}, Kind=${typeof object["kind"] === "string" ? object["kind"] : ""}`;
}

/** `shop/web; apps/v1, Kind=Deployment` */
export const formatObject = (object: JsonObject): string =>
  `${metadataText(object, "namespace")}/${metadataText(object, "name")}; ${formatKind(object)}`;
