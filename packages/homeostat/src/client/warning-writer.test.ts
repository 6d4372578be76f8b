// What people see of the server's warnings.
import assert from "node:assert/strict";
import { it } from "node:test";
import { createWarningWriter } from "./warning-writer.ts";

it("a warning is written once, without control characters, until 1000 others came", () => {
  const lines: string[] = [];
  const warned = createWarningWriter({ write: (line) => void lines.push(line) });
  warned('unknown field "spec.foo"');
  warned('unknown field "spec.foo"');
  warned("\u001b[31mred");
  assert.deepEqual(lines, ['Warning: unknown field "spec.foo"\n', "Warning: red\n"]);
  for (let each = 0; each < 999; each++) warned(`text ${each}`);
  lines.length = 0;
  warned("\u001b[31mred");
  warned('unknown field "spec.foo"');
  assert.deepEqual(lines, ['Warning: unknown field "spec.foo"\n']);
});

it("wrong arguments are named", () => {
  assert.throws(() => createWarningWriter({ out: process.stderr } as never), {
    code: "ERR_ARGUMENT",
    message: /createWarningWriter\(…\): out: unknown option; expected any of write/,
  });
  assert.throws(() => createWarningWriter()(7 as never), {
    message: /a warning writer: its argument is 7, expected a string/,
  });
});
