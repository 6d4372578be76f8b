import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { BodyParts } from "../../apimachinery/body-parts.ts";
import type { TablePrinter } from "../../apimachinery/rest/table-printer.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Revision } from "../../storage/store.ts";
import type { Representations } from "./representations.ts";
import { AgeTexts, TableRows } from "./table-rows.ts";

/** Rows over objects that are counted when they are parsed. */
function arrange(object: JsonObject, cells: TablePrinter["cells"]) {
  let parsed = 0;
  const representations = { object: () => (parsed++, object) } as unknown as Representations;
  const table: TablePrinter = { columns: [], cells, emptyRowsNull: false };
  const resource = { table } as ServedResource;
  const rows = new TableRows(representations, "s3cret");
  return {
    row: (revision: Revision, nowMs: number) => {
      const parts = new BodyParts();
      rows.addRow(parts, resource, revision, new AgeTexts(nowMs));
      return Buffer.from(parts.join()).toString();
    },
    parsed: () => parsed,
  };
}

const revision = (): Revision => ({}) as Revision;

test("a row is printed once, its ages at each request", () => {
  const { row, parsed } = arrange({}, (_, ages) => [
    "wé<b>",
    `2 (${ages.since(1000)} ago)`,
    ages.since(0.5),
  ]);
  const kept = revision();
  assert.equal(row(kept, 61_000), '{"cells":["wé\\u003cb\\u003e","2 (60s ago)","60s"],"object":');
  assert.match(row(kept, 3_601_000), /"2 \(60m ago\)","60m"/);
  assert.equal(parsed(), 1);
  row(revision(), 0);
  assert.equal(parsed(), 2);
});

test("a row without ages, and a time far in the past", () => {
  const plain = arrange({}, () => ["a", 1, null]);
  assert.equal(plain.row(revision(), 0), '{"cells":["a",1,null],"object":');
  const old = arrange({}, (_, ages) => [ages.since(-1e21)]);
  assert.match(old.row(revision(), 0), /"cells":\["[0-9e+]+y"\]/);
});

test("what an object contains is no age", () => {
  const { row } = arrange({}, () => ["age:other:5;", "age:"]);
  assert.equal(row(revision(), 0), '{"cells":["age:other:5;","age:"],"object":');
});
