// The committed types of built-in kinds equal the generator's output, and each rule of the
// generator holds for a type of upstream.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openKindData } from "../../packages/apiserver/src/apimachinery/kind-data/open-kind-data.ts";
import { gatedGroups } from "../../packages/apiserver/src/server/gated-apis.ts";
import { readSources } from "../read-sources.ts";
import { emitTypeFiles, toExports } from "./types/emit-type-files.ts";
import { ModelNames } from "./types/model-names.ts";
import { type Field, printFields } from "./types/print-declaration.ts";
import { kindConditionFields } from "./types/print-models.ts";
import { referenceLink } from "./types/reference-link.ts";
import { toTypeModules } from "./types/type-modules.ts";
import { structsByHand, TypePrinter } from "./types/type-printer.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const source = "packages/apiserver/data/v1.36.jsonl";
const folder = "packages/homeostat/src/k8s";
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const data = openKindData(read(source), undefined, gatedGroups());

describe("what is committed is what the emitter writes", () => {
  let files: ReadonlyMap<string, string>;
  before(async () => {
    files = await emitTypeFiles(data, source, JSON.parse(read(".oxfmtrc.json")));
  });

  test("byte for byte", () => {
    for (const [path, text] of files) assert.equal(read(`${folder}/${path}`), text, path);
  });

  test("and nothing else lies there", () => {
    const committed = readSources(join(root, folder), ["."]).map(({ path }) => path);
    const generated = committed.filter((path) => path.split("/").length === 3);
    assert.deepEqual(generated.toSorted(), [...files.keys()].toSorted());
  });

  test("each module is a subpath of the package", () => {
    const { exports } = JSON.parse(read("packages/homeostat/package.json")) as {
      readonly exports: Readonly<Record<string, unknown>>;
    };
    const subpaths = Object.entries(exports).filter(([subpath]) => subpath.startsWith("./k8s/"));
    assert.deepEqual(Object.fromEntries(subpaths), toExports(files.keys()));
  });

  test("each kind that is served has a value", () => {
    const served = data.groups.flatMap(({ group }) => data.kinds(group));
    const values = [...files.values()].flatMap((text) => [...text.matchAll(/^export const /gm)]);
    assert.equal(values.length, served.length);
  });
});

describe("shapes", () => {
  const models = (path: string): string => read(`${folder}/${path}/models.ts`);
  const bodyOf = (path: string, name: string): readonly string[] => {
    const text = models(path);
    const start = text.search(new RegExp(`^export interface ${name} .*\\{$`, "m"));
    assert.ok(start >= 0, `${path} has no ${name}`);
    return text
      .slice(text.indexOf("\n", start) + 1, text.indexOf("\n}", start))
      .split("\n")
      .map((line) => line.trim().replace(/^readonly /, ""));
  };

  test("a kind is read with full metadata, and with every struct that Go always writes", () => {
    assert.deepEqual(bodyOf("apps/v1", "Deployment"), [
      "spec: DeploymentSpec;",
      "status: DeploymentStatus;",
    ]);
    assert.ok(
      models("apps/v1").includes(
        'export interface Deployment extends BuiltInObject<"apps/v1", "Deployment"> {\n',
      ),
    );
  });

  test("it is written with a name, without status, and with what the published schema requires", () => {
    const isManifest = (path: string, head: string): void =>
      assert.ok(
        models(path).includes(`export interface ${head} {\n  readonly metadata: Naming;\n}\n`),
        head,
      );
    isManifest("apps/v1", 'DeploymentManifest extends AsWritten<Deployment, "spec">');
    isManifest("apps/v1", "ControllerRevisionManifest extends AsWritten<ControllerRevision>");
  });

  test("a review has the metadata that its creator gave it", () =>
    assert.ok(bodyOf("authentication/v1", "TokenReview").includes("metadata: ObjectMeta;")));

  test("items of a list may lack apiVersion and kind", () =>
    assert.ok(models("core/v1").includes("export interface PodList extends ListOf<Pod> {}\n")));

  test("an object inside another one need not be whole; a reference is a plain struct", () => {
    assert.ok(
      bodyOf("apps/v1", "StatefulSetSpec").includes(
        "volumeClaimTemplates?: readonly EmbeddedPersistentVolumeClaim[];",
      ),
    );
    assert.ok(bodyOf("core/v1", "Event").includes("involvedObject: ObjectReference;"));
  });

  test("options that every group registers keep an open apiVersion", () => {
    assert.ok(models("meta/v1").includes("export interface DeleteOptions extends TypeMeta {"));
    assert.ok(bodyOf("meta/v1", "TypeMeta").includes("apiVersion?: string;"));
  });

  test("Go writes null for unset times, and for lists that its tag keeps", () => {
    assert.ok(bodyOf("core/v1", "PodCondition").includes("lastProbeTime?: Time | null;"));
    assert.ok(bodyOf("rbac/v1", "ClusterRole").includes("rules?: readonly PolicyRule[] | null;"));
    assert.ok(bodyOf("core/v1", "PodStatus").includes("startTime?: Time;"));
  });

  test("published values are closed sets, in lists too", () => {
    assert.ok(bodyOf("core/v1", "Container").includes("imagePullPolicy?: PullPolicy;"));
    assert.ok(
      bodyOf("core/v1", "PersistentVolumeClaimSpec").includes(
        "accessModes?: readonly PersistentVolumeAccessMode[];",
      ),
    );
    assert.match(
      models("core/v1"),
      /export type PullPolicy = "Always" \| "IfNotPresent" \| "Never";/,
    );
  });

  test("a struct extends those that Go embeds in it", () => {
    const isStruct = (path: string, head: string, body: readonly string[]): void => {
      assert.ok(models(path).includes(`export interface ${head} {`), head);
      if (body.length > 0) assert.deepEqual(bodyOf(path, head.split(" ")[0]!), body);
    };
    isStruct("core/v1", "Volume extends VolumeSource", ["name: string;"]);
    isStruct("resource/v1", "DeviceClassConfiguration extends DeviceConfiguration", []);
    isStruct("meta/v1", "GetOptions extends TypeMeta", ["resourceVersion?: string;"]);
    isStruct("apps/v1", "ReplicaSetCondition extends KindCondition", []);
  });

  test("JSON's free forms are unions", () => {
    assert.ok(
      bodyOf("apiextensions/v1", "JSONSchemaProps").includes(
        "items?: JSONSchemaProps | readonly JSONSchemaProps[];",
      ),
    );
    assert.ok(bodyOf("core/v1", "ServicePort").includes("targetPort?: IntOrString;"));
  });
});

const modules = toTypeModules(data);

describe("what is written by hand is what the data has", () => {
  const bodyIn = (path: string, name: string): readonly string[] => {
    const [, body] = read(path).split(`export interface ${name} {\n`);
    return body!.slice(0, body!.indexOf("\n}")).split("\n");
  };
  const isBody = (path: string, name: string, fields: readonly Field[]): void =>
    assert.deepEqual(bodyIn(path, name), printFields(fields));

  test("structs of homeostat/api", () => {
    const context = { data, modules, minor: "v1.36", head: "" };
    const meta = modules.find(({ path }) => path === "meta/v1")!;
    const printer = new TypePrinter(context, meta, new ModelNames());
    for (const [model, file] of structsByHand) {
      const { goStruct, members } = data.type(model);
      const fields = members.map((field) => printer.field(field));
      isBody(`packages/homeostat/src/api/${file}`, goStruct, fields);
    }
  });

  test("what conditions have in common", () =>
    isBody(`${folder}/wire-types.ts`, "KindCondition", kindConditionFields));
});

describe("links", () => {
  const linkOf = (path: string, name: string): string => {
    const module = modules.find((each) => each.path === path)!;
    return referenceLink(
      "v1.36",
      module,
      module.types.find(({ facts }) => facts.goStruct === name)!,
    );
  };
  const reference = "https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#";

  test("what a served resource has in its body is in the API reference", () => {
    assert.equal(linkOf("apps/v1", "DeploymentSpec"), `${reference}deploymentspec-v1-apps`);
    assert.equal(linkOf("core/v1", "PodList"), `${reference}podlist-v1-core`);
    assert.equal(linkOf("rbac/v1", "Role"), `${reference}role-v1-rbac-authorization-k8s-io`);
    assert.equal(linkOf("meta/v1", "LabelSelector"), `${reference}labelselector-v1-meta`);
  });

  test("all else is in Go's package pages", () => {
    assert.equal(
      linkOf("admission/v1", "AdmissionReview"),
      "https://pkg.go.dev/k8s.io/api/admission/v1#AdmissionReview",
    );
    assert.equal(
      linkOf("meta/v1", "WatchEvent"),
      "https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#WatchEvent",
    );
  });
});
