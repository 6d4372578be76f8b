// What patch builders make, which programs do not compile, and what they refuse.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Deployment } from "../../k8s/apps/v1/index.ts";
import { ConfigMap, Pod } from "../../k8s/core/v1/index.ts";
import { Order } from "../scripted-client.suite.ts";
import { applyConfiguration } from "./apply-configuration.ts";
import { jsonPatch } from "./json-patch.ts";
import { mergePatch, strategicPatch } from "./merge-patch.ts";

describe("jsonPatch", () => {
  it("names fields by functions or pointers", () => {
    const patch = jsonPatch(Deployment)
      .test((web) => web.spec.replicas, 1)
      .replace(({ spec }) => spec.replicas, 2)
      .add((web) => web.metadata.labels["example.com/a~b"], "c")
      .append((web) => web.spec.template.spec.containers, { name: "side" })
      .remove((web) => web.spec.template.spec.containers[0]!.command)
      .move(
        (web) => web.metadata.labels["a"],
        (web) => web.metadata.annotations["a"],
      )
      .copy("/metadata/name", "/metadata/labels/name")
      .add("", {});
    assert.deepEqual(
      [patch.type, patch.body],
      [
        "json",
        [
          { op: "test", path: "/spec/replicas", value: 1 },
          { op: "replace", path: "/spec/replicas", value: 2 },
          { op: "add", path: "/metadata/labels/example.com~1a~0b", value: "c" },
          { op: "add", path: "/spec/template/spec/containers/-", value: { name: "side" } },
          { op: "remove", path: "/spec/template/spec/containers/0/command" },
          { op: "move", from: "/metadata/labels/a", path: "/metadata/annotations/a" },
          { op: "copy", from: "/metadata/name", path: "/metadata/labels/name" },
          { op: "add", path: "", value: {} },
        ],
      ],
    );
  });

  it("leaves the shorter patch as it was, and puts preconditions first", () => {
    const first = jsonPatch(Order, { resourceVersion: "5", uid: "u" });
    first.add((order) => order.spec.table, 4);
    assert.deepEqual(first.body, [
      { op: "add", path: "/metadata/resourceVersion", value: "5" },
      { op: "add", path: "/metadata/uid", value: "u" },
    ]);
  });

  it("checks fields and values at compile time", () => {
    const patch = jsonPatch(Deployment);
    // @ts-expect-error a typo
    patch.remove((web) => web.spec.replica);
    // @ts-expect-error a text where a number belongs
    patch.replace((web) => web.spec.replicas, "2");
    // @ts-expect-error no container
    patch.append((web) => web.spec.template.spec.containers, { nam: "x" });
  });

  it("refuses what names no field", () => {
    const patch = jsonPatch(Deployment) as any;
    const says = (call: string, came: string) => ({
      code: "ERR_ARGUMENT",
      message: new RegExp(`${call}\\(…\\): an argument is ${came}, expected a function that names`),
    });
    assert.throws(() => patch.add("spec/replicas", 1), says("add", "'spec/replicas'"));
    assert.throws(() => patch.test("/a~2", 1), says("test", "'/a~2'"));
    assert.throws(() => patch.remove(), says("remove", "nothing"));
    assert.throws(() => patch.copy("/a", () => 7), says("copy", "7"));
    assert.throws(
      () => patch.replace("/a"),
      /replace\(…\): an argument is nothing, expected a value/,
    );
    assert.throws(() => jsonPatch({} as never), { code: "ERR_KIND_ARGUMENT" });
    assert.throws(
      () => jsonPatch(Deployment, { resourceVersion: 5 } as never),
      /jsonPatch\(…\): resourceVersion is 5, expected a string/,
    );
  });
});

describe("mergePatch, strategicPatch and applyConfiguration", () => {
  it("carry fields and preconditions", () => {
    assert.deepEqual(
      mergePatch(
        ConfigMap,
        { data: { a: null }, metadata: { labels: { b: "c" } } },
        { resourceVersion: "5" },
      ),
      {
        type: "merge",
        body: { data: { a: null }, metadata: { labels: { b: "c" }, resourceVersion: "5" } },
      },
    );
    const containers = [
      { name: "c", image: "i:2" },
      { name: "d", $patch: "delete" as const },
    ];
    assert.deepEqual(strategicPatch(Pod, { spec: { containers } }), {
      type: "strategic",
      body: { spec: { containers } },
    });
    assert.deepEqual(
      applyConfiguration(
        Deployment,
        { namespace: "away", name: "web" },
        { spec: { template: { spec: { containers: [{ name: "c", image: "i" }] } } } },
        { uid: "u" },
      ),
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web", namespace: "away", uid: "u" },
        spec: { template: { spec: { containers: [{ name: "c", image: "i" }] } } },
      },
    );
  });

  it("check fields at compile time", () => {
    // @ts-expect-error a typo
    mergePatch(Deployment, { spec: { replica: 1 } });
    // @ts-expect-error a text where a number belongs
    strategicPatch(Deployment, { spec: { replicas: "1" } });
    // @ts-expect-error apply removes nothing by null
    applyConfiguration(Deployment, "web", { spec: { replicas: null } });
    assert.throws(
      // @ts-expect-error no built-in kind
      () => strategicPatch(Order, {}),
      /expected a built-in kind, got Order of kitchen\.example\.com\/v1/,
    );
  });

  it("refuse what is no patch", () => {
    const wrong: readonly (readonly [() => unknown, RegExp])[] = [
      [
        () => mergePatch(ConfigMap, [] as never),
        /mergePatch\(…\): .* expected an object with fields/,
      ],
      [() => mergePatch({} as never, {}), /mergePatch\(…\)/],
      [
        () => mergePatch(ConfigMap, {}, { version: "5" } as never),
        /mergePatch\(…\): version: unknown option; expected any of resourceVersion, uid/,
      ],
      [
        () => mergePatch(ConfigMap, {}, "5" as never),
        /its last argument is '5', expected an object/,
      ],
      [() => strategicPatch(Pod, null as never), /strategicPatch\(…\): .* expected an object/],
      [() => applyConfiguration(Pod, "", {}), /applyConfiguration\(Pod, …\): .*, expected a name/],
      [() => applyConfiguration(Pod, "p", 7 as never), /an argument is 7, expected an object/],
    ];
    for (const [call, says] of wrong) assert.throws(call, says);
  });
});
