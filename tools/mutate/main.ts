// `npm run mutate`: lists the changes of the sources that no test notices. SIGINT ends it after the
// current mutant.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isTest, readSources } from "../read-sources.ts";
import type { Mutant } from "./find-mutants.ts";
import { readMutants } from "./read-mutants.ts";
import { refusedMutants } from "./refused-mutants.ts";
import { sample } from "./sample.ts";
import { formatResult, formatSummary, isLeft } from "./summary.ts";
import { coverTests } from "./test-coverage.ts";
import { createMutantTester, type MutantResult } from "./test-mutant.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folders = ["controller", "cache", "queue", "manager"].map(
  (folder) => `packages/homeostat/src/${folder}`,
);
/** Tests that run the sources in their own process. */
const testFiles = [
  "packages/homeostat/src/",
  "packages/testing/src/",
  "test/conformance/proxies",
  "test/conformance/undici",
  "test/integration/client-",
  "test/integration/controllers-",
  "test/integration/informer-faults",
  "test/integration/manager-",
  "test/integration/named-in-time",
  "test/integration/oidc",
  "test/integration/webhook",
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "Infinity" },
    tests: { type: "string", multiple: true, default: [""] },
    again: { type: "string" },
    json: { type: "string" },
    help: { type: "boolean" },
  },
});

const usage = `npm run mutate -- [PATH…] [--sample N] [--seed S] [--seconds S] [--tests PATH]
                         [--again FILE] [--json FILE]

Changes the sources under the paths in small ways, one at a time, runs the tests that run the changed
code, and lists the mutants that no test notices. Default: ${folders.join(", ")}
  --sample N     that many mutants, chosen by --seed (default 1)
  --seconds S    limit of each mutant
  --tests PATH   only tests whose file's path starts with this, such as packages/; may be repeated
  --again FILE   only those that an earlier --json FILE lists as left
  --json FILE    writes every result
`;

if (values.help) process.stdout.write(usage);
else process.exitCode = await main(positionals.length === 0 ? folders : positionals);

async function main(paths: readonly string[]): Promise<number> {
  const files = readSources(root, ["packages", "test"])
    .map(({ path }) => path)
    .filter(
      (path) => path.endsWith(".test.ts") && values.tests.some((each) => path.startsWith(each)),
    )
    .filter((path) => testFiles.some((each) => path.startsWith(each)));
  const sources = readSources(root, ["packages"]).filter(
    ({ path }) => !isTest(path) && paths.some((wanted) => path.startsWith(wanted)),
  );
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  const mutants = wantedAgain(readMutants(root, [...texts.keys()]));
  const chosen =
    values.sample === undefined
      ? mutants
      : sample(mutants, Number(values.sample), Number(values.seed));
  console.log(`${mutants.length} mutants in ${texts.size} files, ${chosen.length} to test`);
  if (chosen.length === 0) return 1;
  const coverage = await coverTests(root, files, "packages/homeostat/src/", (file) =>
    console.log(`coverage of ${file}`),
  );
  const tester = createMutantTester(root, coverage, { secondsPerMutant: Number(values.seconds) });
  const results: MutantResult[] = [];
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      stopping = true;
    });
  const refused = refusedMutants(root, chosen, texts);
  for (const mutant of chosen) {
    if (stopping) break;
    const result: MutantResult = refused.has(mutant)
      ? { mutant, outcome: "refused", tests: 0 }
      : await tester.test(mutant, texts.get(mutant.path)!);
    results.push(result);
    if (isLeft(result)) console.log(`${results.length}/${chosen.length} ${formatResult(result)}`);
    if (values.json) writeFileSync(values.json, JSON.stringify(results, undefined, 1));
  }
  tester.end();
  for (const test of tester.unreliable) console.log(`fails without a mutant too: ${test}`);
  console.log(formatSummary(results));
  return 0;
}

/** Only those that an earlier run left, if asked. */
function wantedAgain(mutants: readonly Mutant[]): readonly Mutant[] {
  if (values.again === undefined) return mutants;
  const earlier: readonly MutantResult[] = JSON.parse(readFileSync(values.again, "utf8"));
  const keyOf = ({ path, operator, original, replacement, occurrence }: Mutant): string =>
    JSON.stringify([path, operator, original, replacement, occurrence]);
  const left = new Set(earlier.filter(isLeft).map(({ mutant }) => keyOf(mutant)));
  return mutants.filter((mutant) => left.has(keyOf(mutant)));
}
