import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseControllers, controllerDescriptors } from "./start-controllers.ts";

const names = (value: string): readonly string[] | string => {
  const choice = chooseControllers(value);
  return "unknown" in choice ? choice.unknown : choice.chosen.map(({ name }) => name);
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
  assert.deepEqual(names("default"), ["garbagecollector", "namespace"]);
  assert.deepEqual(names("deployment, replicaset,deployment"), ["deployment", "replicaset"]);
  assert.deepEqual(names("none"), []);
  assert.equal(names("deployment,nothing"), "nothing");
  assert.equal(names("all,-nothing"), "nothing");
});

test("current and former names mean the same controller, and a dash removes it", () => {
  assert.deepEqual(
    names("deployment-controller,garbage-collector-controller,namespace-controller,job"),
    ["deployment", "garbagecollector", "namespace", "job"],
  );
  assert.deepEqual(names("-namespace-controller,default"), ["garbagecollector"]);
  assert.ok(!names("*,-job-controller").includes("job"));
});
