// The process of one test file: imports it, Node's runner then runs its tests in this process, and
// reports what each runs, a JSON value per line on descriptor 3, written at once so that a parent
// sees them also when this process hangs.
import inspector from "node:inspector";
import { writeSync } from "node:fs";
import { afterEach, beforeEach } from "node:test";
import { coveredRanges } from "./covered-ranges.ts";

/** `{ file, covers }`: URLs, the latter a prefix. */
const plan = JSON.parse(process.env.MUTATE_PLAN);
delete process.env.MUTATE_PLAN;

const report = (message) => writeSync(3, `${JSON.stringify(message)}\n`);

const takeCoverage = startCoverage(plan.covers);
let startedAt = 0;

beforeEach(() => {
  report({ at: "between", covers: takeCoverage() });
  startedAt = performance.now();
});
afterEach((test) => {
  report({
    at: "end",
    test: nameOf(test),
    passed: test.passed,
    ms: performance.now() - startedAt,
    covers: takeCoverage(),
  });
});

await import(plan.file);

/** As `--test-name-pattern` sees it. */
function nameOf({ fullName }) {
  return fullName.replaceAll(" > ", " ");
}

function startCoverage(prefix) {
  const session = new inspector.Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  return () => {
    let covers;
    session.post("Profiler.takePreciseCoverage", (error, taken) => {
      if (error) throw error;
      covers = taken.result
        .filter(({ url }) => url.startsWith(prefix))
        .map(({ url, functions }) => [url, coveredRanges(functions)])
        .filter(([, ranges]) => ranges.length > 0);
    });
    return covers;
  };
}
