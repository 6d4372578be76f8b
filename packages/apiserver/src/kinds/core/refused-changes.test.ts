// What upstream answers to changes of what may not change; recorded from kube-apiserver 1.36.3.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { openKind } from "../open-kind.suite.ts";

/** The errors of a change to an object as it was stored. */
function change(
  [group, plural]: readonly [string, string],
  body: object,
  edit: (spec: JsonObject) => JsonObject,
): readonly string[] {
  const kind = openKind(group, plural);
  const { object: old } = kind.create(body);
  return kind.update(old, { ...old, spec: edit(structuredClone(old["spec"]) as JsonObject) })
    .errors;
}

test("a pod's changes are listed under Go's names", () => {
  const containers = ["a", "b", "d"].map((name) => ({ name, image: "i:1" }));
  const [error, ...others] = change(
    ["", "pods"],
    { metadata: { name: "p", namespace: "n" }, spec: { containers } },
    (spec) => ({
      ...spec,
      containers: [...(spec["containers"] as JsonObject[])].reverse(),
      hostname: "h",
    }),
  );
  assert.deepEqual(others, []);
  assert.equal(
    error!.slice(error!.indexOf("\n") + 1),
    [
      "@@ -3,7 +3,7 @@",
      '  "InitContainers": null,',
      '  "Containers": [',
      "   {",
      '-   "Name": "a",',
      '+   "Name": "d",',
      '    "Image": "i:1",',
      '    "Command": null,',
      '    "Args": null,',
      "@@ -65,7 +65,7 @@",
      '    "TTY": false',
      "   },",
      "   {",
      '-   "Name": "d",',
      '+   "Name": "a",',
      '    "Image": "i:1",',
      '    "Command": null,',
      '    "Args": null,',
      "@@ -126,7 +126,7 @@",
      '   "SELinuxChangePolicy": null',
      "  },",
      '  "ImagePullSecrets": null,',
      '- "Hostname": "",',
      '+ "Hostname": "h",',
      '  "Subdomain": "",',
      '  "SetHostnameAsFQDN": null,',
      '  "Affinity": null,',
      "",
    ].join("\n"),
  );
});

test("a claim's changes are listed under Go's names", () => {
  const spec = {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    storageClassName: "s",
    volumeMode: "Filesystem",
  };
  assert.deepEqual(
    change(
      ["", "persistentvolumeclaims"],
      { metadata: { name: "c", namespace: "n" }, spec },
      (before) => ({ ...before, storageClassName: "t" }),
    ),
    [
      [
        "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
        "@@ -10,7 +10,7 @@",
        "   }",
        "  },",
        '  "VolumeName": "",',
        '- "StorageClassName": "s",',
        '+ "StorageClassName": "t",',
        '  "VolumeMode": "Filesystem",',
        '  "DataSource": null,',
        '  "DataSourceRef": null,',
        "",
      ].join("\n"),
    ],
  );
});

test("a volume's other source is listed beside the first", () => {
  const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] };
  const [error] = change(
    ["", "persistentvolumes"],
    { metadata: { name: "v" }, spec: { ...spec, nfs: { server: "s", path: "/a" } } },
    (before) => ({ ...before, nfs: null, hostPath: { path: "/b", type: "" } }),
  );
  assert.equal(
    error,
    [
      "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation",
      "@@ -1,13 +1,12 @@",
      " {",
      '  "GCEPersistentDisk": null,',
      '  "AWSElasticBlockStore": null,',
      '- "HostPath": null,',
      '+ "HostPath": {',
      '+  "Path": "/b",',
      '+  "Type": ""',
      "+ },",
      '  "Glusterfs": null,',
      '- "NFS": {',
      '-  "Server": "s",',
      '-  "Path": "/a",',
      '-  "ReadOnly": false',
      "- },",
      '+ "NFS": null,',
      '  "RBD": null,',
      '  "Quobyte": null,',
      '  "ISCSI": null,',
      "",
    ].join("\n"),
  );
});

test("a Job's policies print as Go's structs", () => {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [1, 2] } }];
  assert.deepEqual(
    change(
      ["batch", "jobs"],
      {
        metadata: { name: "j", namespace: "n", uid: "u" },
        spec: { template, podFailurePolicy: { rules } },
      },
      (spec) => ({ ...spec, podFailurePolicy: { rules: [{ ...rules[0], action: "Ignore" }] } }),
    ),
    [
      'spec.podFailurePolicy: Invalid value: {"Rules":[{"Action":"Ignore","OnExitCodes":{"ContainerName":null,"Operator":"In","Values":[1,2]},"OnPodConditions":null}]}: field is immutable',
    ],
  );
});

test("a Job's template prints whole, metadata under JSON's names", () => {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  const [error] = change(
    ["batch", "jobs"],
    { metadata: { name: "j", namespace: "n", uid: "u" }, spec: { template } },
    (spec) => ({
      ...spec,
      template: { ...(spec["template"] as JsonObject), spec: { ...template.spec, hostPID: true } },
    }),
  );
  assert.match(
    error!,
    /^spec\.template: Invalid value: \{"labels":\{"batch\.kubernetes\.io\/controller-uid":"u",.*\},"Spec":\{"Volumes":null,"InitContainers":null,"Containers":\[\{"Name":"c","Image":"i",.*"SecurityContext":\{"HostNetwork":false,"HostPID":true,.*\}: field is immutable$/,
  );
});

test("rules that the stored object breaks, or that upstream repeats", () => {
  const claim = {
    metadata: { name: "c", namespace: "n" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" },
    },
  };
  const group = (errors: readonly string[]): readonly string[] =>
    errors.filter((error) => error.includes("apiGroup:"));
  const wrong = { apiGroup: "Bad Group", kind: "VolumeSnapshot", name: "s" };
  const edit = (spec: JsonObject): JsonObject => ({ ...spec, dataSource: wrong });
  assert.deepEqual(group(change(["", "persistentvolumeclaims"], claim, edit)), []);
  const balancer = {
    metadata: { name: "s", namespace: "n" },
    spec: { type: "LoadBalancer", ports: [{ port: 80 }], loadBalancerClass: "a.b/c" },
  };
  const classErrors = change(["", "services"], balancer, (spec) => ({
    ...spec,
    loadBalancerClass: "Bad Class",
  })).map((error) => error.slice(0, error.indexOf(": name part")));
  assert.deepEqual(classErrors.length, 3);
  assert.equal(classErrors[1], classErrors[2]);
});

test("a headless service keeps its families, unless its policy is SingleStack", () => {
  const headless = {
    metadata: { name: "s", namespace: "n" },
    spec: { clusterIP: "None", ports: [{ port: 80 }] },
  };
  assert.throws(
    () => change(["", "services"], headless, (spec) => ({ ...spec, ipFamilies: ["IPv6"] })),
    /spec\.ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release/,
  );
});

test("warnings about the templates of a PodTemplate and of a ReplicationController", () => {
  const containers = [{ name: "c", image: "i" }];
  const template = (seconds: number) => ({
    metadata: { labels: { a: "b" } },
    spec: { containers, terminationGracePeriodSeconds: seconds },
  });
  const metadata = { name: "a", namespace: "n" };
  const warning =
    "template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1";
  const templates = openKind("", "podtemplates");
  const stored = templates.create({ metadata, template: template(1) }).object;
  const changed = templates.update(stored, { ...stored, template: template(-1) });
  assert.deepEqual(changed.warnings, [warning]);
  const controllers = openKind("", "replicationcontrollers");
  const spec = (seconds: number) => ({ selector: { a: "b" }, template: template(seconds) });
  const old = controllers.create({ metadata, spec: spec(-1) }).object;
  const mended = controllers.update(old, { ...old, spec: spec(1) });
  assert.deepEqual(mended.warnings, [`spec.${warning}`], "the old template is shown");
});
