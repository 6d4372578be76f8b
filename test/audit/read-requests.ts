// Audited gets, lists and watches.
import {
  type AuditRequest,
  as,
  form,
  get,
  maps,
  protobuf,
  shop,
  widgets,
} from "./request-builders.ts";

/** In all forms that clients ask for. */
export const reads: readonly AuditRequest[] = [
  get("get", `${maps}/a`),
  get("get-404", `${maps}/none`),
  get("get-yaml", `${maps}/a`, { accept: "application/yaml" }),
  get("get-protobuf", `${maps}/a`, protobuf),
  get("get-table", `${maps}/a`, form("Table")),
  get("get-metadata", `${maps}/a`, form("PartialObjectMetadata")),
  get("get-406", `${maps}/a`, { accept: "application/xml" }),
  get("get-404-as-unknown", `${maps}/none`, form("Nope")),
  get("list", `${maps}?limit=1`),
  get("list-by-name", `${maps}?fieldSelector=metadata.name=a`),
  get("list-empty", `${shop}/pods`),
  get("list-table", `${maps}?limit=1`, form("Table")),
  get("list-metadata", `${maps}?limit=1`, form("PartialObjectMetadataList")),
  get("list-protobuf", `${maps}?limit=1`, protobuf),
  get("list-wrong", `${maps}?labelSelector=a%3D%3D%3Db`),
  get("list-timeout", `${maps}?timeout=bad`),
  get("watch", `${maps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=a`),
  get("watch-later", `${maps}?watch=1&timeoutSeconds=1&resourceVersion=nope`),
  get("watch-forbidden", `${maps}?watch=1`, as("nobody")),
  get("widgets", widgets),
  get(
    "widgets-deprecated",
    "/apis/example.com/v1beta1/namespaces/shop/widgets?watch=1&timeoutSeconds=1",
  ),
  get("endpoints-list", `${shop}/endpoints`, form("PartialObjectMetadataList")),
  get("endpoints-404", `${shop}/endpoints/none`),
  get("endpoints-forbidden", `${shop}/endpoints`, as("nobody")),
  get("unknown-version", "/apis/example.com/v9/namespaces/shop/widgets"),
];
