// controller-runtime's own envtest suites, unchanged, on the programs that `homeostat server
// envtest install` writes. Each suite starts servers of its own; the server under test of other
// sessions is not used. Where the reference server has been built (tools/reference), each suite
// runs on the real programs as well, in turn, and the wall times of both are printed.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { copyModule } from "./go-module.ts";
import type { CaseResult, Suite, Surroundings } from "./suite.ts";

const version = "v0.24.1";
const kubernetes = "v0.36.3";
const folder = "source";
/**
 * Tests that download another release of Kubernetes' programs, to see how clients fare with an old
 * server.
 */
const skipped = ["-test.skip", "/aggregatedDiscovery=false"];
const packages = [
  "client",
  "client/apiutil",
  "cache",
  "controller",
  "controller/controllerutil",
  "builder",
  "manager",
  "manager/internal/integration",
  "source",
  "handler",
  "cluster",
  "envtest",
  "internal/controller",
  "internal/recorder",
  "internal/testing/controlplane",
  "internal/testing/process",
  "metrics/filters",
  "webhook",
];

export const controllerRuntime: Suite = {
  client: `controller-runtime ${version} (its own suites)`,
  // Managers of the suites listen on port 8080, which another program may have.
  inPodNetwork: true,
  async prepare(at) {
    const source = join(at.cache, folder);
    await at.run([
      process.execPath,
      join(at.here, "../../packages/cli/bin/homeostat.js"),
      "server",
      "envtest",
      "install",
      join(at.cache, "assets"),
    ]);
    if (existsSync(source)) return;
    await copyModule(at, `sigs.k8s.io/controller-runtime@${version}`, folder);
    // Modules carry no permissions, and these two are programs.
    await at.run([
      "chmod",
      "+x",
      ...["1.19", "1.20"].map((release) =>
        join(source, "pkg/internal/testing/controlplane/testdata", `fake-${release}-apiserver.sh`),
      ),
    ]);
    const pins = [
      "api",
      "apimachinery",
      "client-go",
      "apiextensions-apiserver",
      "apiserver",
      "component-base",
    ].map((name) => `k8s.io/${name}@${kubernetes}`);
    await at.run(["go", "get", ...pins], {
      cwd: source,
      env: { GOFLAGS: "-mod=mod" },
      limitMs: 300_000,
    });
  },
  async run(at) {
    const results: CaseResult[] = [];
    const real = await realAssets(at);
    for (const name of packages) {
      const program = join(at.cache, `${name.replaceAll("/", "_")}.test`);
      await at.run(["go", "test", "-p", "2", "-c", "-o", program, `./pkg/${name}`], {
        cwd: join(at.cache, folder),
        env: { GOFLAGS: "-mod=mod" },
        limitMs: 1_800_000,
      });
      const here = await runPackage(at, { name, program, assets: join(at.cache, "assets") });
      const there =
        real === undefined ? undefined : await runPackage(at, { name, program, assets: real });
      console.log(
        `  ${name}: ${here.seconds.toFixed(1)} s${there === undefined ? "" : `, on the real programs ${there.seconds.toFixed(1)} s (${there.seen})`}`,
      );
      results.push(here);
    }
    return results;
  },
};

/** A folder with the programs that the reference server runs, if they have been built. */
async function realAssets(at: Surroundings): Promise<string | undefined> {
  const built = join(at.here, "../../tools/reference/.cache/bin");
  if (!["etcd", "kube-apiserver"].every((name) => existsSync(join(built, name)))) return undefined;
  const assets = join(at.cache, "real");
  mkdirSync(assets, { recursive: true });
  const kubectl = (await at.run(["which", "kubectl"])).trim();
  await at.run(["ln", "-sf", join(built, "etcd"), join(built, "kube-apiserver"), kubectl, assets]);
  return assets;
}

interface PackageRun {
  readonly name: string;
  readonly program: string;
  readonly assets: string;
}

/** How many specs of a package passed, which did not, and how long it took. */
async function runPackage(
  at: Surroundings,
  { name, program, assets }: PackageRun,
): Promise<CaseResult & { readonly seconds: number }> {
  const report = join(at.cache, "report.json");
  rmSync(report, { force: true });
  const cwd = join(at.cache, folder, "pkg", name);
  const ginkgo = readdirSync(cwd).some(
    (file) =>
      file.endsWith("_test.go") && readFileSync(join(cwd, file), "utf8").includes("RunSpecs("),
  );
  const started = performance.now();
  const output = await at.session(
    [program, "-test.v", ...skipped, ...(ginkgo ? [`-ginkgo.json-report=${report}`] : [])],
    { cwd, env: { KUBEBUILDER_ASSETS: assets }, limitMs: 600_000 },
  );
  const seconds = (performance.now() - started) / 1000;
  const reported = existsSync(report) ? fromReport(name, report) : undefined;
  return { ...(reported ?? fromOutput(name, output)), seconds };
}

/** A package without specs: plain Go tests, counted with their parts. */
function fromOutput(name: string, output: string): CaseResult {
  const lines = [...output.matchAll(/^\s*--- (PASS|FAIL): (\S+)/gm)];
  const failed = lines.filter(([, word]) => word === "FAIL").map(([, , test]) => test);
  return {
    name,
    ok: failed.length === 0 && /^PASS$/m.test(output),
    seen: [`${lines.length - failed.length} passed, ${failed.length} failed`, ...failed].join("; "),
  };
}

interface Spec {
  readonly State: string;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
}

function fromReport(name: string, path: string): CaseResult | undefined {
  const suites = JSON.parse(readFileSync(path, "utf8")) as readonly {
    readonly SpecReports: readonly Spec[] | null;
  }[];
  const specs = suites
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(({ LeafNodeType }) => LeafNodeType === "It");
  if (specs.length === 0) return undefined;
  const passed = specs.filter(({ State }) => State === "passed");
  const failed = specs.filter(({ State }) => !["passed", "skipped", "pending"].includes(State));
  const names = failed.map((spec) =>
    [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(" "),
  );
  return {
    name,
    ok: failed.length === 0,
    seen: [`${passed.length} passed, ${failed.length} failed`, ...names].join("; "),
  };
}
