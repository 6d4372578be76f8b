import assert from "node:assert/strict";
import { test } from "node:test";
import { WireWriter } from "./wire-writer.ts";

test("a nested message keeps its content wherever the buffer has to grow", () => {
  for (let offset = 0; offset < 1100; offset++)
    for (const text of ["", "v", "v1", "x".repeat(130)]) {
      const writer = new WireWriter();
      writer.raw(new Uint8Array(offset));
      writer.string(1, text);
      const length =
        text.length > 127 ? [(text.length & 0x7f) | 0x80, text.length >> 7] : [text.length];
      assert.deepEqual(
        [...writer.finish().subarray(offset)],
        [10, ...length, ...Buffer.from(text)],
        `at ${offset}, ${text.length} characters`,
      );
    }
});
