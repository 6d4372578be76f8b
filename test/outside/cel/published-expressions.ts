// The expressions of the published CEL tests (cel.dev/expr, tests/simple/testdata), without
// duplicates and expected results.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  parseTextproto,
  type TextMessage,
} from "../../../packages/cel/src/testing/parse-textproto.ts";

export function listPublishedExpressions(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".textproto"));
  return [
    ...new Set(
      files.flatMap((name) =>
        expressionsOf(parseTextproto(readFileSync(join(folder, name), "utf8"))),
      ),
    ),
  ];
}

function expressionsOf(suite: TextMessage): readonly string[] {
  const below = (message: TextMessage, field: string): readonly TextMessage[] =>
    (message[field] ?? []) as readonly TextMessage[];
  return below(suite, "section")
    .flatMap((section) => below(section, "test"))
    .map(({ expr }) => expr?.[0])
    .flatMap((value) =>
      value && "bytes" in value ? [Buffer.from(value.bytes as Uint8Array).toString()] : [],
    );
}
