// Upstream's own serialized objects, run where Go's module cache has them (k8s.io/api, testdata):
// one object of each kind in JSON, YAML and protobuf, as this release writes it and as the three
// before it wrote it. Each form must come back byte for byte, and all three must mean the same.
// Upstream: k8s.io/apimachinery/pkg/api/apitesting/roundtrip/compatibility.go.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type JsonObject, parseJson } from "homeostat/api";
import { readKindData } from "../apimachinery/kind-data/read-kind-data.ts";
import { createGoDecoder } from "../kinds/serializer/go-decoder.ts";
import { createGoEncoder } from "../kinds/serializer/go-encoder.ts";
import { formatYaml } from "../registry/response/format-yaml.ts";
import { parseYaml } from "../registry/body/parse-yaml.ts";
import { indentJson } from "../registry/negotiation/indent-json.ts";
import { createProtobufCodec } from "./protobuf-codec.ts";

/** The newest patch release of 1.36's module that is there. */
function findTestdata(): string | undefined {
  const modules = join(
    process.env.GOMODCACHE ?? join(process.env.GOPATH ?? join(homedir(), "go"), "pkg", "mod"),
    "k8s.io",
  );
  const names = existsSync(modules)
    ? readdirSync(modules).filter((name) => /^api@v0\.36\.\d+$/.test(name))
    : [];
  return names
    .map((name) => join(modules, name, "testdata"))
    .findLast((folder) => existsSync(folder));
}

interface Sample {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The file without its ending. */
  readonly path: string;
}

/**
 * Go's WatchEvent does not say what it is: it has no envelope on the wire, and upstream's sample
 * has an empty one.
 */
const untyped = /\.WatchEvent\./;

/** `apps.v1.Deployment` or `resource.k8s.io.v1.DeviceClass`. */
function listSamples(folder: string): readonly Sample[] {
  return readdirSync(folder)
    .filter(
      (name) => name.endsWith(".pb") && !name.includes(".after_roundtrip.") && !untyped.test(name),
    )
    .map((name) => {
      const [, group, version, kind] = /^(.+)\.([^.]+)\.([^.]+)\.pb$/.exec(name)!;
      return {
        group: group === "core" ? "" : group!,
        version: version!,
        kind: kind!,
        path: join(folder, name.slice(0, -".pb".length)),
      };
    });
}

const data = readKindData("1.36");
const codec = createProtobufCodec(data);

/**
 * What a form becomes when it has been read and written once; upstream keeps it only where it is
 * not the same.
 */
function read(
  { path }: Sample,
  ending: string,
): { readonly before: Buffer; readonly after: Buffer } {
  const before = readFileSync(`${path}.${ending}`);
  const again = `${path}.after_roundtrip.${ending}`;
  return { before, after: existsSync(again) ? readFileSync(again) : before };
}

async function roundTrip(sample: Sample, model: string): Promise<void> {
  const decoder = createGoDecoder(data, model, { emptyLists: "kept" });
  const encode = createGoEncoder(data, model);
  const ordered = (object: JsonObject): JsonObject => parseJson(encode(object)).value as JsonObject;

  const json = read(sample, "json");
  const { object } = decoder.decode(parseJson(json.before.toString()));
  assert.equal(indentJson(encode(object)), json.after.toString().trimEnd(), "JSON");

  const yaml = read(sample, "yaml");
  const fromYaml = decoder.decode(await parseYaml(yaml.before.toString())).object;
  assert.deepEqual(fromYaml, object, "YAML means the same as JSON");
  assert.equal(formatYaml(ordered(fromYaml)), yaml.after.toString(), "YAML");

  const protobuf = read(sample, "pb");
  const fromProtobuf = codec.decode(protobuf.before, sample).object;
  assert.equal(
    encode(decoder.decode(parseJson(encode(fromProtobuf))).object),
    encode(object),
    "protobuf means the same as JSON",
  );
  for (const each of [fromProtobuf, object])
    assert.equal(
      Buffer.from(codec.encode(each)!).toString("latin1"),
      protobuf.after.toString("latin1"),
      "protobuf",
    );
}

const testdata = findTestdata();

describe(
  "upstream's serialized objects",
  { skip: testdata ? false : "k8s.io/api is not in Go's module cache" },
  () => {
    for (const release of testdata
      ? readdirSync(testdata).filter((name) => name === "HEAD" || name.startsWith("v"))
      : []) {
      it(release, async () => {
        let tried = 0;
        const faults: string[] = [];
        for (const sample of listSamples(join(testdata!, release))) {
          const model = data.typeOf(sample.group, sample.version, sample.kind)?.model;
          if (!model) continue;
          tried++;
          await roundTrip(sample, model).catch((error: unknown) =>
            faults.push(`${sample.path.slice(testdata!.length + 1)}: ${(error as Error).message}`),
          );
        }
        assert.deepEqual(faults, []);
        assert.ok(tried > 80, `only ${tried} objects are of a kind that is served`);
      });
    }
  },
);
