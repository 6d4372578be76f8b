import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import type { PluginServices } from "./admission-plugin.ts";
import { createPodSecurity } from "./pod-security.ts";
import { evaluatePod, formatDetails } from "./pod-security/evaluate-pod.ts";
import { type Level, parseVersion } from "./pod-security/pod-security-policy.ts";
import {
  configured,
  type Stored,
  type Tried,
  tryPlugin,
  type Wanted,
} from "./testdata/try-plugin.ts";

const prefix = "pod-security.kubernetes.io/";
const namespace = (labels: Readonly<Record<string, string>>): JsonObject => ({
  metadata: {
    name: "home",
    labels: Object.fromEntries(Object.entries(labels).map(([k, v]) => [`${prefix}${k}`, v])),
  },
});
const pod = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: "p", ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const attempt = (
  labels: Readonly<Record<string, string>>,
  wanted: Wanted,
  stored: Stored = {},
): Promise<Tried> =>
  tryPlugin(createPodSecurity, wanted, { namespaces: [namespace(labels)], ...stored });
const hostPid = "host namespaces (hostPID=true)";

test("what is enforced refuses pods, what is warned by warns of the others", async () => {
  const object = pod({ hostPID: true });
  assert.deepEqual(await attempt({ enforce: "baseline" }, { object }), {
    refusal: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${hostPid}`,
    warnings: [],
  });
  assert.deepEqual(await attempt({ warn: "baseline", "warn-version": "v1.20" }, { object }), {
    refusal: undefined,
    warnings: [`would violate PodSecurity "baseline:v1.20": ${hostPid}`],
  });
  assert.deepEqual(await attempt({ audit: "baseline" }, { object }), {
    refusal: undefined,
    warnings: [],
  });
});

test("templates only warn, by what is enforced unless a label says otherwise", async () => {
  const template = pod({ hostPID: true });
  const warned = [`would violate PodSecurity "baseline:v1.30": ${hostPid}`];
  const labels = { enforce: "baseline", "enforce-version": "v1.30" };
  const of = async (group: string, resource: string, object: JsonObject, subresource = "") =>
    (await attempt(labels, { group, resource, object, subresource })).warnings;
  assert.deepEqual(await of("apps", "deployments", { spec: { template } }), warned);
  assert.deepEqual(await of("apps", "deployments", { spec: { template } }, "status"), []);
  assert.deepEqual(
    await of("batch", "cronjobs", { spec: { jobTemplate: { spec: { template } } } }),
    warned,
  );
  assert.deepEqual(await of("", "podtemplates", { template }), warned);
  assert.deepEqual(await of("", "replicationcontrollers", { spec: {} }), []);
  assert.deepEqual(await of("example.com", "deployments", { spec: { template } }), []);
  const quiet = { ...labels, warn: "privileged" };
  const silent = { group: "apps", resource: "deployments", object: { spec: { template } } };
  assert.deepEqual((await attempt(quiet, silent)).warnings, []);
});

test("an update of a pod is checked when images or ephemeral containers change", async () => {
  const old = pod({ hostPID: true });
  const update = async (spec: JsonObject, more: Wanted = {}) =>
    (
      await attempt(
        { enforce: "baseline" },
        { operation: "UPDATE", old, object: pod({ hostPID: true, ...spec }), ...more },
      )
    ).refusal !== undefined;
  assert.equal(await update({}), false);
  assert.equal(await update({ containers: [{ name: "c", image: "j" }] }), true);
  assert.equal(
    await update({ containers: [{ name: "c", image: "j" }] }, { subresource: "status" }),
    false,
  );
  const subresource = "ephemeralcontainers";
  assert.equal(await update({ ephemeralContainers: [{ name: "e" }] }, { subresource }), true);
});

test("labels of a namespace are validated, and existing pods are warned of", async () => {
  const change = (from: Readonly<Record<string, string>>, to: Readonly<Record<string, string>>) =>
    tryPlugin(
      createPodSecurity,
      {
        resource: "namespaces",
        namespace: "home",
        operation: "UPDATE",
        object: namespace(to),
        old: namespace(from),
      },
      {
        pods: [
          pod({ hostPID: true }, { name: "b" }),
          pod({ hostPID: true }, { name: "a" }),
          pod({ hostPID: true, hostIPC: true }, { name: "d" }),
          pod({ volumes: [{ name: "v", hostPath: {} }] }, { name: "c" }),
        ],
      },
    );
  assert.deepEqual(await change({}, { enforce: "high", "warn-version": "1.2" }), {
    refusal:
      'Namespace "home" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "high": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.2": must be "latest" or "v1.x"]',
    warnings: [],
  });
  assert.equal((await change({ enforce: "high" }, { enforce: "high" })).refusal, undefined);
  assert.deepEqual((await change({}, { enforce: "baseline" })).warnings, [
    'existing pods in namespace "home" violate the new PodSecurity enforce level "baseline:latest"',
    "a (and 2 other pods): host namespaces",
    "c: hostPath volumes",
  ]);
  assert.deepEqual((await change({ enforce: "restricted" }, { enforce: "baseline" })).warnings, []);
  assert.deepEqual((await change({}, { warn: "baseline" })).warnings, []);
});

test("a check is as it was in its version, and restricted ones replace those of baseline", () => {
  const of = (level: Level, version: string, spec: JsonObject, annotations: object = {}) =>
    formatDetails(
      evaluatePod(
        { level, version: parseVersion(version)! },
        { annotations: annotations as Record<string, string>, spec },
      ),
    );
  const sysctl = { securityContext: { sysctls: [{ name: "net.ipv4.tcp_rmem" }] } };
  assert.equal(of("baseline", "v1.31", sysctl), "forbidden sysctls (net.ipv4.tcp_rmem)");
  assert.equal(of("baseline", "v1.32", sysctl), "");
  const adding = {
    containers: [{ name: "c", securityContext: { capabilities: { add: ["BPF"] } } }],
  };
  assert.equal(
    of("restricted", "v1.7", { ...adding, securityContext: { runAsNonRoot: true } }),
    'non-default capabilities (container "c" must not include "BPF" in securityContext.capabilities.add)',
  );
  assert.match(
    of("restricted", "latest", adding),
    /^allowPrivilegeEscalation != false \(.*\), unrestricted capabilities \(container "c" must set securityContext.capabilities.drop=\["ALL"\]; container "c" must not include "BPF" in securityContext.capabilities.add\), runAsNonRoot != true \(.*\), seccompProfile \(pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"\)$/,
  );
  const annotated = { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" };
  assert.equal(
    of("baseline", "latest", { containers: [] }, annotated),
    'forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
  );
  const root = { hostUsers: false, containers: [{ name: "c", securityContext: { runAsUser: 0 } }] };
  assert.match(of("restricted", "v1.34", root), /runAsUser=0 \(container "c" must not set/);
  assert.doesNotMatch(of("restricted", "v1.35", root), /runAs/);
});

test("only latest and v1.N are versions", () => {
  assert.deepEqual(
    ["v1.0", "v1.36", "latest", "v1.01", "v2.0", "1.2", "v1.99999999999999999999"].map((text) =>
      Boolean(parseVersion(text)),
    ),
    [true, true, true, false, false, false, false],
  );
});

const configuration: JsonObject = {
  apiVersion: "pod-security.admission.config.k8s.io/v1",
  kind: "PodSecurityConfiguration",
  defaults: { enforce: "baseline", "enforce-version": "v1.30", warn: "restricted" },
  exemptions: { usernames: ["bob"], namespaces: ["system"], runtimeClasses: ["kata"] },
};

test("a configuration gives defaults and exemptions", async () => {
  const create = (services: PluginServices) =>
    createPodSecurity(services, configured(configuration));
  const of = async (spec: JsonObject, more: Wanted = {}) =>
    (
      await tryPlugin(
        create,
        { object: pod({ hostPID: true, ...spec }), ...more },
        { namespaces: [namespace({}), { metadata: { name: "system" } }] },
      )
    ).refusal;
  assert.equal(
    await of({}),
    `pods "p" is forbidden: violates PodSecurity "baseline:v1.30": ${hostPid}`,
  );
  assert.equal(await of({ runtimeClassName: "kata" }), undefined);
  assert.equal(await of({}, { user: { name: "bob", groups: [] } }), undefined);
  assert.equal(await of({}, { namespace: "system" }), undefined);
  const labelled = { metadata: { name: "system", labels: { [`${prefix}enforce`]: "restricted" } } };
  const made = { resource: "namespaces", namespace: "system", object: labelled };
  assert.deepEqual((await tryPlugin(create, made)).warnings, [
    'namespace "system" is exempt from Pod Security, and the policy (enforce=restricted:v1.30) will be ignored',
  ]);
});
