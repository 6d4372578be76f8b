// Upstream's own CEL tests as tables: cel-go's, those of Kubernetes' libraries, and those of custom
// resources' rules run in Go with recorders put into two packages, and the expressions that CEL
// publishes are put to Kubernetes' environment. What upstream said is compared with what is said
// here: values, errors, compile errors, costs and cost estimates. Nothing is served, so the server
// under test is not used.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answerRecord, parseRecord, type Verdict } from "./cel/answer-record.ts";
import { listPublishedExpressions } from "./cel/published-expressions.ts";
import { copyModule, downloadModule } from "./go-module.ts";
import type { CaseResult, Suite, Surroundings } from "./suite.ts";

const kubernetes = "v0.36.3";
const celGo = "v0.26.0";
/** Packages whose tests are run. */
const packages = [
  "github.com/google/cel-go/ext",
  "k8s.io/apiserver/pkg/cel/library",
  "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel",
] as const;

/** CEL's published tests: their expressions are put to Kubernetes' environment. */
const published = "cel.dev/expr";
const publishedVersion = "v0.25.1";

/** A copy of a module with a recorder in it. */
interface Patched {
  readonly module: string;
  readonly version: string;
  /** By file, what makes room for the recorder's functions. */
  readonly renamed: Readonly<Record<string, readonly (readonly [string, string])[]>>;
  /** The recorder, and where it goes. */
  readonly recorder: readonly [string, string];
}

const patches: readonly Patched[] = [
  {
    module: "github.com/google/cel-go",
    version: celGo,
    renamed: {
      "cel/env.go": [
        ["func (e *Env) CompileSource(", "func (e *Env) compileUnrecorded("],
        ["func (e *Env) Program(", "func (e *Env) programUnrecorded("],
      ],
      "cel/program.go": [["func (p *prog) Eval(", "func (p *prog) evalUnrecorded("]],
    },
    recorder: ["expression_recorder.go", "cel/recorder.go"],
  },
  {
    module: "k8s.io/apiextensions-apiserver",
    version: kubernetes,
    renamed: {
      "pkg/apiserver/schema/cel/compilation.go": [["func Compile(", "func compileUnrecorded("]],
      "pkg/apiserver/schema/cel/validation.go": [
        ["func (s *Validator) Validate(", "func (s *Validator) validateUnrecorded("],
      ],
    },
    recorder: ["rule_recorder.go", "pkg/apiserver/schema/cel/recorder.go"],
  },
];

export const celTables: Suite = {
  client: `cel-go ${celGo} and Kubernetes ${kubernetes} (their own CEL tests)`,
  async prepare(at) {
    if ([...packages, published].every((name) => existsSync(recordOf(at, name)))) return;
    writeFileSync(join(at.cache, "go.mod"), "module outside\n\ngo 1.26.0\n");
    const env = { GOFLAGS: "-mod=mod" };
    await at.run(
      [
        "go",
        "get",
        "-t",
        ...packages.map((name) => `${name}@${name.startsWith("k8s.io/") ? kubernetes : celGo}`),
      ],
      { cwd: at.cache, env, limitMs: 600_000 },
    );
    for (const patch of patches) {
      const folder = await copyPatched(at, patch);
      await at.run(["go", "mod", "edit", `-replace=${patch.module}=${folder}`], { cwd: at.cache });
    }
    // Not `run`: some of cel-go's tests fail with the text library that Kubernetes pins, and are
    // recorded all the same.
    for (const name of packages)
      await at.session(["go", "test", "-p", "2", "-count=1", name], {
        cwd: at.cache,
        env: { ...env, CEL_RECORD: recordOf(at, name) },
        limitMs: 1_800_000,
      });
    await askPublished(at, env);
  },
  run: (at) => Promise.resolve([...packages, published].map((name) => comparePackage(at, name))),
};

async function askPublished(
  at: Surroundings,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = await downloadModule(at, `${published}@${publishedVersion}`);
  const texts = join(at.cache, "expressions.json");
  writeFileSync(
    texts,
    JSON.stringify(listPublishedExpressions(join(folder, "tests", "simple", "testdata"))),
  );
  mkdirSync(join(at.cache, "ask"), { recursive: true });
  copyFileSync(join(at.here, "cel", "ask_expressions.go"), join(at.cache, "ask", "main.go"));
  await at.run(["go", "run", "./ask", texts], {
    cwd: at.cache,
    env: { ...env, CEL_RECORD: recordOf(at, published) },
    limitMs: 1_800_000,
  });
}

async function copyPatched(
  at: Surroundings,
  { module, version, renamed, recorder: [own, place] }: Patched,
): Promise<string> {
  const name = module.replaceAll("/", "_");
  const folder = await copyModule(at, `${module}@${version}`, name);
  for (const [file, changes] of Object.entries(renamed)) {
    const path = join(folder, file);
    writeFileSync(
      path,
      changes.reduce((text, [from, to]) => replaceOnce(text, from, to), readFileSync(path, "utf8")),
    );
  }
  copyFileSync(join(at.here, "cel", own), join(folder, place));
  return folder;
}

const recordOf = (at: Surroundings, name: string): string =>
  join(at.cache, `${name.replaceAll("/", "_")}.jsonl`);

function replaceOnce(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2)
    throw new Error(
      `lay a recorder over upstream's source: expected ${JSON.stringify(from)} once; is it another version?`,
    );
  return text.replace(from, to);
}

/**
 * One line a package: how many of its records are answered the same here, and the first that are
 * not.
 */
function comparePackage(at: Surroundings, name: string): CaseResult {
  const lines = new Set(readFileSync(recordOf(at, name), "utf8").trimEnd().split("\n"));
  const verdicts = [...lines].map((line) => answerRecord(parseRecord(line)));
  const count = (word: Verdict["word"]): number =>
    verdicts.filter((verdict) => verdict.word === word).length;
  const different = verdicts.filter(({ word }) => word === "different").map(({ why }) => why);
  const seen = `${count("same")} the same, ${different.length} different, ${count("beyond")} outside Kubernetes' environment`;
  return { name, ok: different.length === 0, seen: [seen, ...different].join("\n    ") };
}
