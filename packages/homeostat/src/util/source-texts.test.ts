import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { SourceTexts } from "./source-texts.ts";

test("the text at a frame is read once, by path or URL, and undefined where there is none", () => {
  const folder = mkdtempSync(join(tmpdir(), "source-texts-"));
  const file = join(folder, "program.js");
  const url = pathToFileURL(file).href;
  try {
    writeFileSync(file, `\n  labels.tier;${"x".repeat(300)}\n`);
    const texts = new SourceTexts();
    assert.equal(texts.at(`    at ${file}:2:10`)?.slice(0, 5), "tier;");
    assert.equal(texts.at(`    at read (${url}:2:3)`)?.length, 200);
    assert.equal(texts.at(`    at ${file}:9:1`), undefined);
    assert.equal(texts.at("    at native"), undefined);
    const full = new SourceTexts();
    for (let i = 0; i < 1000; i++) full.at(`    at native:${i}`);
    assert.equal(full.at(`    at ${file}:2:10`)?.slice(0, 5), "tier;");
    rmSync(file);
    assert.equal(texts.at(`    at ${file}:2:10`)?.slice(0, 5), "tier;", "remembered");
    assert.equal(texts.at(`    at ${file}:2:3`), undefined);
    assert.equal(full.at(`    at ${file}:2:10`), undefined, "a full memory takes no more");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
