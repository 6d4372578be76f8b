import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseControllers, controllerDescriptors } from "./start-controllers.ts";

const names = (value: string, needed: readonly string[] = []): readonly string[] | string => {
  const choice = chooseControllers(value, needed);
  return "problem" in choice ? choice.problem : choice.chosen.map(({ name }) => name);
};

test("all means every controller of kube-controller-manager; those of other programs run by name only", () => {
  const byName = controllerDescriptors.filter((one) => one.byNameOnly).map(({ name }) => name);
  assert.deepEqual(byName, ["kube-scheduler", "kubelet", "stages", "volume-provisioner"]);
  assert.deepEqual(
    names("all"),
    controllerDescriptors.map(({ name }) => name).filter((name) => !byName.includes(name)),
  );
  assert.deepEqual(names("*"), names("all"));
  assert.equal(names("all,pod-lifecycle").length, names("all").length + 3);
  assert.deepEqual(names("default"), ["garbagecollector", "namespace", "clusterrole-aggregation"]);
  assert.deepEqual(names("deployment, replicaset,deployment"), ["deployment", "replicaset"]);
  assert.deepEqual(names("none"), []);
});

test("an unknown name is refused with those that are known", () => {
  for (const value of ["deployment,nothing", "all,-nothing"])
    assert.match(
      String(names(value)),
      /^unknown controller "nothing"; expected default, all \(or \*\), none, or any of garbagecollector, .*pod-lifecycle; a leading dash/,
    );
});

test("none stands alone; what fake nodes and stages need is added to it", () => {
  for (const value of ["default,none", "none, job", "none,-job", "none,none"])
    assert.equal(
      names(value),
      `expected none alone, or names without none, got ${JSON.stringify(value)}`,
    );
  assert.deepEqual(names("none", ["stages"]), ["stages"]);
  const others = ["garbagecollector", "clusterrole-aggregation"];
  assert.deepEqual(names("default,-namespace", ["stages"]), [...others, "stages"]);
});

test("current and former names mean the same controller, and a dash removes it", () => {
  assert.deepEqual(
    names("deployment-controller,garbage-collector-controller,namespace-controller,job"),
    ["deployment", "garbagecollector", "namespace", "job"],
  );
  assert.deepEqual(names("-namespace-controller,default"), [
    "garbagecollector",
    "clusterrole-aggregation",
  ]);
  assert.ok(!names("*,-job-controller").includes("job"));
});
