// Stands for `node:test` in the files of a session: collects what they declare, then runs the tests
// that are asked for, as often as asked. Node's runner runs each declared test once in a process.
export { mock } from "node:test";

const emptySuite = (name) => ({ name, children: [], before: [], after: [], each: [[], []] });

/** The suite that takes what is declared; undefined while no file is loaded for its tests. */
let open;

/** What `load` declares, as a suite without a name. */
export async function collect(load) {
  const suite = emptySuite("");
  open = suite;
  try {
    await load();
  } finally {
    open = undefined;
  }
  return suite;
}

export const before = (run) => void open?.before.push(run);
export const after = (run) => void open?.after.push(run);
export const beforeEach = (run) => void open?.each[0].push(run);
export const afterEach = (run) => void open?.each[1].push(run);

export function test(...declared) {
  const { name, options, run } = readDeclared(declared);
  if (run && !options.skip && !options.todo) open?.children.push({ name, run });
}
test.skip = test.todo = () => {};

export function describe(...declared) {
  const { name, options, run } = readDeclared(declared);
  if (!open || options.skip) return;
  const outer = open;
  open = emptySuite(name);
  outer.children.push(open);
  try {
    run();
  } finally {
    open = outer;
  }
}
describe.skip = describe.todo = () => {};

export { test as it, describe as suite };
export default test;

function readDeclared([name, ...rest]) {
  const run = rest.find((each) => typeof each === "function");
  return { name, options: rest.find((each) => typeof each === "object") ?? {}, run };
}

/**
 * Runs the tests whose full name is wanted, until one fails. `report` hears of start and end.
 *
 * @returns the failure, or undefined
 */
export async function runCollected(suite, wanted, report) {
  const stray = Promise.withResolvers();
  stray.promise.catch(() => {});
  const onStray = (error) => stray.reject(new Stray(error));
  process.on("uncaughtException", onStray).on("unhandledRejection", onStray);
  const run = (step, ...given) => Promise.race([step(...given), stray.promise]);
  try {
    await runSuite(suite, { wanted, report, run, prefix: "", each: [[], []] });
    // Errors of what the last test started are strays too.
    await run(() => new Promise(setImmediate));
    return undefined;
  } catch (error) {
    return { test: error.test, stray: error.cause instanceof Stray };
  } finally {
    process.off("uncaughtException", onStray).off("unhandledRejection", onStray);
  }
}

class Stray extends Error {}

async function runSuite(suite, { wanted, report, run, prefix, each: [outerBefore, outerAfter] }) {
  const inside = {
    wanted,
    report,
    run,
    prefix: suite.name === "" ? prefix : `${prefix}${suite.name} `,
    each: [
      [...outerBefore, ...suite.each[0]],
      [...suite.each[1], ...outerAfter],
    ],
  };
  const children = suite.children.filter((child) => isWanted(child, inside));
  if (children.length === 0) return;
  try {
    for (const hook of suite.before) await runHook(hook, children[0], inside);
    for (const child of children)
      await (child.run ? runTest(child, inside) : runSuite(child, inside));
  } finally {
    for (const hook of suite.after) await runHook(hook, children.at(-1), inside);
  }
}

/** A hook of a suite that fails counts for a test of the suite. */
async function runHook(hook, child, inside) {
  try {
    await inside.run(hook);
  } catch (cause) {
    throw testFailed(firstWanted(child, inside), cause);
  }
}

function firstWanted({ name, run, children }, { wanted, prefix }) {
  if (run) return prefix + name;
  const below = { wanted, prefix: `${prefix}${name} ` };
  return firstWanted(
    children.find((child) => isWanted(child, below)),
    below,
  );
}

const testFailed = (test, cause) =>
  cause.test === undefined ? Object.assign(new Error("test failed", { cause }), { test }) : cause;

function isWanted({ name, run, children }, { wanted, prefix }) {
  if (run) return wanted.has(prefix + name);
  return children.some((child) => isWanted(child, { wanted, prefix: `${prefix}${name} ` }));
}

async function runTest({ name, run: body }, { report, run, prefix, each: [starts, ends] }) {
  const test = prefix + name;
  report({ at: "start", test });
  const cleanUps = [];
  const ended = new AbortController();
  const context = {
    name,
    signal: ended.signal,
    after: (step) => void cleanUps.push(step),
    diagnostic: () => {},
  };
  try {
    try {
      for (const hook of starts) await run(hook, context);
      await run(body, context);
    } finally {
      ended.abort();
      for (const step of cleanUps) await run(step, context);
      for (const hook of ends) await run(hook, context);
    }
  } catch (cause) {
    report({ at: "end", test, passed: false });
    throw testFailed(test, cause);
  }
  report({ at: "end", test, passed: true });
}
