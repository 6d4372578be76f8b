// The committed data against facts read in upstream's Go sources by hand, and against its own
// promises.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { GoField, TypeRef } from "./kind-data.ts";
import { openKindData } from "./open-kind-data.ts";
import { readKindData } from "./read-kind-data.ts";

const data = readKindData("1.36");
const core = (name: string) => data.type(`io.k8s.api.core.v1.${name}`);
const field = (model: string, name: string): GoField => {
  const found = data.type(model).field(name);
  assert.ok(found, `${model} has no field ${name}`);
  return found;
};

test("a struct's fields carry JSON, Go and protobuf names in Go's order", () => {
  const configMap = core("ConfigMap");
  assert.equal(configMap.goName, "v1.ConfigMap");
  assert.equal(configMap.goStruct, "ConfigMap");
  assert.deepEqual(
    configMap.members.map((member) => member.name),
    ["kind", "apiVersion", "metadata", "immutable", "data", "binaryData"],
  );
  const found = field(configMap.model, "data");
  assert.equal(found.number, 2);
  assert.equal(found.goType, "map[string]string");
  assert.deepEqual(found.ref, { at: "map", values: { at: "string" } });
  assert.equal(configMap.byNumber(2), found);
  assert.deepEqual(field(configMap.model, "binaryData").ref, {
    at: "map",
    values: { at: "bytes" },
  });
});

test("a field with no protobuf number is found by none", () => {
  const configMap = core("ConfigMap");
  const [typeMeta] = configMap.fields;
  assert.deepEqual([typeMeta?.goName, typeMeta?.inline, typeMeta?.number], ["TypeMeta", true, 0]);
  assert.equal(configMap.byNumber(0), undefined);
  assert.equal(configMap.byNumber(99), undefined);
});

test("special types keep their names", () => {
  assert.deepEqual(field("io.k8s.api.coordination.v1.LeaseSpec", "renewTime").ref, {
    at: "special",
    name: "MicroTime",
  });
  assert.equal(field("io.k8s.api.coordination.v1.LeaseSpec", "renewTime").goType, "*v1.MicroTime");
  assert.deepEqual(core("ServicePort").field("targetPort")?.ref, {
    at: "special",
    name: "IntOrString",
  });
  assert.deepEqual(core("ResourceRequirements").field("limits")?.ref, {
    at: "map",
    values: { at: "special", name: "Quantity" },
  });
  assert.deepEqual(
    field("io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry", "fieldsV1").ref,
    { at: "special", name: "FieldsV1" },
  );
});

test("an embedded struct is one message in protobuf and flat in JSON", () => {
  const volume = core("Volume");
  const embedded = volume.byNumber(2);
  assert.equal(embedded?.inline, true);
  assert.equal(embedded.goName, "VolumeSource");
  assert.deepEqual(embedded.ref, { at: "struct", type: "io.k8s.api.core.v1.VolumeSource" });
  assert.equal(volume.field("emptyDir"), core("VolumeSource").field("emptyDir"));
  assert.equal(volume.field("VolumeSource"), undefined);
  assert.equal(volume.members[0]?.name, "name");
});

test("merge rules for server-side apply and strategic merge", () => {
  const ports = core("Container").field("ports");
  assert.equal(ports?.listType, "map");
  assert.deepEqual(ports.listMapKeys, ["containerPort", "protocol"]);
  assert.equal(ports.patchMergeKey, "containerPort");
  assert.deepEqual(ports.patchStrategy, ["merge"]);
  assert.equal(core("ServiceAccount").field("secrets")?.patchMergeKey, "name");
  assert.deepEqual(core("PodSpec").field("volumes")?.patchStrategy, ["merge", "retainKeys"]);
  assert.equal(core("LocalObjectReference").structType, "atomic");
  assert.equal(core("ServiceSpec").field("selector")?.mapType, "atomic");
  assert.equal(
    field("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "finalizers").listType,
    "set",
  );
});

test("enums, defaults, required and omission", () => {
  const protocol = core("ContainerPort").field("protocol");
  assert.deepEqual(protocol?.enum, ["SCTP", "TCP", "UDP"]);
  assert.equal(protocol.default, "TCP");
  assert.equal(protocol.goType, "v1.Protocol");
  const port = core("ServicePort").field("port");
  assert.equal(port?.required, true);
  assert.equal(port.omitEmpty, false);
  assert.equal(port.default, 0);
  assert.equal("default" in (core("ServicePort").field("name") ?? {}), false);
  const created = field("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "creationTimestamp");
  assert.deepEqual([created.omitEmpty, created.omitZero, created.pointer], [true, true, false]);
});

test("a named list that is a message of its own is marked", () => {
  assert.deepEqual(field("io.k8s.api.authentication.v1.UserInfo", "extra").ref, {
    at: "map",
    values: { at: "list", items: { at: "string" }, wrapped: true },
  });
});

test("CustomResourceDefinition's schema type refers to itself and to its special unions", () => {
  const props = data.type(
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps",
  );
  assert.deepEqual(props.field("properties")?.ref, {
    at: "map",
    values: { at: "struct", type: props.model },
  });
  assert.deepEqual(props.field("items")?.ref, { at: "special", name: "JSONSchemaPropsOrArray" });
  assert.equal(props.field("minimum")?.goType, "*float64");
  assert.equal(props.field("x-kubernetes-validations")?.goName, "XValidations");
});

test("kinds say what discovery says", () => {
  const deployment = data.kind("apps", "v1", "Deployment");
  assert.equal(deployment?.resource, "deployments");
  assert.deepEqual(deployment.shortNames, ["deploy"]);
  assert.deepEqual(deployment.categories, ["all"]);
  assert.equal(deployment.storageVersionHash, "8aSe+NMegvE=");
  assert.equal(deployment, data.resource("apps", "v1", "deployments"));
  assert.deepEqual(
    deployment.subresources.map(({ name, group, version, kind, type }) => [
      name,
      group,
      version,
      kind,
      type,
    ]),
    [
      ["scale", "autoscaling", "v1", "Scale", "io.k8s.api.autoscaling.v1.Scale"],
      ["status", "apps", "v1", "Deployment", "io.k8s.api.apps.v1.Deployment"],
    ],
  );
  assert.equal(data.kind("", "v1", "Node")?.namespaced, false);
  assert.equal(data.kind("apps", "v1beta1", "Deployment"), undefined);
  assert.deepEqual(data.kinds("no.such.group"), []);
});

test("tables have the columns that the server prints", () => {
  const columns = data.columns("apps", "v1", "deployments");
  assert.deepEqual(
    columns.map(({ name, priority }) => [name, priority]),
    [
      ["Name", 0],
      ["Ready", 0],
      ["Up-to-date", 0],
      ["Available", 0],
      ["Age", 0],
      ["Containers", 1],
      ["Images", 1],
      ["Selector", 1],
    ],
  );
  assert.deepEqual([columns[0]?.type, columns[0]?.format], ["string", "name"]);
  assert.match(columns[0]?.description ?? "", /^Name must be unique within a namespace\./);
  assert.deepEqual(data.columns("authorization.k8s.io", "v1", "subjectaccessreviews"), []);
});

test("any kind that a body may name has a type", () => {
  const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
  assert.equal(data.typeOf("policy", "v1", "Eviction")?.goName, "v1.Eviction");
  assert.equal(data.typeOf("apps", "v1", "DeleteOptions")?.model, `${meta}.DeleteOptions`);
  assert.equal(data.typeOf("", "v1", "Status")?.model, `${meta}.Status`);
  assert.equal(data.typeOf("", "v1", "PodList")?.field("items")?.goType, "[]v1.Pod");
  for (const [group, kind] of [
    ["authentication.k8s.io", "TokenRequest"],
    ["meta.k8s.io", "PartialObjectMetadata"],
    ["admission.k8s.io", "AdmissionReview"],
  ] as const)
    assert.equal(data.typeOf(group, "v1", kind)?.goStruct, kind);
  assert.equal(data.typeOf("", "v1", "Nonsense"), undefined);
});

test("groups come in the order of /apis with the preferred version first", () => {
  assert.equal(data.kubernetes, "v1.36.3");
  assert.deepEqual(
    data.groups.slice(0, 3).map((group) => group.group),
    ["", "apiregistration.k8s.io", "apps"],
  );
  assert.deepEqual(data.groups.find((group) => group.group === "autoscaling")?.versions, [
    "v2",
    "v1",
  ]);
});

const structsOf = (ref: TypeRef): readonly string[] => {
  switch (ref.at) {
    case "struct":
      return [ref.type];
    case "list":
      return structsOf(ref.items);
    case "map":
      return structsOf(ref.values);
    default:
      return [];
  }
};

test("every reference resolves, and every type decodes with distinct names and numbers", () => {
  assert.ok(data.models.length > 500);
  for (const model of data.models) {
    const { fields, members } = data.type(model);
    for (const each of fields) for (const struct of structsOf(each.ref)) data.type(struct);
    const names = members.map((member) => member.name);
    assert.equal(new Set(names).size, names.length, `${model} has a JSON name twice`);
    const numbers = fields.map((each) => each.number).filter((number) => number > 0);
    assert.equal(new Set(numbers).size, numbers.length, `${model} has a protobuf number twice`);
  }
});

test("every served kind has a type and a list whose items are of it", () => {
  for (const { group } of data.groups)
    for (const kind of data.kinds(group)) {
      data.type(kind.type);
      if (!kind.verbs.includes("list")) continue;
      const items = data.typeOf(group, kind.version, `${kind.kind}List`)?.field("items");
      assert.deepEqual(
        items?.ref,
        { at: "list", items: { at: "struct", type: kind.type } },
        `${group}/${kind.version} ${kind.kind}`,
      );
    }
});

test("an unknown model is refused by name", () => {
  assert.throws(() => data.type("io.example.Nothing"), {
    code: "ERR_KINDS_UNKNOWN_TYPE",
    message: /io\.example\.Nothing/,
  });
});

test("unused lines are not parsed", () => {
  const opened = openKindData(
    '{"kubernetes":"v0.0.0","groups":[]}\n["a.B","v1.B",{},[["x","X","string",1,"string","o"]]]\n["a.C",broken\n',
  );
  assert.deepEqual(opened.models, ["a.B", "a.C"]);
  assert.equal(opened.type("a.B").field("x")?.number, 1);
  assert.throws(() => opened.type("a.C"), SyntaxError);
});

test("the layout of internal structs is read when it is asked for, once", () => {
  let reads = 0;
  const opened = openKindData('{"kubernetes":"v0.0.0","groups":[]}\n', () => {
    reads++;
    return '{}\n["a.B",[["Name","string"],["","a.C","inner"],["IPs","[]string","ips","e"]]]\n';
  });
  assert.equal(reads, 0);
  assert.deepEqual(opened.layout().members("a.B"), [
    { printed: "Name", type: "string", name: "name", omitEmpty: false, omitZero: false },
    { printed: "", type: "a.C", name: "inner", omitEmpty: false, omitZero: false },
    { printed: "IPs", type: "[]string", name: "ips", omitEmpty: true, omitZero: false },
  ]);
  opened.layout();
  assert.equal(reads, 1);
  assert.throws(() => opened.layout().members("a.D"), { code: "ERR_KINDS_UNKNOWN_TYPE" });
});
