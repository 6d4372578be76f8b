import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import type { Revision } from "../../storage/store.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { widgets } from "../testdata/widgets.ts";
import { createRepresentations } from "./representations.ts";

const stored = (schemaEpoch: number): Revision => ({
  key: "example.com/widgets/home/a",
  revision: 7,
  created: 7,
  schemaEpoch,
  type: "ADDED",
  attributes: {
    uid: "u",
    labels: {},
    fields: {},
    owners: [],
    finalizers: [],
    deleting: false,
  } as unknown as Revision["attributes"],
  bytes: new TextEncoder().encode('{"kind":"Widget","metadata":{"name":"a"},"old":1}'),
});

/** A kind whose current schema lacks `old`. */
const changed: ServedResource = {
  ...widgets,
  schemaEpoch: 2,
  codec: {
    ...widgets.codec,
    fromStorage({ old: _old, ...known }: JsonObject) {
      return known;
    },
  },
};

test("bytes written under the present schema are handed out, older ones are shown by it", () => {
  const representations = createRepresentations();
  const now = stored(2);
  assert.equal(representations.bytes(changed, now), now.bytes);
  assert.deepEqual(representations.object(changed, stored(1)), {
    kind: "Widget",
    metadata: { name: "a" },
  });
  assert.equal(
    new TextDecoder().decode(representations.bytes(changed, stored(1))),
    '{"kind":"Widget","metadata":{"name":"a"}}',
  );
});
