// A process that runs tests again and again, each time with another text of one module. A run
// loads anew what imports that module, directly or not; the rest stays loaded. Runs come as a JSON
// value per line on standard input; reports go to descriptor 3, written at once so that a parent
// sees them also when this process hangs.
import { readFileSync, writeSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { collect, runCollected } from "./collected-tests.mjs";

const report = (message) => writeSync(3, `${JSON.stringify(message)}\n`);
const collectedTests = new URL("collected-tests.mjs", import.meta.url).href;
const suffix = "?mutant=";
const late = /\bloadLate\(\s*import\.meta\.url,\s*"([^"]+)",?\s*\)/g;

/** The modules that import each module. */
const importers = new Map();
/** The texts of modules without their types. */
const texts = new Map();
/** `{ replace?: { url, text }, anew: the modules that it loads again }` by number of the run. */
const runs = [];

registerHooks({
  resolve(specifier, context, next) {
    const { url: parent, run } = parseUrl(context.parentURL ?? "");
    if (specifier === "node:test" && parent !== collectedTests)
      return { url: collectedTests, shortCircuit: true };
    const resolved = next(specifier, context);
    if (!resolved.url.startsWith("file:") || resolved.url.includes("/node_modules/"))
      return resolved;
    if (!importers.has(resolved.url)) importers.set(resolved.url, new Set());
    importers.get(resolved.url).add(parent);
    if (run === undefined || !runs[run].anew.has(resolved.url)) return resolved;
    return { ...resolved, url: resolved.url + suffix + run };
  },
  load(wanted, context, next) {
    const { url, run } = parseUrl(wanted);
    if (run === undefined) return next(wanted, context);
    const { replace, anew } = runs[run];
    const text = replace?.url === url ? stripTypeScriptTypes(replace.text) : textOf(url);
    return { format: "module", source: loadEarly(text, url, anew), shortCircuit: true };
  },
});

// What a run left behind must not end the process; a run listens itself.
for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, () => {});
for await (const line of createInterface(process.stdin)) await runPlan(JSON.parse(line));
process.exit();

/** `{ tests: [URL, names][], changed: URL, text?: of the changed module }` */
async function runPlan({ tests, changed, text }) {
  const run = runs.length;
  runs.push({ replace: text === undefined ? undefined : { url: changed, text } });
  let failure;
  for (const [file, names] of tests) {
    failure = await runFile(file, { run, changed, names });
    if (failure) break;
  }
  report({ at: "done", failure, megabytes: process.memoryUsage().rss / 2 ** 20 });
}

async function runFile(file, { run, changed, names }) {
  try {
    // Tells who imports what.
    await import(file);
    runs[run].anew = importersOf(changed).add(file);
    const suite = await collect(() => import(file + suffix + run));
    const failure = await runCollected(suite, new Set(names), report);
    const known = runs[run].anew.size;
    if (failure || importersOf(changed).add(file).size === known) return failure;
  } catch {
    return { test: names[0], stray: false };
  }
  // The tests have imported it themselves, and so as it was.
  runs.push({ replace: runs[run].replace });
  return await runFile(file, { run: runs.length - 1, changed, names });
}

/** The module and all that import it, directly or not. */
function importersOf(url, found = new Set()) {
  if (found.has(url)) return found;
  found.add(url);
  for (const importer of importers.get(url) ?? []) importersOf(importer, found);
  return found;
}

/** `require` knows no numbers of runs: what is loaded late and anew is imported. */
function loadEarly(text, url, anew) {
  let imports = "";
  const source = text.replaceAll(late, (_, path) => {
    const loaded = new URL(`${path}.ts`, url).href;
    if (!anew.has(loaded)) return `loadLate(${JSON.stringify(url)}, "${path}")`;
    const name = `late${imports.length}`;
    imports += `import * as ${name} from "${path}.ts"; `;
    return name;
  });
  return imports + source;
}

function parseUrl(url) {
  const at = url.indexOf(suffix);
  return at < 0 ? { url } : { url: url.slice(0, at), run: Number(url.slice(at + suffix.length)) };
}

function textOf(url) {
  let text = texts.get(url);
  if (text === undefined) {
    text = readFileSync(fileURLToPath(url), "utf8");
    if (url.endsWith(".ts")) text = stripTypeScriptTypes(text);
    texts.set(url, text);
  }
  return text;
}
