// The live screen on terminals of all sizes, as what is left on them after the control sequences.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createScreen } from "./screen.ts";
import type { ShownObject } from "./shown-object.ts";

const object = (kind: string, name: string, because = ""): ShownObject => ({
  kind,
  name,
  applied: true,
  ready: because === "",
  because,
  conditions: {},
});
const hint = "kubectl --kubeconfig .homeostat/kubeconfig get kitchen";
const many = Array.from({ length: 40 }, (_, i) =>
  object(
    "Ingredient",
    `terrace-pancakes-ingredient-${i}`,
    `waits for ${"a very long reason ".repeat(8)}`,
  ),
);

/** A terminal that knows what the screen uses: up, erase the line, erase what is below, colours. */
function terminal(size: { readonly rows?: number; readonly columns?: number }) {
  const lines: string[] = [];
  const writes: string[] = [];
  let row = 0;
  return {
    ...size,
    isTTY: true,
    writes,
    lines: () => lines,
    write(text: string) {
      writes.push(text);
      const up = /^\u001b\[(\d+)A/.exec(text);
      row -= Number(up?.[1] ?? 0);
      assert.ok(row >= 0, "the frame scrolled away");
      for (const line of text
        .slice(up?.[0].length ?? 0)
        .split("\n")
        .slice(0, -1))
        lines[row++] = line.replaceAll(/\u001b\[\d*[mK]/g, "");
      lines.length = row;
    },
  };
}

describe("the live screen", () => {
  for (const [rows, columns] of [
    [24, 80],
    [10, 40],
    [5, 20],
    [2, 12],
    [50, 200],
  ] as const) {
    it(`fits into ${columns}×${rows}`, () => {
      const out = terminal({ rows, columns });
      const screen = createScreen({ out, quiet: false, hint });
      for (const seconds of [0, 1, 2]) screen.show(many, { seconds, ready: false });
      assert.ok(out.lines().length < rows, `${out.lines().length} lines`);
      for (const line of out.lines()) assert.ok(line.length <= columns, line);
      assert.equal(out.lines().at(-1), "Ctrl-C ends.");
      const shown = out.lines().filter((line) => line.startsWith("Ingredient")).length;
      if (rows >= 10) assert.ok(out.lines().includes(shown < 40 ? `… and ${40 - shown} more` : ""));
    });
  }

  it("shows head, hint, objects and how to quit", () => {
    const out = terminal({});
    createScreen({ out, quiet: false, hint }).show(
      [object("Order", "window", 'waits for Chef "ada"'), object("Chef", "bruno")],
      { seconds: 3.2, ready: false },
    );
    assert.deepEqual(out.lines(), [
      "kitchen  3 s  cooking",
      hint,
      "",
      'Order       window                     waits for Chef "ada"',
      "Chef        bruno                      ready",
      "",
      "Ctrl-C ends.",
    ]);
  });

  it("redraws only changed lines", () => {
    const out = terminal({ rows: 24, columns: 80 });
    const screen = createScreen({ out, quiet: false, hint });
    for (const seconds of [1.1, 1.2, 1.9])
      screen.show([object("Chef", "ada")], { seconds, ready: false });
    assert.equal(out.writes.length, 1);
    for (const seconds of [2.4, 3, 60])
      screen.show([object("Chef", "ada")], { seconds, ready: true });
    assert.equal(out.writes.length, 2);
    assert.equal(out.lines()[0], "kitchen  2.4 s  dinner is ready");
    screen.show([object("Chef", "ada"), object("Order", "late", "not yet Ready")], {
      seconds: 61,
      ready: false,
    });
    assert.equal(out.lines()[0], "kitchen  61 s  cooking");
  });
});
