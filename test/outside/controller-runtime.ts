// controller-runtime's own envtest suites, unchanged, on the programs that `homeostat server envtest install` writes. Each
// suite starts servers of its own; the server under test of other sessions is not used.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CaseResult, Suite, Surroundings } from "./suite.ts";

const version = "v0.24.1";
const kubernetes = "v0.36.3";
const folder = "source";
/** Tests that download another release of Kubernetes' programs, to see how clients fare with an old server. */
const skipped = ["-skip", "/aggregatedDiscovery=false"];
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
  async prepare(at) {
    const source = join(at.cache, folder);
    await at.run([process.execPath, join(at.here, "../../packages/cli/bin/homeostat.js"), "server", "envtest", "install", join(at.cache, "assets")]);
    if (existsSync(source)) return;
    const { Dir } = JSON.parse(await at.run(["go", "mod", "download", "-json", `sigs.k8s.io/controller-runtime@${version}`], { limitMs: 300_000 })) as { readonly Dir: string };
    await at.run(["cp", "-r", Dir, source]);
    await at.run(["chmod", "-R", "u+w", source]);
    // Modules carry no permissions, and these two are programs.
    await at.run(["chmod", "+x", ...["1.19", "1.20"].map((release) => join(source, "pkg/internal/testing/controlplane/testdata", `fake-${release}-apiserver.sh`))]);
    const pins = ["api", "apimachinery", "client-go", "apiextensions-apiserver", "apiserver", "component-base"].map((name) => `k8s.io/${name}@${kubernetes}`);
    await at.run(["go", "get", ...pins], { cwd: source, env: { GOFLAGS: "-mod=mod" }, limitMs: 300_000 });
  },
  async run(at) {
    const results: CaseResult[] = [];
    for (const name of packages) results.push(await runPackage(at, name));
    return results;
  },
};

/** One line a package: how many of its specs passed, and which did not. */
async function runPackage(at: Surroundings, name: string): Promise<CaseResult> {
  const report = join(at.cache, "report.json");
  rmSync(report, { force: true });
  const env = { KUBEBUILDER_ASSETS: join(at.cache, "assets"), GOFLAGS: "-mod=mod" };
  const output = await at.session(["go", "test", "-v", "-p", "2", "-count=1", `./pkg/${name}`, ...skipped, `-ginkgo.json-report=${report}`], { cwd: join(at.cache, folder), env, limitMs: 600_000 });
  const reported = existsSync(report) ? fromReport(name, report) : undefined;
  return reported ?? fromOutput(name, output);
}

/** A package without specs: plain Go tests, counted with their parts. */
function fromOutput(name: string, output: string): CaseResult {
  const lines = [...output.matchAll(/^\s*--- (PASS|FAIL): (\S+)/gm)];
  const failed = lines.filter(([, word]) => word === "FAIL").map(([, , test]) => test);
  return { name, ok: failed.length === 0 && /^ok\s/m.test(output), seen: [`${lines.length - failed.length} passed, ${failed.length} failed`, ...failed].join("; ") };
}

interface Spec {
  readonly State: string;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
}

function fromReport(name: string, path: string): CaseResult | undefined {
  const suites = JSON.parse(readFileSync(path, "utf8")) as readonly { readonly SpecReports: readonly Spec[] | null }[];
  const specs = suites.flatMap(({ SpecReports }) => SpecReports ?? []).filter(({ LeafNodeType }) => LeafNodeType === "It");
  if (specs.length === 0) return undefined;
  const passed = specs.filter(({ State }) => State === "passed");
  const failed = specs.filter(({ State }) => !["passed", "skipped", "pending"].includes(State));
  const names = failed.map((spec) => [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(" "));
  return { name, ok: failed.length === 0, seen: [`${passed.length} passed, ${failed.length} failed`, ...names].join("; ") };
}
