// The external clients by the name that `npm run test:outside -- NAME` accepts. Pins their
// versions.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { celTables } from "./cel-tables.ts";
import { controllerRuntime } from "./controller-runtime.ts";
import { e2e } from "./e2e/e2e.ts";
import { election } from "./election/election.ts";
import { gatewayApi } from "./gateway-api.ts";
import { readCases, type Suite, type Surroundings } from "./suite.ts";
import { sampleApiserver } from "./sample-apiserver.ts";
import { testCmd } from "./test-cmd.ts";

const helmVersion = "v4.2.4";
const pythonPackages = ["kubernetes==36.0.3", "kopf==1.45.2"];
const nodePackage = "@kubernetes/client-node@2.0.1";

/** A small operator of our own on controller-runtime. */
const operator: Suite = {
  client: "controller-runtime v0.24.1, client-go v0.36.3 (an operator)",
  prepare: async (at) =>
    void (await at.run(["go", "build", "-p", "2", "-o", join(at.cache, "operator"), "."], {
      cwd: join(at.here, "go"),
      limitMs: 1_200_000,
    })),
  run: async (at) => readCases(await at.session([join(at.cache, "operator")])),
};

const helm: Suite = {
  client: `helm ${helmVersion}`,
  async prepare(at) {
    if (existsSync(join(at.cache, helmVersion))) return;
    writeFileSync(join(at.cache, "go.mod"), "module outside\n\ngo 1.26.0\n");
    const env = { GOFLAGS: "-mod=mod", CGO_ENABLED: "0" };
    await at.run(["go", "get", `helm.sh/helm/v4/cmd/helm@${helmVersion}`], {
      cwd: at.cache,
      env,
      limitMs: 600_000,
    });
    await at.run(["go", "build", "-p", "2", "-o", helmVersion, "helm.sh/helm/v4/cmd/helm"], {
      cwd: at.cache,
      env,
      limitMs: 1_200_000,
    });
  },
  run: async (at) =>
    readCases(
      await at.session([join(at.here, "helm", "session.sh")], {
        env: { HELM: join(at.cache, helmVersion), HELM_HOME: join(at.cache, "home") },
      }),
    ),
};

const python = (client: string, script: string): Suite => ({
  client,
  async prepare(at) {
    const installed = join(at.cache, "venv", pythonPackages.join(" "));
    if (existsSync(installed)) return;
    await at.run(["python3", "-m", "venv", "venv"], { cwd: at.cache });
    await at.run([pythonOf(at), "-m", "pip", "install", "--quiet", ...pythonPackages], {
      limitMs: 600_000,
    });
    writeFileSync(installed, "");
  },
  run: async (at) =>
    readCases(
      await at.session([pythonOf(at), join(at.here, "python", script)], {
        env: { PYTHONDONTWRITEBYTECODE: "1" },
      }),
    ),
});

const pythonOf = (at: Surroundings): string => join(at.cache, "venv", "bin", "python");

const clientNode: Suite = {
  client: nodePackage,
  async prepare(at) {
    if (existsSync(join(at.cache, "node_modules"))) return;
    writeFileSync(join(at.cache, "package.json"), '{ "private": true }\n');
    await at.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", nodePackage], {
      cwd: at.cache,
      limitMs: 300_000,
    });
  },
  run: async (at) =>
    readCases(
      await at.session([process.execPath, join(at.here, "node", "client-session.mjs")], {
        env: { OUTSIDE_MODULES: at.cache, NODE_OPTIONS: "" },
      }),
    ),
};

const kubeRs: Suite = {
  client: "kube-rs 5.0.0",
  prepare: async (at) =>
    void (await at.run(["cargo", "build", "--quiet", "-j", "2", "--target-dir", at.cache], {
      cwd: join(at.here, "rust"),
      limitMs: 1_800_000,
    })),
  run: async (at) => readCases(await at.session([join(at.cache, "debug", "outside")])),
};

/** All suites. */
export const suites: Readonly<Record<string, Suite>> = {
  "controller-runtime": controllerRuntime,
  "cel-tables": celTables,
  "gateway-api": gatewayApi,
  "test-cmd": testCmd,
  "sample-apiserver": sampleApiserver,
  operator,
  e2e,
  election,
  helm,
  "python-client": python(pythonPackages[0]!.replace("==", " (Python) "), "client_session.py"),
  kopf: python(pythonPackages[1]!.replace("==", " "), "kopf_session.py"),
  "client-node": clientNode,
  "kube-rs": kubeRs,
};

/** The folder of a suite for what is fetched; Python's two share one. */
export function cacheOf(root: string, name: string): string {
  const folder = join(root, name === "kopf" ? "python-client" : name);
  mkdirSync(folder, { recursive: true });
  return folder;
}
