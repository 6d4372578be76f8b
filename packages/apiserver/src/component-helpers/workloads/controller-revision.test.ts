import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeRevisionData, revisionHash, revisionName } from "homeostat/api";
import type { ControllerRevision } from "homeostat/k8s/apps/v1";
import type { PodTemplateSpec } from "homeostat/k8s/core/v1";
import { byRevision, isSameData, templateOf, templatePatch } from "./controller-revision.ts";

const template = (container: object, terminationGracePeriodSeconds: number): PodTemplateSpec => ({
  metadata: { labels: { app: "web" } },
  spec: {
    containers: [
      {
        name: "w",
        image: "w:1",
        resources: {},
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
        ...container,
      },
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  },
});

test("names are those that kube-controller-manager 1.36.3 gives", () => {
  assert.equal(revisionHash(templatePatch(template({}, 0)), 0), "9d44f89c5");
  assert.equal(revisionHash(templatePatch(template({ args: ["<a>&b"] }, 30)), 0), "58958847cc");
  assert.notEqual(revisionHash(templatePatch(template({}, 0)), 1), "9d44f89c5");
  assert.equal(revisionName("w".repeat(300), "9d44f89c5").length, 233);
});

test("data is printed as Go prints a map", () => {
  assert.equal(
    encodeRevisionData({ b: 1, a: { d: "<&>\u2028", c: [] } }),
    '{"a":{"c":[],"d":"\\u003c\\u0026\\u003e\\u2028"},"b":1}',
  );
  assert.ok(isSameData({ a: 1, b: 2 }, { b: 2, a: 1 }));
  assert.ok(!isSameData(undefined, {}));
});

test("a revision restores its template, or leaves the current one", () => {
  const [one, two] = [template({}, 0), template({ image: "w:2" }, 0)];
  assert.deepEqual(templateOf({ data: templatePatch(one) }, two), one);
  assert.equal(templateOf({ data: { spec: {} } }, two), two);
  assert.equal(templateOf({}, two), two);
});

test("revisions are ordered by number, then by age", () => {
  const revision = (name: string, number: number, second: number): ControllerRevision => ({
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name,
      uid: name,
      resourceVersion: "1",
      creationTimestamp: `2024-01-01T00:00:0${second}Z`,
    },
    revision: number,
  });
  const sorted = [
    revision("a", 1, 1),
    revision("c", 2, 1),
    revision("d", 2, 1),
    revision("b", 2, 2),
    revision("e", 10, 0),
  ];
  assert.deepEqual(sorted.toReversed().toSorted(byRevision), sorted);
});
