// Audited requests of other users, of paths and subresources, and by admission.
import {
  type AuditRequest,
  as,
  get,
  map,
  maps,
  patch,
  pod,
  post,
  protobuf,
  remove,
  shop,
} from "./request-builders.ts";

/** Users, addresses and agents. */
export const users: readonly AuditRequest[] = [
  { ...get("account-get", `${maps}/y`), token: "account" },
  { ...get("account-forbidden", `${shop}/secrets`), token: "account" },
  { ...get("account-impersonates", `${maps}/y`, as("jane", "g1")), token: "account" },
  { ...remove("account-may-not", `${maps}/y`), headers: as("jane"), token: "account" },
  { ...get("unauthorized", `${maps}/y`), token: "wrong" },
  { ...post("unauthorized-create", maps, map("x")), token: "wrong" },
  { ...get("unauthorized-path", "/livez"), token: "wrong" },
  { ...get("anonymous", `${maps}/y`), token: "" },
  { ...get("anonymous-version", "/version"), token: "" },
  get("impersonated", `${maps}/y`, as("jane")),
  get("impersonated-with-extra", `${maps}/y`, {
    ...as("jane", "devs", "ops"),
    "impersonate-uid": "42",
    "impersonate-extra-acme.com%2fproject": ["a", "b"],
  }),
  get("impersonated-account", `${maps}/y`, as("system:serviceaccount:shop:robot")),
  get("impersonated-nobody", `${maps}/y`, { "impersonate-group": "g" }),
  get("addresses", `${maps}/y`, {
    "x-forwarded-for": "1.2.3.4, bad, 2001:DB8::1,010.1.1.1",
    "x-real-ip": "9.9.9.9",
  }),
  get("addresses-repeated", `${maps}/y`, {
    "x-forwarded-for": "127.0.0.1",
    "x-real-ip": "127.0.0.1",
  }),
  get("long-agent", `${maps}/y`, { "user-agent": "x".repeat(1100) }),
  get("encoded", `${maps}/%79?x=%20y&z=a%2fb`),
];

/** Paths that are no resources. */
export const paths: readonly AuditRequest[] = [
  get("path-version", "/version"),
  get("path-livez", "/livez?verbose"),
  get("path-api", "/api"),
  get("path-group", "/apis/apps"),
  get("path-group-protobuf", "/apis/apps", protobuf),
  get("path-resources", "/apis/example.com/v1beta1"),
  get("path-nowhere", "/nowhere"),
  get("path-api-nowhere", "/api/v1/nowhere"),
  get("path-jwks", "/openid/v1/jwks"),
  post("path-version-post", "/version", {}),
];

/** Subresources and reviews. */
export const subresources: readonly AuditRequest[] = [
  post("pod", `${shop}/pods`, pod("p")),
  get("pod-log-404", `${shop}/pods/none/log?container=c`),
  post("pod-exec-404", `${shop}/pods/none/exec?command=ls&stdout=true`, {}),
  post("pod-evict", `${shop}/pods/p/eviction`, {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name: "p" },
    deleteOptions: { dryRun: ["All"] },
  }),
  post("pod-bind", `${shop}/pods/p/binding`, {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name: "p" },
    target: { kind: "Node", name: "n" },
  }),
  remove("pod-delete", `${shop}/pods/p?gracePeriodSeconds=0`),
  post("review", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: { verb: "get", resource: "pods", namespace: "shop" } },
  }),
];

/** Pod security and policies. */
export const admission: readonly AuditRequest[] = [
  post(
    "pod-refused",
    "/api/v1/namespaces/secure/pods",
    pod("bad", { securityContext: { privileged: true } }),
  ),
  post("pod-audited", "/api/v1/namespaces/secure/pods", pod("ok")),
  patch("pod-relabelled", "/api/v1/namespaces/secure/pods/ok", "merge-patch+json", {
    metadata: { labels: { l: "1" } },
  }),
  post("template-audited", "/apis/apps/v1/namespaces/secure/deployments", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: pod("")["spec"]! },
    },
  }),
  post("policy-held", "/api/v1/namespaces/checked/configmaps", map("held", { good: "1" })),
  post("policy-broken", "/api/v1/namespaces/checked/configmaps", map("broken", { bad: "1" })),
  post(
    "policy-text",
    "/api/v1/namespaces/checked/configmaps",
    map("text", { good: "1", text: " é ".repeat(4000) }),
  ),
];

/** The same in namespaces that the policies treat differently. */
export const levels: readonly AuditRequest[] = ["quiet", "meta", "request"].flatMap((name) => {
  const at = `/api/v1/namespaces/${name}/configmaps`;
  return [
    post(`${name}-create`, at, map("x")),
    get(`${name}-get`, `${at}/x`),
    get(`${name}-404`, `${at}/none`),
    patch(`${name}-merge`, `${at}/x`, "merge-patch+json", { data: { b: "2" } }),
    get(`${name}-watch`, `${at}?watch=1&timeoutSeconds=1`),
    get(`${name}-forbidden`, at, as("nobody")),
    { ...get(`${name}-unauthorized`, at), token: "wrong" },
    remove(`${name}-delete`, `${at}/x`, { kind: "DeleteOptions", apiVersion: "v1" }),
  ];
});
