import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { ExpiringAnswers } from "./expiring-answers.ts";

test("an answer is asked for once while it holds, errors again each time", async () => {
  const runtime = createVirtualRuntime();
  const answers = new ExpiringAnswers<number>(runtime.clock);
  let asked = 0;
  const ask = () => answers.get("a", async () => ({ value: ++asked, holdsMs: 1000 }));
  assert.deepEqual(await Promise.all([ask(), ask()]), [1, 1], "at the same time");
  await runtime.advance(999);
  assert.equal(await ask(), 1);
  await runtime.advance(1);
  assert.equal(await ask(), 2);
  const fail = () => answers.get("b", () => Promise.reject(new Error(`${++asked}`)));
  await assert.rejects(fail(), /3/);
  await assert.rejects(fail(), /4/);
});

test("of many questions the latest thousand are kept", async () => {
  const answers = new ExpiringAnswers<string>(createVirtualRuntime().clock);
  const asked: string[] = [];
  const ask = (question: string) =>
    answers.get(question, async () => {
      asked.push(question);
      return { value: question, holdsMs: 1000 };
    });
  for (let i = 0; i <= 1000; i++) await ask(`${i}`);
  await ask("1000");
  assert.equal(asked.length, 1001);
  await ask("0");
  assert.equal(asked.length, 1002);
});
