// Writes packages/apiserver/data/vX.Y-bootstrap.jsonl: the objects that a fresh kube-apiserver
// creates, as it stores them, without uids, revisions and times. One object per line; the first
// line names the source. The server must be a fresh one, without controllers, with
// --service-cluster-ip-range=10.0.0.0/24.
// Usage: `node tools/kinds/record-bootstrap.ts KUBECONFIG OUT`

import { writeFileSync } from "node:fs";
import { openReferenceClient } from "../reference/ask-reference.ts";

interface Stored {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const collections = [
  "/api/v1/namespaces",
  "/apis/apiregistration.k8s.io/v1/apiservices",
  "/apis/networking.k8s.io/v1/servicecidrs",
  "/apis/networking.k8s.io/v1/ipaddresses",
  "/api/v1/services",
  "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
  "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
  "/apis/scheduling.k8s.io/v1/priorityclasses",
  "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  "/apis/rbac.authorization.k8s.io/v1/roles",
  "/apis/rbac.authorization.k8s.io/v1/rolebindings",
];
/**
 * What the target port of the service `kubernetes` is by default, whatever the recorded server
 * listens on.
 */
const securePort = 6443;
const changing = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "time",
  "lastTransitionTime",
]);

const [kubeconfig, out] = process.argv.slice(2);
if (kubeconfig === undefined || out === undefined)
  throw new Error("usage: record-bootstrap.ts KUBECONFIG OUT");
const client = openReferenceClient(kubeconfig);
const { gitVersion } = (await client.json("/version")) as { readonly gitVersion: string };
const lines = [JSON.stringify({ origin: `objects of a fresh kube-apiserver ${gitVersion}` })];
for (const path of collections) {
  const { items } = (await client.json(path)) as { readonly items: readonly Stored[] };
  for (const { metadata } of items) {
    const collection =
      metadata.namespace === undefined
        ? path
        : path.replace("/v1/", `/v1/namespaces/${metadata.namespace}/`);
    const object = await client.json(`${collection}/${encodeURIComponent(metadata.name)}`);
    lines.push(
      JSON.stringify(object, (field, value: unknown) => {
        if (field === "targetPort") return securePort;
        return changing.has(field) && typeof value === "string" ? "" : value;
      }),
    );
  }
}
writeFileSync(out, `${lines.join("\n")}\n`);
