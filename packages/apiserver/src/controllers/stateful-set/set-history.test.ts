import assert from "node:assert/strict";
import { test } from "node:test";
import { templatePatch } from "../../component-helpers/workloads/controller-revision.ts";
import type { ControllerRevision, StatefulSet } from "homeostat/k8s/apps/v1";
import type { Pod } from "homeostat/k8s/core/v1";
import { planRevision, spentRevisions } from "./set-history.ts";
import {
  claimsFor,
  hasIdentity,
  hasStorage,
  statefulPod,
  withIdentity,
  withStorage,
} from "./stateful-pod.ts";
import { ordinalOf } from "./ordinals.ts";

const metadata = (name: string): StatefulSet["metadata"] => ({
  name,
  namespace: "ns",
  uid: name,
  resourceVersion: "1",
  creationTimestamp: "2024-01-01T00:00:00Z",
});
const template = (image: string): StatefulSet["spec"]["template"] => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "c", image }], volumes: [{ name: "data" }, { name: "own" }] },
});
const set: StatefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { ...metadata("web"), annotations: { note: "a" } },
  spec: {
    replicas: 1,
    revisionHistoryLimit: 1,
    selector: { matchLabels: { app: "web" } },
    serviceName: "net",
    template: template("c:1"),
    updateStrategy: { type: "RollingUpdate" },
    volumeClaimTemplates: [{ metadata: { name: "data", labels: { tier: "db" } }, spec: {} }],
  },
  status: { replicas: 0 },
};
const revisionOf = (name: string, revision: number, image: string): ControllerRevision => ({
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  metadata: metadata(name),
  data: templatePatch(template(image)),
  revision,
});

test("finds the revision in use, promotes an equal one, or creates one", () => {
  const [one, two] = [revisionOf("one", 1, "c:1"), revisionOf("two", 2, "c:2")];
  assert.deepEqual(planRevision(set, [revisionOf("three", 3, "c:1"), two]), {
    update: revisionOf("three", 3, "c:1"),
  });
  assert.deepEqual(planRevision(set, [two, one]), { front: one, number: 3 });
  const plan = planRevision(set, [two]);
  assert.ok("create" in plan);
  const { name, labels, annotations, ownerReferences } = plan.create.metadata;
  assert.deepEqual(
    [name, plan.create.revision, labels?.["app"], annotations, ownerReferences?.[0]?.uid],
    [`web-${labels?.["controller.kubernetes.io/hash"]}`, 3, "web", { note: "a" }, "web"],
  );
});

test("revisions that are in use do not count against the limit, the oldest of the others go", () => {
  const revisions = [5, 1, 2, 3, 4].map((number) =>
    revisionOf(`r${number}`, number, `c:${number}`),
  );
  const names = (limit: number, used: readonly string[]): readonly string[] =>
    spentRevisions(
      { ...set, spec: { ...set.spec, revisionHistoryLimit: limit } },
      revisions,
      used,
    ).map((one) => one.metadata.name);
  assert.deepEqual(names(1, ["r5", "r1"]), ["r2", "r3"]);
  assert.deepEqual(names(3, ["r5", "r1"]), []);
  assert.deepEqual(names(0, []), ["r1", "r2", "r3", "r4", "r5"]);
});

test("a pod's identity follows from its ordinal", () => {
  const pod = statefulPod(set, { ordinal: 3, template: template("c:1"), revision: "web-x" });
  assert.equal(pod.metadata.name, "web-3");
  assert.deepEqual(pod.metadata.labels, {
    app: "web",
    "statefulset.kubernetes.io/pod-name": "web-3",
    "apps.kubernetes.io/pod-index": "3",
    "controller-revision-hash": "web-x",
  });
  assert.deepEqual([pod.spec["hostname"], pod.spec["subdomain"]], ["web-3", "net"]);
  assert.deepEqual(pod.spec["volumes"], [
    { name: "data", persistentVolumeClaim: { claimName: "data-web-3" } },
    { name: "own" },
  ]);
  assert.deepEqual(
    claimsFor(set, 3).map((claim) => [claim.metadata.name, claim.metadata.labels]),
    [["data-web-3", { tier: "db", app: "web" }]],
  );
});

test("a pod whose identity differs from its name is corrected", () => {
  const stray: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...metadata("web-3"), labels: { app: "web" } },
    spec: { containers: [], volumes: [{ name: "data" }] },
    status: {},
  };
  assert.ok(!hasIdentity(set, stray) && !hasStorage(set, stray));
  const mended = withStorage(set, withIdentity(stray));
  assert.ok(hasIdentity(set, mended) && hasStorage(set, mended));
  assert.ok(!hasIdentity({ ...set, metadata: metadata("other") }, mended));
});

test("ordinals are parsed from names", () => {
  const of = (name: string): unknown => ordinalOf({ metadata: metadata(name) });
  assert.deepEqual(of("web-a-12"), { parent: "web-a", ordinal: 12 });
  assert.deepEqual(of("web"), { parent: "", ordinal: -1 });
  assert.deepEqual(of("web-99999999999"), { parent: "web", ordinal: -1 });
});
