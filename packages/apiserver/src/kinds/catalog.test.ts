import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { readKindData } from "../apimachinery/kind-data/read-kind-data.ts";
import { deducedType } from "../apimachinery/types/smd-type.ts";
import { createBuiltinResources } from "./create-builtin-resources.ts";
import { createCatalog } from "./catalog.ts";

test("a definition that the kind data do not know is refused", () => {
  const unknown = { group: "apps", version: "v1", kind: "Car" };
  const options = { data: readKindData("1.36"), smdOf: () => deducedType };
  assert.throws(() => createBuiltinResources(options, [unknown]), {
    code: "ERR_KINDS_UNKNOWN_KIND",
  });
});

const resource = (group: string, version: string, name: string): ServedResource =>
  ({ group, version, resource: name }) as ServedResource;

test("custom resources come and go, and every change raises the epoch", () => {
  const pods = resource("", "v1", "pods");
  const catalog = createCatalog([pods]);
  const v1 = resource("x.io", "v1", "cars");
  const v2 = resource("x.io", "v2", "cars");
  catalog.serve("cars.x.io", [v1]);
  assert.equal(catalog.find("x.io", "v1", "cars"), v1);
  catalog.serve("cars.x.io", [v2]);
  assert.deepEqual([catalog.find("x.io", "v1", "cars"), catalog.all()], [undefined, [pods, v2]]);
  const epoch = catalog.epoch;
  catalog.serve("cars.x.io", []);
  assert.deepEqual([catalog.all(), catalog.epoch], [[pods], epoch + 1]);
  catalog.serve("cars.x.io", []);
  assert.equal(catalog.epoch, epoch + 1);
});
