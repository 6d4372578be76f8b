import assert from "node:assert/strict";
import { test } from "node:test";
import { storedMetadata } from "../../component-helpers/meta/stored-metadata.suite.ts";
import type { Deployment, ReplicaSet } from "homeostat/k8s/apps/v1";
import { byRevision, findNewSet, maxRevision, newestAnnotations } from "./revisions.ts";

const revision = "deployment.kubernetes.io/revision";
const history = "deployment.kubernetes.io/revision-history";
const metadata = storedMetadata("x");
const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "c", image: "c:1" }], volumes: [] },
};

const deploymentWith = (annotations: Record<string, string>): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { ...metadata, annotations },
  spec: { replicas: 1, selector: {}, strategy: { type: "Recreate" }, template },
  status: {},
});
const setWith = (
  annotations: Record<string, string>,
  spec: Partial<ReplicaSet["spec"]> = {},
): ReplicaSet => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { ...metadata, annotations },
  spec: { selector: {}, ...spec },
  status: { replicas: 0 },
});

test("the newest set takes the deployment's annotations, except those that each manages itself", () => {
  const deployment = deploymentWith({
    note: "a",
    "kubectl.kubernetes.io/last-applied-configuration": "{}",
    [revision]: "9",
  });
  assert.deepEqual(newestAnnotations(deployment, {}, 1n), { note: "a", [revision]: "1" });
  assert.deepEqual(newestAnnotations(deployment, { other: "b", [revision]: "3" }, 3n), {
    note: "a",
    other: "b",
    [revision]: "3",
  });
});

test("a set that becomes the newest again keeps its revision history", () => {
  const once = newestAnnotations(deploymentWith({}), { [revision]: "1" }, 3n);
  assert.deepEqual(once, { [revision]: "3", [history]: "1" });
  assert.deepEqual(newestAnnotations(deploymentWith({}), once, 7n), {
    [revision]: "7",
    [history]: "1,3",
  });
  const long = Array.from({ length: 700 }, (_, i) => i).join(",");
  const shortened = newestAnnotations(
    deploymentWith({}),
    { [revision]: "800", [history]: long },
    900n,
  )[history]!;
  assert.ok(shortened.length <= 2000 && shortened.endsWith(",699,800"));
});

test("revisions are compared as numbers; an invalid one counts as zero", () => {
  const [two, ten, none] = [
    setWith({ [revision]: "2" }),
    setWith({ [revision]: "10" }),
    setWith({ [revision]: "x" }),
  ];
  assert.equal(maxRevision([two, ten, none]), 10n);
  assert.equal(
    maxRevision([setWith({ [revision]: "3546343826724305832" })]) + 1n,
    3546343826724305833n,
  );
  assert.deepEqual([ten, two].toSorted(byRevision), [two, ten]);
});

test("a set is found by its template, ignoring the hash and empty fields", () => {
  const { volumes: _, ...spec } = template.spec;
  const made = setWith(
    {},
    {
      template: {
        metadata: { labels: { app: "web", "pod-template-hash": "abc" } },
        spec: { ...spec, affinity: null as never },
      },
    },
  );
  const other = setWith(
    {},
    { template: { ...template, spec: { containers: [{ name: "c", image: "c:2" }] } } },
  );
  assert.equal(findNewSet(deploymentWith({}), [other, made]), made);
  assert.equal(findNewSet(deploymentWith({}), [other]), undefined);
});
