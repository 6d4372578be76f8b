import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyParts } from "./body-parts.ts";

const letters = "abcdefghijklmnopqrstuvwxyz";

function gather(...lengths: readonly number[]): {
  readonly parts: BodyParts;
  readonly text: string;
} {
  const parts = new BodyParts();
  let text = "";
  for (const [i, length] of lengths.entries()) {
    const part = letters[i % letters.length]!.repeat(length);
    parts.text(part);
    text += part;
  }
  return { parts, text };
}

test("slabs of any size carry the parts in order, whole", () => {
  const { parts, text } = gather(3, 0, 1, 40, 2, 7, 1, 1, 100, 5);
  assert.equal(parts.length, text.length);
  for (let size = 1; size <= text.length + 3; size++) {
    let sent = "";
    for (const slab of parts.slabs(size)) {
      assert.ok(slab.length > 0 && slab.length <= size);
      sent += Buffer.from(slab).toString();
    }
    assert.equal(sent, text, `size ${size}`);
  }
});

test("joined parts are one copy; no parts are no bytes", () => {
  const { parts, text } = gather(10, 20);
  assert.equal(Buffer.from(parts.join()).toString(), text);
  assert.equal(new BodyParts().join().length, 0);
  assert.deepEqual([...new BodyParts().slabs(8)], []);
});
