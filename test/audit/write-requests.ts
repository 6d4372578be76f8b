// Audited creates, updates, patches and deletes.
import {
  type AuditRequest,
  map,
  maps,
  patch,
  post,
  put,
  remove,
  shop,
  widget,
  widgets,
} from "./request-builders.ts";

/** Creates, refused ones among them. */
export const creates: readonly AuditRequest[] = [
  post("create", `${maps}?fieldManager=me`, map("a")),
  post("create-again", maps, map("a")),
  post("create-generated", maps, { ...map(""), metadata: { generateName: "gen-" } }),
  post("create-invalid", maps, map("Bad_Name")),
  post("create-garbage", maps, "{nope"),
  post("create-other-kind", maps, { ...map("x"), kind: "Namespace" }),
  post("create-other-namespace", maps, map("x", {}, { namespace: "other" })),
  post("create-with-uid", maps, map("x", {}, { uid: "u", resourceVersion: "5" })),
  post("create-strict", `${maps}?fieldValidation=Strict`, { ...map("x"), unknown: 1 }),
  post("create-dry", `${maps}?dryRun=All`, map("dry")),
  post("create-nowhere", "/api/v1/namespaces/nowhere/configmaps", map("x")),
  post(
    "create-yaml",
    maps,
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\ndata: {h: <b>}\n",
    {
      "content-type": "application/yaml",
      accept: "application/yaml",
    },
  ),
  post("create-415", maps, "x", { "content-type": "text/plain" }),
  post("widget", widgets, widget("w", { text: "<t>", dropped: 1 })),
  post("widget-bare", widgets, {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "b" },
  }),
  post("widget-invalid", widgets, widget("x", { size: "big" })),
  post("endpoints", `${shop}/endpoints`, {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "e" },
    subsets: [{ addresses: [{ ip: "10.9.8.7" }], ports: [{ port: 80 }] }],
  }),
  post("token", `${shop}/serviceaccounts/robot/token`, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: 3600 },
  }),
];

/** Updates, patches and deletes. */
export const changes: readonly AuditRequest[] = [
  put("update", `${maps}/a`, map("a", { a: "2" })),
  put("update-conflict", `${maps}/a`, map("a", { a: "3" }, { resourceVersion: "1" })),
  put("update-404", `${maps}/none`, map("none")),
  patch("merge", `${maps}/a`, "merge-patch+json", ' {"data": {"b":"<x>", "n": null}}'),
  patch(
    "json-patch",
    `${maps}/a`,
    "json-patch+json",
    '[{"op":"test","path":"/data/a","value":"0"}]',
  ),
  patch("strategic", `${maps}/a`, "strategic-merge-patch+json", {
    metadata: { labels: { l: "1" } },
  }),
  patch("merge-404", `${maps}/none`, "merge-patch+json", {}),
  patch("merge-garbage", `${maps}/a`, "merge-patch+json", "{nope"),
  patch("apply", `${maps}/applied?fieldManager=me`, "apply-patch+yaml", map("applied")),
  patch(
    "apply-yaml",
    `${maps}/applied?fieldManager=me`,
    "apply-patch+yaml",
    "apiVersion: v1\nkind: ConfigMap\n",
  ),
  patch(
    "apply-conflict",
    `${maps}/applied?fieldManager=you`,
    "apply-patch+yaml",
    map("applied", { a: "z" }),
  ),
  patch("widget-status", `${widgets}/w/status`, "merge-patch+json", { status: { ready: true } }),
  remove("delete-dry", `${maps}/applied?dryRun=All`),
  remove("delete-wrong", `${maps}/applied`, {
    kind: "DeleteOptions",
    apiVersion: "v1",
    gracePeriodSeconds: 0,
    dryRun: ["All"],
    preconditions: { uid: "nope" },
    propagationPolicy: "Background",
  }),
  remove("delete", `${maps}/applied`, { propagationPolicy: "Background" }),
  remove("delete-404", `${maps}/none`),
  remove("delete-widget", `${widgets}/w`),
  remove("delete-collection", `${maps}?labelSelector=l%3D1`, {
    kind: "DeleteOptions",
    apiVersion: "v1",
  }),
];
