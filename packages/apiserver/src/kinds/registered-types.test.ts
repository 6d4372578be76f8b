import assert from "node:assert/strict";
import { test } from "node:test";
import { parseApiVersion } from "homeostat/api";
import { readKindData } from "../apimachinery/kind-data/read-kind-data.ts";
import { goTypeOf, groupOfRetired } from "./registered-types.ts";

const data = readKindData("1.36");
const kindOf = (text: string) => {
  const [apiVersion = "", kind = ""] = text.split(" ");
  return { ...parseApiVersion(apiVersion)!, kind };
};
const typeIn = (group: string, text: string) => goTypeOf(data, kindOf(text), group);

test("the scheme of built-in kinds has served and other versions, lists and options", () => {
  for (const [text, type] of [
    ["v1 Pod", "v1.Pod"],
    ["apps/v1beta1 DeploymentList", "v1beta1.DeploymentList"],
    ["apps/v1beta1 ScaleList", undefined],
    ["apps/v1beta2 DeleteOptions", "v1.DeleteOptions"],
    ["apps/v3 DeleteOptions", undefined],
    ["x.io/v9 Status", "v1.Status"],
    ["storagemigration.k8s.io/v1beta1 StorageVersionMigration", "v1beta1.StorageVersionMigration"],
    ["meta.k8s.io/v1 Table", undefined],
    ["apiregistration.k8s.io/v1 APIService", undefined],
  ] as const)
    assert.equal(typeIn("apps", text), type, text);
});

test("definitions and API services have schemes of their own", () => {
  const definitions = "apiextensions.k8s.io";
  assert.equal(typeIn(definitions, `${definitions}/v1 ConversionReview`), "v1.ConversionReview");
  assert.equal(typeIn(definitions, "v1 ListOptions"), "v1.ListOptions");
  assert.equal(typeIn(definitions, "v1 Pod"), undefined);
  assert.equal(typeIn("apiregistration.k8s.io", "apps/v1 DeleteOptions"), undefined);
});

test("the scheme of DeleteOptions has what writes may be given", () => {
  assert.equal(typeIn("meta.k8s.io", "apps/v1 UpdateOptions"), "v1.UpdateOptions");
  assert.equal(typeIn("meta.k8s.io", "meta.k8s.io/v1 Table"), "v1.Table");
  assert.equal(typeIn("meta.k8s.io", "v1 ListOptions"), undefined);
});

test("a retired version belongs to the group that serves its kind now", () => {
  assert.equal(groupOfRetired(kindOf("extensions/v1beta1 Ingress")), "networking.k8s.io");
  assert.equal(groupOfRetired(kindOf("batch/v1beta1 CronJob")), "batch");
  assert.equal(groupOfRetired(kindOf("batch/v1 CronJob")), undefined);
});
