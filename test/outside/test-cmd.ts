// Upstream's own test of kubectl against an API server (k8s.io/kubernetes, test/cmd), its scripts
// unchanged but for the token, the folder of temporary files, and one manifest that they would
// fetch from the network and that lies beside them. OUTSIDE_PARTS names the parts to run,
// OUTSIDE_LOGS a folder for what they print.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubernetesVersion } from "../../tools/reference/build-reference.ts";
import { downloadModule } from "./go-module.ts";
import type { CaseResult, KubectlConfig, Suite, Surroundings } from "./suite.ts";
import { parts } from "./test-cmd/parts.ts";

const version = kubernetesVersion.git;
const folders = [
  "hack",
  "test/cmd",
  "test/fixtures",
  "test/e2e/testing-manifests",
  "third_party/forked/shell2junit",
];
const programs = ["kubectl", "kubectl-convert"];
/** As upstream starts kube-apiserver for these parts (hack/make-rules/test-cmd.sh). */
const onAdmission = "LimitRanger,ResourceQuota";
const offAdmission =
  "ServiceAccount,DefaultStorageClass,DefaultTolerationSeconds,MutatingAdmissionWebhook,ValidatingAdmissionWebhook,StorageObjectInUseProtection";
const online = "https://raw.githubusercontent.com/kubernetes/kubernetes/master/";

export const testCmd: Suite = {
  client: `kubectl ${version} (upstream's test-cmd)`,
  serverFlags: [
    "--controllers",
    "all",
    "--authorization-mode",
    "RBAC,AlwaysAllow",
    "--openapi-descriptions",
    "--enable-admission-plugins",
    onAdmission,
    "--disable-admission-plugins",
    offAdmission,
  ],
  async prepare(at) {
    if (!existsSync(join(at.cache, "source", "hack"))) await copySources(at);
    for (const program of programs)
      if (!existsSync(programPath(at, program))) await build(at, program);
  },
  async run(at) {
    const tree = await plantTree(at);
    try {
      const results: CaseResult[] = [];
      const chosen = process.env["OUTSIDE_PARTS"]?.split(",") ?? parts;
      for (const part of chosen) results.push(await runPart(at, tree, part));
      return results;
    } finally {
      rmSync(tree.root, { recursive: true, force: true });
    }
  },
};

const programPath = (at: Surroundings, program: string): string =>
  join(at.cache, "source", "_output", "bin", program);

async function copySources(at: Surroundings): Promise<void> {
  const module = await downloadModule(at, `k8s.io/kubernetes@${version}`);
  const source = join(at.cache, "source");
  for (const folder of folders) {
    mkdirSync(join(source, folder), { recursive: true });
    await at.run(["cp", "-r", `${join(module, folder)}/.`, join(source, folder)]);
  }
  await at.run(["chmod", "-R", "u+w", source]);
  // Modules carry no permissions, and kubectl looks for plug-ins that may be run.
  for (const file of readdirSync(source, { recursive: true, encoding: "utf8" }).map((name) =>
    join(source, name),
  ))
    if (isScript(file)) await at.run(["chmod", "+x", file]);
}

const isScript = (file: string): boolean =>
  statSync(file).isFile() && readFileSync(file).subarray(0, 2).toString() === "#!";

/** The modules are those of the reference server, whose version is the pin. */
async function build(at: Surroundings, program: string): Promise<void> {
  const work = join(at.cache, "build");
  mkdirSync(work, { recursive: true });
  for (const name of ["go.mod", "go.sum"])
    cpSync(join(at.here, "../../tools/reference", name), join(work, name));
  const { git, major, minor } = kubernetesVersion;
  const variables = { gitVersion: git, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
  const flags = Object.entries(variables).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  );
  const env = { GOFLAGS: "-mod=mod", GOWORK: "off", CGO_ENABLED: "0" };
  await at.run(
    [
      "go",
      "build",
      "-p",
      "2",
      "-trimpath",
      "-ldflags",
      ["-s", "-w", ...flags].join(" "),
      "-o",
      programPath(at, program),
      `k8s.io/kubernetes/cmd/${program}`,
    ],
    {
      cwd: work,
      env,
      limitMs: 1_800_000,
    },
  );
}

/** A copy of the sources for one server. */
interface Tree {
  readonly root: string;
  readonly temporary: string;
  readonly port: string;
}

async function plantTree(at: Surroundings): Promise<Tree> {
  const root = mkdtempSync(join(tmpdir(), "homeostat-test-cmd-"));
  const temporary = join(root, "temporary");
  mkdirSync(temporary);
  cpSync(join(at.cache, "source"), root, { recursive: true });
  const config = JSON.parse(
    await at.run([
      programPath(at, "kubectl"),
      "config",
      "view",
      "--raw",
      "--minify",
      "--output",
      "json",
    ]),
  ) as KubectlConfig;
  const [{ cluster }] = config.clusters;
  const scripts = join(root, "test/cmd");
  for (const name of readdirSync(scripts).filter((file) => file.endsWith(".sh"))) {
    const script = readFileSync(join(scripts, name), "utf8")
      .replaceAll("admin-token", config.users[0].user.token)
      .replaceAll("/tmp/", `${temporary}/`)
      .replaceAll(online, "");
    writeFileSync(join(scripts, name), script);
  }
  // kube-apiserver would have written its certificate there; the parts about kubeconfigs want some
  // certificate.
  writeFileSync(
    join(temporary, "apiserver.crt"),
    readFileSync(join(root, "hack/testdata/ca/ca.crt")),
  );
  return { root, temporary, port: new URL(cluster.server).port };
}

async function runPart(
  at: Surroundings,
  { root, temporary, port }: Tree,
  part: string,
): Promise<CaseResult> {
  const env = { TMPDIR: temporary, SECURE_API_PORT: port, KUBECONFIG: "" };
  const output = await at.session(
    [
      "bash",
      "-c",
      'exec 2>&1; exec bash "$@"',
      "part",
      join(at.here, "test-cmd", "session.sh"),
      part,
    ],
    { cwd: root, env, limitMs: 400_000 },
  );
  const logs = process.env["OUTSIDE_LOGS"];
  if (logs) {
    mkdirSync(logs, { recursive: true });
    writeFileSync(join(logs, `${part}.log`), output);
  }
  return readPart(part, output);
}

/**
 * How many checks a part passed, and the words with which it ended otherwise. What comes before is
 * upstream trying out its own scripts.
 */
function readPart(name: string, output: string): CaseResult {
  const [, plain = ""] = output
    .replaceAll(/\u001b(?:\[[\d;]*m|\(B)/g, "")
    .split("Setup complete\n", 2);
  const passed = plain.match(/\bSuccessful\b/g)?.length ?? 0;
  const ok = plain.includes("\npart ended with 0\n");
  const failing = plain
    .split(/^!!! .* Call tree:/m, 1)[0]!
    .trimEnd()
    .split("\n")
    .slice(-6);
  return {
    name,
    ok,
    seen: ok ? `${passed} checks` : `after ${passed} checks: ${failing.join(" | ")}`,
  };
}
