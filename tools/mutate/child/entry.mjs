// The process of one run: imports test files, whose tests Node's runner then runs in this process,
// and reports on descriptor 3, a JSON value per line, written at once so that a parent sees them
// also when this process hangs. The plan is in MUTATE_PLAN.
import inspector from "node:inspector";
import { registerHooks } from "node:module";
import { readFileSync, writeSync } from "node:fs";
import { afterEach, beforeEach } from "node:test";
import { coveredRanges } from "./covered-ranges.ts";

/** `{ files, covers?: URL prefix, replace?: { url, text } }` */
const plan = JSON.parse(readFileSync(process.env.MUTATE_PLAN, "utf8"));
delete process.env.MUTATE_PLAN;

const report = (message) => writeSync(3, `${JSON.stringify(message)}\n`);

if (plan.replace) {
  const { url, text } = plan.replace;
  registerHooks({
    load(wanted, context, next) {
      if (wanted !== url) return next(wanted, context);
      return { format: "module-typescript", source: text, shortCircuit: true };
    },
  });
}

const takeCoverage = plan.covers ? startCoverage(plan.covers) : () => undefined;
let startedAt = 0;

beforeEach((test) => {
  const covers = takeCoverage();
  if (covers) report({ at: "between", covers });
  startedAt = performance.now();
  report({ at: "start", test: nameOf(test) });
});
afterEach((test) => {
  report({
    at: "end",
    test: nameOf(test),
    passed: test.passed,
    ms: performance.now() - startedAt,
    covers: takeCoverage(),
  });
  if (!test.passed && plan.endsEarly) process.exit(1);
});

for (const file of plan.files) await import(file);

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
