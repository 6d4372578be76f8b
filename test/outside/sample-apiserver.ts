// Upstream's own sample of an aggregated API server, unchanged, behind the server under test: it
// asks that server who its callers are (TokenReview) and what they may do (SubjectAccessReview),
// and trusts the user that the front proxy names. It stores its objects in etcd, which the
// reference server brings (tools/reference).
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { binaryPath, missingBinaries } from "../../tools/reference/build-reference.ts";
import { freePorts } from "../fixtures/free-port.ts";
import { copyModule } from "./go-module.ts";
import type { CaseResult, KubectlConfig, Suite, Surroundings } from "./suite.ts";

const version = "v0.36.3";
const group = "wardle.example.com";
const startsWithinMs = 60_000;

export const sampleApiserver: Suite = {
  client: `k8s.io/sample-apiserver ${version}`,
  async prepare(at) {
    if (existsSync(programOf(at))) return;
    const source = await copyModule(at, `k8s.io/sample-apiserver@${version}`, "source");
    await at.run(["go", "build", "-p", "2", "-o", programOf(at), "."], {
      cwd: source,
      limitMs: 1_800_000,
    });
  },
  async run(at) {
    if (missingBinaries().length)
      throw new Error("run sample-apiserver: etcd is missing; build tools/reference first");
    const folder = join(at.cache, "run");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const running: ChildProcess[] = [];
    try {
      const port = await start(at, folder, running);
      return await cases(at, port);
    } finally {
      for (const each of running.toReversed()) await end(each);
      await at.session(["kubectl", "delete", "apiservice", `v1alpha1.${group}`]);
      await at.session(["kubectl", "delete", "clusterrolebinding", "-l", "of=sample-apiserver"]);
      for (const kind of ["clusterrole", "clusterrolebinding"])
        await at.session(["kubectl", "delete", kind, "see-flunders"]);
    }
  },
};

const programOf = (at: Surroundings): string => join(at.cache, `sample-apiserver-${version}`);

/** Starts etcd and the sample, and registers it. Resolves to its port. */
async function start(at: Surroundings, folder: string, running: ChildProcess[]): Promise<number> {
  const [etcd, peer, port] = await freePorts(3);
  const url = (one: number | undefined): string => `http://127.0.0.1:${one}`;
  const run = (program: string, ...args: readonly string[]): void => {
    const stdio = process.env["OUTSIDE_VERBOSE"] ? "inherit" : "ignore";
    running.push(spawn(program, args, { cwd: folder, stdio }));
  };
  run(
    binaryPath("etcd"),
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${url(etcd)}`,
    `--advertise-client-urls=${url(etcd)}`,
    `--listen-peer-urls=${url(peer)}`,
    `--initial-advertise-peer-urls=${url(peer)}`,
    `--initial-cluster=default=${url(peer)}`,
  );
  const kubeconfig = await prepareAccount(at, folder);
  run(
    programOf(at),
    `--secure-port=${port}`,
    "--bind-address=127.0.0.1",
    `--cert-dir=${join(folder, "certificates")}`,
    `--etcd-servers=${url(etcd)}`,
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
  );
  await apply(at, folder, "service", registration(port!));
  await available(at);
  return port!;
}

/** A kubeconfig with the rights that upstream's manifests give the sample, and no others. */
async function prepareAccount(at: Surroundings, folder: string): Promise<string> {
  await apply(at, folder, "account", accountManifests);
  const create = ["kubectl", "create", "token", "apiserver", "-n", "wardle"];
  const token = (await at.run(create)).trim();
  const { clusters } = JSON.parse(
    await at.run(["kubectl", "config", "view", "--raw", "--minify", "-o", "json"]),
  ) as KubectlConfig;
  const path = join(folder, "kubeconfig");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: clusters[0].cluster }],
    users: [{ name: "u", user: { token } }],
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}

async function available(at: Surroundings): Promise<void> {
  const wait = ["kubectl", "wait", "--for=condition=Available", `apiservice/v1alpha1.${group}`];
  await at.run([...wait, `--timeout=${startsWithinMs}ms`], { limitMs: 2 * startsWithinMs });
}

async function cases(at: Surroundings, port: number): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  const sees = async (name: string, wanted: RegExp, script: string): Promise<void> => {
    const output = await at.session(["sh", "-c", `(${script}) 2>&1`], {
      env: { PORT: String(port), FOLDER: join(at.cache, "run") },
    });
    const seen = output
      .replaceAll(/^Warning: .*\n/gm, "")
      .trim()
      .replaceAll(/\s+/g, " ")
      .replaceAll(String(port), "PORT");
    results.push({ name, ok: wanted.test(seen), seen });
  };
  const object = (kind: string, name: string, spec: string): string =>
    `kubectl apply -f - <<'EOF'\n{"apiVersion":"${group}/v1alpha1","kind":"${kind}","metadata":{"name":"${name}"},${spec}}\nEOF\n`;
  const flunders = `flunders.${group}`;
  const resources = "kubectl api-resources --api-group wardle.example.com --no-headers";
  await sees("discovery", /^fischers .* flunders .*Flunder$/, resources);
  await sees("create", /created$/, object("Flunder", "one", '"spec":{"reference":"a"}'));
  await sees("apply", /configured$/, object("Flunder", "one", '"spec":{"reference":"b"}'));
  await sees(
    "read",
    /^b one$/,
    `kubectl get ${flunders} -o jsonpath='{.items[*].spec.reference} {.items[*].metadata.name}'`,
  );
  await sees(
    "table",
    /^NAME CREATED AT one /,
    `kubectl get ${flunders} | sed 's/20[0-9T:Z-]*/TIME/'`,
  );
  await sees(
    "refused spec",
    /is invalid: spec/,
    object("Flunder", "two", '"spec":{"referenceType":"Flunder"}'),
  );
  await sees("ban", /created$/, object("Fischer", "ban", '"disallowedFlunders":["bad"]'));
  await sleep(1_500);
  await sees(
    "admission",
    /forbidden: this name may not be used/,
    object("Flunder", "bad", '"spec":{}'),
  );
  await sees(
    "subject access review",
    /cannot list resource "flunders"/,
    `kubectl get ${flunders} --as jane`,
  );
  await sees(
    "grant",
    /created created$/,
    "kubectl create clusterrole see-flunders --verb=list --resource=flunders.wardle.example.com | sed 's/.*/created/'; kubectl create clusterrolebinding see-flunders --clusterrole=see-flunders --user=jane | sed 's/.*/created/'",
  );
  await sleep(11_000);
  await sees(
    "granted",
    /^one /,
    `kubectl get ${flunders} --as jane --no-headers | sed 's/20[0-9T:Z-]*/TIME/'`,
  );
  await sees(
    "token review",
    /cannot list resource \\"flunders\\".*serviceaccount:wardle:default|serviceaccount:wardle:default.*cannot list/,
    directly("$(kubectl create token default -n wardle)"),
  );
  await sees("wrong token", /Unauthorized/, directly("wrong"));
  await sees("explain", /FIELD: reference|reference <string>/, `kubectl explain ${flunders}.spec`);
  await sees(
    "version two",
    /^true true$/,
    'kubectl get --raw /openapi/v2 | python3 -c \'import json,sys; d=json.load(sys.stdin); print(str(any("wardle" in p for p in d["paths"])).lower(), str(any("wardle" in p for p in d["definitions"])).lower())\'',
  );
  await sees(
    "watch",
    /^one$/,
    `timeout 5 kubectl get ${flunders} --watch --no-headers -o name | head -1 | sed 's/.*\\///'`,
  );
  await sees("delete", /deleted/, `kubectl delete ${flunders} one`);
  await sees("namespace", /deleted/, "kubectl delete namespace wardle --wait=false");
  return results;
}

/** A request to the sample itself, without the server before it. */
const directly = (token: string): string =>
  `curl -sk -H "Authorization: Bearer ${token}" https://127.0.0.1:$PORT/apis/${group}/v1alpha1/namespaces/default/flunders`;

async function apply(
  at: Surroundings,
  folder: string,
  name: string,
  objects: readonly object[],
): Promise<void> {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  await at.run(["kubectl", "apply", "-f", file]);
}

const rbac = "rbac.authorization.k8s.io";
const subjects = [{ kind: "ServiceAccount", name: "apiserver", namespace: "wardle" }];
const bindingTo = (name: string, role: string): object => ({
  apiVersion: `${rbac}/v1`,
  kind: "ClusterRoleBinding",
  metadata: { name, labels: { of: "sample-apiserver" } },
  roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
  subjects,
});

/** As in artifacts/example of the sample. */
const accountManifests: readonly object[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "wardle" } },
  {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "apiserver", namespace: "wardle" },
  },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: "wardle" } },
  bindingTo("wardle:system:auth-delegator", "system:auth-delegator"),
  {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata: { name: "wardle-auth-reader", namespace: "kube-system" },
    roleRef: { apiGroup: rbac, kind: "Role", name: "extension-apiserver-authentication-reader" },
    subjects,
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRole",
    metadata: { name: "aggregated-apiserver-clusterrole" },
    rules: [
      { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "watch", "list"] },
      {
        apiGroups: ["admissionregistration.k8s.io"],
        resources: [
          "mutatingadmissionpolicies",
          "mutatingadmissionpolicybindings",
          "mutatingwebhookconfigurations",
          "validatingadmissionpolicies",
          "validatingadmissionpolicybindings",
          "validatingwebhookconfigurations",
        ],
        verbs: ["get", "watch", "list"],
      },
      {
        apiGroups: ["flowcontrol.apiserver.k8s.io"],
        resources: ["prioritylevelconfigurations", "flowschemas"],
        verbs: ["list", "watch"],
      },
    ],
  },
  bindingTo("sample-apiserver-clusterrolebinding", "aggregated-apiserver-clusterrole"),
];

/** The sample runs on this machine, not in a pod: its Service has an external name. */
const registration = (port: number): readonly object[] => [
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "api", namespace: "wardle" },
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ port }] },
  },
  {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `v1alpha1.${group}` },
    spec: {
      insecureSkipTLSVerify: true,
      group,
      version: "v1alpha1",
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { name: "api", namespace: "wardle", port },
    },
  },
];

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  await Promise.race([ended, sleep(10_000).then(() => child.kill("SIGKILL"))]);
}
