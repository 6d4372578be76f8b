// Upstream's end-to-end tests, unchanged, built from the published modules with the kubectl of the
// same release and run by ginkgo in parallel. choices.ts selects the tests. OUTSIDE_FOCUS names the
// files to run, by prefixes; with OUTSIDE_PLAIN the server has all controllers and three fake
// nodes, and nothing plays the programs of pods.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyModule } from "../go-module.ts";
import type { CaseResult, Suite, Surroundings } from "../suite.ts";
import { choices } from "./choices.ts";
import { chooseCases, type Chosen, focusOf, type Spec, unusedChoices } from "./choose-cases.ts";
import { runLocalPrograms } from "./run-local-programs.ts";
import { steerPods } from "./steer-pods.ts";

const version = "v1.36.3";
const staging = "v0.36.3";
const source = "source";
const programs = {
  "e2e.test": ["test", "-vet=off", "-c", "./test/e2e"],
  kubectl: ["build", "./cmd/kubectl"],
  agnhost: ["build", "./test/images/agnhost"],
  ginkgo: ["build", "github.com/onsi/ginkgo/v2/ginkgo"],
} as const;
/** The release in the image that the tests name (k8s.io/kubernetes, test/utils/image). */
const sampleApiServer = "k8s.io/sample-apiserver@v0.29.2";
/** Some cases want two; a third is for those that keep one for themselves. */
const nodes = ["fake-node-0", "fake-node-1", "fake-node-2"];
/** What upstream's own clusters run on each node; cases about nodes wait a minute for them. */
const nodePods = ["kube-proxy", "fluentd-elasticsearch", "node-problem-detector"];
const limitMs = 5_400_000;

const isPlain = process.env["OUTSIDE_PLAIN"] !== undefined;
const plainFlags = ["--controllers", "all", "--fake-nodes", String(nodes.length)];
const flags = [
  ...plainFlags,
  "--stages",
  join(import.meta.dirname, "stages.yaml"),
  // The network of the session has no interface but loopback.
  "--advertise-address",
  "10.244.255.254",
];

export const e2e: Suite = {
  client: `kubernetes ${version} (its end-to-end tests)`,
  inPodNetwork: !isPlain,
  serverFlags: isPlain ? plainFlags : flags,
  async prepare(at) {
    await fetchSource(at);
    for (const [name, [verb, ...what]] of Object.entries(programs)) {
      const path = join(at.cache, name);
      if (existsSync(path)) continue;
      await at.run(
        ["go", verb, "-p", "2", "-trimpath", "-ldflags", linkerFlags(), "-o", path, ...what],
        { cwd: join(at.cache, source), env: go, limitMs: 3_600_000 },
      );
    }
    await buildServers(at);
  },
  async run(at) {
    const kubectl = join(at.cache, "kubectl");
    await at.run([
      kubectl,
      "wait",
      "--for=create",
      "--namespace=kube-system",
      "--timeout=30s",
      "serviceaccount/default",
    ]);
    if (!isPlain) await at.run([kubectl, "create", "-f", clusterFile(at)]);
    const specs = reportedSpecs(await reportOf(at, ["--dry-run"]));
    const chosen = chooseCases(
      specs.map(({ spec }) => spec),
      choices,
    );
    const wanted = (process.env["OUTSIDE_FOCUS"] ?? "").split(",");
    const run = chosen.run.filter(({ file }) => wanted.some((prefix) => file.startsWith(prefix)));
    if (!run.length)
      throw new Error(
        `OUTSIDE_FOCUS=${wanted.join(",")}: no chosen case lies there; name files such as apps/disruption`,
      );
    tellWhatIsLeft(
      chosen,
      unusedChoices(
        specs.map(({ spec }) => spec),
        choices,
      ),
    );
    const names = new Set(run.map(({ name }) => name));
    const stops = isPlain
      ? []
      : [
          await steerPods(at.kubeconfig),
          await runLocalPrograms({ kubeconfig: at.kubeconfig, programs: at.cache }),
        ];
    try {
      const report = await reportOf(at, [
        `--procs=${process.env["OUTSIDE_PROCS"] ?? 4}`,
        "--timeout=80m",
        `--focus=${focusOf(run)}`,
      ]);
      return byFile(reportedSpecs(report).filter(({ spec }) => names.has(spec.name)));
    } finally {
      for (const stop of stops) await stop();
    }
  },
};

/** The programs of pods that are modules of their own. */
async function buildServers(at: Surroundings): Promise<void> {
  const etcd = join(at.cache, "etcd");
  const reference = join(at.here, "../../tools/reference");
  if (!existsSync(etcd))
    await at.run(["go", "build", "-p", "2", "-o", etcd, "go.etcd.io/etcd/server/v3"], {
      cwd: reference,
      env: { GOWORK: "off", CGO_ENABLED: "0" },
      limitMs: 1_800_000,
    });
  if (existsSync(join(at.cache, "sample-apiserver"))) return;
  const folder = await copyModule(at, sampleApiServer, "sample-apiserver-source");
  await at.run(["go", "build", "-p", "2", "-o", join(at.cache, "sample-apiserver"), "."], {
    cwd: folder,
    env: go,
    limitMs: 1_800_000,
  });
}

const go = { GOFLAGS: "-mod=mod", GOWORK: "off", CGO_ENABLED: "0" };

const linkerFlags = (): string => {
  const variable = "k8s.io/component-base/version";
  return `-s -w -X ${variable}.gitVersion=${version} -X ${variable}.gitMajor=1 -X ${variable}.gitMinor=36 -X ${variable}.gitTreeState=clean`;
};

/** The module's own replacements point to folders that it is published without. */
async function fetchSource(at: Surroundings): Promise<void> {
  if (existsSync(join(at.cache, source, "ready"))) return;
  const folder = await copyModule(at, `k8s.io/kubernetes@${version}`, source);
  const manifest = join(folder, "go.mod");
  writeFileSync(
    manifest,
    readFileSync(manifest, "utf8").replace(/=> \.\/staging\/src\/(\S+)/g, `=> $1 ${staging}`),
  );
  // The vendored packages' list alone would make the go command look for them here.
  rmSync(join(folder, "vendor"), { recursive: true, force: true });
  writeFileSync(join(folder, "ready"), "");
}

function clusterFile(at: Surroundings): string {
  const path = join(at.cache, "cluster.json");
  const pods = nodes.flatMap((nodeName) =>
    nodePods.map((name) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `${name}-${nodeName}`, namespace: "kube-system" },
      spec: {
        nodeName,
        containers: [{ name, image: name }],
        tolerations: [{ operator: "Exists" }],
      },
    })),
  );
  writeFileSync(path, JSON.stringify({ apiVersion: "v1", kind: "List", items: pods }));
  return path;
}

interface Report {
  readonly SpecReports: readonly {
    readonly State: string;
    readonly LeafNodeType: string;
    readonly LeafNodeText: string;
    readonly LeafNodeLabels: readonly string[] | null;
    readonly LeafNodeLocation: { readonly FileName: string };
    readonly ContainerHierarchyTexts: readonly string[] | null;
    readonly ContainerHierarchyLabels: readonly (readonly string[] | null)[] | null;
    readonly Failure?: { readonly Message: string };
  }[];
}

async function reportOf(at: Surroundings, options: readonly string[]): Promise<Report> {
  const name = `report-${process.pid}.json`;
  const path = join(at.cache, name);
  const flags = [
    "--provider=skeleton",
    "--allowed-not-ready-nodes=-1",
    "--dump-logs-on-failure=false",
    `--kubeconfig=${at.kubeconfig}`,
    `--kubectl-path=${join(at.cache, "kubectl")}`,
  ];
  const command = [
    join(at.cache, "ginkgo"),
    "--no-color",
    "--succinct",
    "--keep-going",
    ...options,
    `--output-dir=${at.cache}`,
    `--json-report=${name}`,
    join(at.cache, "e2e.test"),
    "--",
    ...flags,
  ];
  const output = await at.session(command, { cwd: at.cache, limitMs });
  writeFileSync(join(at.cache, `output-${process.pid}.log`), output);
  if (!existsSync(path))
    throw new Error(`${command[0]} wrote no report; its last words: ${output.slice(-2000)}`);
  const [report] = JSON.parse(readFileSync(path, "utf8")) as readonly Report[];
  rmSync(path);
  return report!;
}

interface ReportedSpec {
  readonly spec: Spec;
  readonly state: string;
  readonly why: string;
}

function reportedSpecs({ SpecReports }: Report): readonly ReportedSpec[] {
  return SpecReports.filter(({ LeafNodeType }) => LeafNodeType === "It").map((each) => ({
    spec: {
      file: each.LeafNodeLocation.FileName.replace(/^.*\/test\/e2e\//, ""),
      name: [...(each.ContainerHierarchyTexts ?? []), each.LeafNodeText].join(" "),
      labels: [
        ...(each.ContainerHierarchyLabels ?? []).flatMap((labels) => labels ?? []),
        ...(each.LeafNodeLabels ?? []),
      ],
    },
    state: each.State,
    why: each.Failure?.Message.replaceAll(/\s+/g, " ").slice(0, 300) ?? unreached,
  }));
}

function tellWhatIsLeft({ left }: Chosen, unused: readonly string[]): void {
  const reasons = Map.groupBy(left, ({ because }) => because);
  for (const [because, { length }] of [...reasons].sort(([, a], [, b]) => b.length - a.length))
    console.log(`  ${length} not run: ${because}`);
  for (const each of unused) console.log(`  a choice that nothing is for: ${each}`);
}

const unreached = "not reached";

/** A case that looked around and found that it is not for this cluster. */
const passedOver = ({ state, why }: ReportedSpec): boolean =>
  state === "skipped" && why !== unreached;

/** One line a file: how many of its cases passed, and which did not. */
function byFile(reported: readonly ReportedSpec[]): readonly CaseResult[] {
  return [...Map.groupBy(reported, ({ spec }) => spec.file)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => {
      const passed = each.filter(({ state }) => state === "passed").length;
      const skipped = each.filter(passedOver).length;
      const failed = each.filter((one) => one.state !== "passed" && !passedOver(one));
      const counts = [
        `${passed} passed`,
        `${failed.length} failed`,
        ...(skipped > 0 ? [`${skipped} passed over`] : []),
      ].join(", ");
      return {
        name,
        ok: failed.length === 0,
        seen: [counts, ...failed.map(({ spec, why }) => `\n      ${spec.name}: ${why}`)].join(""),
      };
    });
}
