// The mutation tester, on a small project with one test that misses something.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { plantTree } from "../../test/architecture/plant-tree.ts";
import { coveredRanges } from "./child/covered-ranges.ts";
import { chooseTests } from "./choose-tests.ts";
import { applyChange, describeMutant } from "./find-mutants.ts";
import { readMutants } from "./read-mutants.ts";
import { refusedMutants } from "./refused-mutants.ts";
import { sample } from "./sample.ts";
import { formatSummary } from "./summary.ts";
import { coverTests } from "./test-coverage.ts";
import { createMutantTester, type MutantResult } from "./test-mutant.ts";

const source = `import type { Log } from "./log.ts";
export interface Limits { readonly most: 3 }
export const most = 3;
export function push(list: number[], item: number): boolean {
  if (list.length >= most) return false;
  list.push(item);
  return true;
}
export async function drain(list?: number[]): Promise<number> {
  await Promise.resolve();
  while (list?.length) list.pop();
  return list?.length ?? 0;
}
export const unused = (log: Log): Log => log;
`;
const test = `import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { drain, push } from "../src/list.ts";
describe("a (list)", () => {
  it("takes what fits", () => {
    const list: number[] = [];
    assert.equal(push(list, 1), true);
    assert.deepEqual(list, [1]);
  });
  it("is drained", async () => assert.equal(await drain([1, 2]), 0));
  it("fails always", () => { push([], 1); assert.fail(); });
});
`;
const plant = () =>
  plantTree({
    "src/list.ts": source,
    "src/log.ts": "export type Log = string;",
    "test/list.test.ts": test,
    "package.json": '{ "type": "module" }',
    "tsconfig.json": JSON.stringify({
      compilerOptions: { allowImportingTsExtensions: true, noEmit: true, types: [] },
      include: ["src"],
    }),
  });

describe("mutants", () => {
  using tree = plant();
  const mutants = readMutants(`${tree.root}/`, ["src/list.ts"]);

  it("are small changes of the code, not of its types", () => {
    assert.deepEqual(
      mutants.map((mutant) => describeMutant(mutant).replace("src/list.ts:", "")),
      [
        "3 constant: 3 → 4",
        "5 condition: list.length >= most → true",
        "5 condition: list.length >= most → false",
        "5 operator: >= → >",
        "5 operator: >= → <",
        "5 result: return false; → return undefined;",
        "5 constant: false → true",
        "6 statement: list.push(item); → ;",
        "7 result: return true; → return undefined;",
        "7 constant: true → false",
        "10 statement: await Promise.resolve(); → ;",
        "11 condition: list?.length → false",
        "11 optional chaining: ?. → .",
        "11 statement: list.pop(); → ;",
        "12 result: return list?.length ?? 0; → return undefined;",
        "12 fallback: list?.length ?? 0 → list?.length",
        "12 fallback: list?.length ?? 0 → 0",
        "12 optional chaining: ?. → .",
        "12 constant: 0 → 1",
        "14 result: log → undefined",
      ],
    );
    const [first] = mutants;
    assert.equal(applyChange(source, first!), source.replace("most = 3", "most = 4"));
  });
});

it("lists the mutants that no test notices", async () => {
  using tree = plant();
  const coverage = await coverTests(tree.root, ["test/list.test.ts"], "src/");
  assert.deepEqual(
    coverage.tests.map(({ name }) => name),
    ["a (list) takes what fits", "a (list) is drained"],
  );
  const tester = createMutantTester(tree.root, coverage, { secondsPerMutant: 1 });
  const outcomes: Record<string, string> = {};
  const results: MutantResult[] = [];
  for (const mutant of readMutants(`${tree.root}/`, ["src/list.ts"])) {
    if (![5, 6, 11, 14].includes(mutant.line)) continue;
    const result = await tester.test(mutant, source);
    results.push(result);
    outcomes[describeMutant(mutant).replace("src/list.ts:", "")] = result.outcome;
  }
  tester.end();
  assert.deepEqual(outcomes, {
    "5 condition: list.length >= most → true": "killed",
    "5 condition: list.length >= most → false": "survived",
    "5 operator: >= → >": "survived",
    "5 operator: >= → <": "killed",
    "5 result: return false; → return undefined;": "not covered",
    "5 constant: false → true": "not covered",
    "6 statement: list.push(item); → ;": "killed",
    "11 condition: list?.length → false": "killed",
    "11 optional chaining: ?. → .": "survived",
    "11 statement: list.pop(); → ;": "timed out",
    "14 result: log → undefined": "not covered",
  });
  assert.equal(results[0]!.by, "test/list.test.ts: a (list) takes what fits");
  assert.equal(
    formatSummary(results).split("\n").at(-1)!.replace(/ +/g, " "),
    "all 11 0 4 1 3 3 54.5 %",
  );
});

it("asks the compiler which mutants it refuses", () => {
  using tree = plant();
  const mutants = readMutants(`${tree.root}/`, ["src/list.ts"]);
  const refused = refusedMutants(`${tree.root}/`, mutants, new Map([["src/list.ts", source]]));
  assert.deepEqual(
    [...refused].map((mutant) => describeMutant(mutant).replace("src/list.ts:", "")),
    [
      "5 result: return false; → return undefined;",
      "7 result: return true; → return undefined;",
      "11 optional chaining: ?. → .",
      "12 result: return list?.length ?? 0; → return undefined;",
      "12 fallback: list?.length ?? 0 → list?.length",
      "12 optional chaining: ?. → .",
      "14 result: log → undefined",
    ],
  );
});

it("what a mutant left in the process fails no other", async () => {
  using tree = plantTree({
    "src/count.ts": `export const add = (to: { n: number }, n: number) => { to.n += n; };`,
    "test/count.test.ts": `import assert from "node:assert/strict";
import { it } from "node:test";
import { add } from "../src/count.ts";
it("leaves the process as it was", () => {
  const all = ((globalThis as any).all ??= { n: 0 });
  assert.equal(all.n, 0);
  add(all, 2);
  assert.equal(all.n, 2);
  add(all, -2);
});
`,
    "package.json": '{ "type": "module" }',
    "tsconfig.json": '{ "compilerOptions": { "noEmit": true }, "include": ["src"] }',
  });
  const coverage = await coverTests(tree.root, ["test/count.test.ts"], "src/");
  const tester = createMutantTester(tree.root, coverage, { secondsPerMutant: 1 });
  const text = readFileSync(`${tree.root}/src/count.ts`, "utf8");
  const [mutant] = readMutants(`${tree.root}/`, ["src/count.ts"]);
  const same = { ...mutant!, replacement: mutant!.original };
  const outcomes: string[] = [];
  for (const each of [same, mutant!, same, mutant!, same])
    outcomes.push((await tester.test(each, text)).outcome);
  tester.end();
  assert.deepEqual(outcomes, ["survived", "killed", "survived", "killed", "survived"]);
});

it("changes modules that are imported while tests run", async () => {
  using tree = plantTree({
    "src/late.ts": "export const two = 2;",
    "src/loads.ts": 'export const load = async () => (await import("./late.ts")).two;',
    "test/loads.test.ts": `import assert from "node:assert/strict";
import { it } from "node:test";
import { load } from "../src/loads.ts";
it("loads late", async () => assert.equal(await load(), 2));
`,
    "package.json": '{ "type": "module" }',
    "tsconfig.json": '{ "compilerOptions": { "noEmit": true }, "include": ["src"] }',
  });
  const coverage = await coverTests(tree.root, ["test/loads.test.ts"], "src/");
  const tester = createMutantTester(tree.root, coverage, { secondsPerMutant: 1 });
  const [mutant] = readMutants(`${tree.root}/`, ["src/late.ts"]);
  const { outcome } = await tester.test(mutant!, "export const two = 2;");
  tester.end();
  assert.equal(outcome, "killed");
});

it("a test that fails without the mutant too does not count", async () => {
  using tree = plant();
  const { tests, between } = await coverTests(tree.root, ["test/list.test.ts"], "src/");
  const failing = { ...tests[0]!, name: "a (list) fails always" };
  const tester = createMutantTester(
    tree.root,
    { tests: [failing], between },
    { secondsPerMutant: 1 },
  );
  const [mutant] = readMutants(`${tree.root}/`, ["src/list.ts"]).slice(2);
  assert.equal((await tester.test(mutant!, source)).outcome, "not covered");
  tester.end();
  assert.deepEqual([...tester.unreliable], ["test/list.test.ts: a (list) fails always"]);
});

it("chooses the nearest and fastest of the tests that run the code", () => {
  const named = (file: string, name: string, ms: number, covers: readonly [number, number][]) => ({
    file,
    name,
    ms,
    covers: { "packages/a/src/b/c.ts": covers },
  });
  const coverage = {
    between: [{ "packages/a/src/b/c.ts": [[0, 10] as const] }],
    tests: [
      named("test/x.test.ts", "on the https server: far", 5, [[10, 90]]),
      named("test/x.test.ts", "on the in-process server: far", 9, [[10, 90]]),
      named("packages/a/src/b/c.test.ts", "slow", 80, [[10, 50]]),
      named("packages/a/src/b/c.test.ts", "fast", 8, [[10, 50]]),
      named("packages/a/src/b/c.test.ts", "elsewhere", 1, [[50, 90]]),
    ],
  };
  const namesAt = (start: number, kills = new Map<string, number>()) =>
    chooseTests({ path: "packages/a/src/b/c.ts", start }, coverage, kills).map(({ name }) => name);
  assert.deepEqual(namesAt(20), ["fast", "slow", "on the in-process server: far"]);
  const kills = new Map([["packages/a/src/b/c.ts packages/a/src/b/c.test.ts slow", 2]]);
  assert.deepEqual(namesAt(20, kills), ["slow", "fast", "on the in-process server: far"]);
  assert.deepEqual(namesAt(5).slice(0, 2), ["elsewhere", "fast"]);
  assert.deepEqual(namesAt(95), []);
});

it("flattens blocks that ran and did not", () => {
  const range = (startOffset: number, endOffset: number, count: number) => ({
    startOffset,
    endOffset,
    count,
  });
  assert.deepEqual(
    coveredRanges([
      { ranges: [range(0, 100, 1)] },
      { ranges: [range(10, 40, 2), range(20, 30, 0), range(22, 24, 1)] },
      { ranges: [range(50, 60, 0)] },
    ]),
    [
      [0, 20],
      [22, 24],
      [30, 50],
      [60, 100],
    ],
  );
});

it("a sample is the same for the same seed, and its beginning is a smaller sample", () => {
  const items = Array.from({ length: 50 }, (_, index) => index);
  const some = sample(items, 10, 7);
  assert.equal(new Set(some).size, 10);
  assert.deepEqual(sample(items, 10, 7), some);
  assert.deepEqual(sample(items, 4, 7), some.slice(0, 4));
  assert.notDeepEqual(sample(items, 10, 8), some);
});
