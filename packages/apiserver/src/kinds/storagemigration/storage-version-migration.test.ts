import assert from "node:assert/strict";
import { test } from "node:test";
import { openKind } from "../open-kind.suite.ts";

const migrations = openKind("storagemigration.k8s.io", "storageversionmigrations");
const body = (group: string, resource: string, status: object = {}): object => ({
  metadata: { name: "m" },
  spec: { resource: { group, resource } },
  status,
});
const condition = (type: string, status = "True"): object => ({
  type,
  status,
  reason: "R",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

test("a migration names a resource for good", () => {
  assert.deepEqual(migrations.create(body("x.io", "")).errors, [
    "spec.resource.resource: Required value: resource is required to be set",
  ]);
  assert.match(migrations.create(body("X", "As")).errors.join(), /"As".*DNS-1035.*"X".*RFC 1123/);
  const { object, errors } = migrations.create(body("x.io", "as", { resourceVersion: "1" }));
  assert.deepEqual([errors, object["status"]], [[], {}]);
  assert.deepEqual(migrations.update(object, body("", "bs")).errors, [
    'spec: Invalid value: {"Resource":{"group":"","resource":"bs"}}: field is immutable',
  ]);
});

test("its revision and outcome stay", () => {
  const { object: created } = migrations.create(body("x.io", "as"));
  const write = (from: typeof created, status: object) =>
    migrations.update(from, body("x.io", "as", status), "status");
  assert.deepEqual(write(created, { resourceVersion: "07" }).errors, [
    'status.resourceVersion: Invalid value: "07": resource version is not well formed: 07',
  ]);
  const conditions = [condition("Running"), condition("Succeeded")];
  const { object, errors } = write(created, { resourceVersion: "7", conditions });
  assert.deepEqual(errors, []);
  assert.deepEqual(migrations.cells(object), ["m", "as.x.io", "Succeeded"]);
  assert.deepEqual(migrations.cells(created), ["m", "as.x.io", "Unknown"]);
  const changed = write(object, { resourceVersion: "8", conditions: [condition("Failed")] }).errors;
  assert.match(
    changed.join("\n"),
    /^status.resourceVersion: Invalid value: "8": field is immutable\nstatus.conditions: .*: Success condition cannot be set to false once it is true$/,
  );
  const both = { resourceVersion: "7", conditions: [...conditions, condition("Failed")] };
  assert.match(
    write(object, both).errors.join(),
    /^status.conditions: .*Both success and failed conditions cannot be true at the same time$/,
  );
});
