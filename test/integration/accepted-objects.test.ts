// Whatever a server accepts under a definition, the cache of a program with that definition reads:
// on random definitions, with random objects of which the server refuses some.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { defineResource, installDefinitions, isHomeostatError, k } from "homeostat";
import { isApiStatusError, type Kind, type KubeObject } from "homeostat/api";
import { createCache } from "homeostat/cache";
import type { Client } from "homeostat/client";
import { createSystemRuntime } from "homeostat/runtime";
import * as z from "zod";
import { openServer, serverKinds } from "../fixtures/with-server.ts";

const definitions = 12;
const objectsEach = 60;

/** A schema, and values of which most match it. */
interface Sample {
  readonly schema: z.ZodType;
  readonly values: fc.Arbitrary<unknown>;
}

const key = fc.constantFrom("a", "b", "constructor", "x-y", "toString");
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(2 ** 53, 1e300, -0, 1_000_000_000.5, 3.0),
);
const anything = fc.oneof(
  { withCrossShrink: false },
  number,
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(number, fc.string(), fc.constant(null)), { maxLength: 2 }),
  fc.dictionary(key, fc.oneof(number, fc.string(), fc.constant(null)), { maxKeys: 2 }),
);

const leaves: fc.Arbitrary<Sample> = fc.constantFrom<Sample>(
  { schema: z.string(), values: fc.string() },
  { schema: z.string().max(3), values: fc.string() },
  { schema: z.int(), values: fc.oneof(fc.integer(), number) },
  { schema: z.int().min(0).default(1), values: fc.option(fc.nat()) },
  { schema: k.int64(), values: number },
  { schema: z.number(), values: number },
  { schema: z.boolean().default(true), values: fc.option(fc.boolean()) },
  { schema: z.enum(["x", "y"]), values: fc.constantFrom("x", "y", "z") },
  { schema: z.enum(["x", "y"]).nullable(), values: fc.constantFrom("x", null) },
  { schema: z.literal("only"), values: fc.constant("only") },
  { schema: k.intOrString(), values: fc.oneof(fc.integer(), fc.string()) },
  { schema: k.quantity(), values: fc.constantFrom(1, "500m", "2Gi", 1.5) },
  { schema: k.time(), values: fc.constantFrom("2026-01-01T00:00:00Z", "no") },
  { schema: z.unknown(), values: anything },
  { schema: k.set(z.string()), values: fc.uniqueArray(fc.string(), { maxLength: 3 }) },
);

const samples = fc.letrec<{ one: Sample }>((tie) => ({
  one: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    leaves,
    fc.tuple(tie("one"), fc.nat(3)).map(([{ schema, values }, how]) => {
      if (how === 0) return { schema: schema.nullable(), values: fc.option(values) };
      if (how === 1)
        return {
          schema: z.record(z.string(), schema),
          values: fc.dictionary(key, values, { maxKeys: 3 }),
        };
      return { schema: z.array(schema), values: fc.array(values, { maxLength: 3 }) };
    }),
    fc
      .array(fc.tuple(key, tie("one"), fc.nat(2)), { minLength: 1, maxLength: 4 })
      .chain((fields) => fc.tuple(fc.constant(fields), fc.boolean()))
      .map(([fields, isLoose]) => objectOf(fields, isLoose)),
  ),
})).one;

function objectOf(
  fields: readonly (readonly [name: string, sample: Sample, how: number])[],
  isLoose: boolean,
): Sample {
  const unique = new Map(fields.map((field) => [field[0], field]));
  const shape = Object.fromEntries(
    [...unique.values()].map(([name, { schema }, how]) => [
      name,
      how === 0 ? schema : schema.optional(),
    ]),
  );
  const model = Object.fromEntries(
    [...unique.values()].map(([name, { values }]) => [
      name,
      fc.oneof({ weight: 12, arbitrary: values }, { weight: 1, arbitrary: anything }),
    ]),
  );
  const requiredKeys = [...unique.values()].filter(([, , how]) => how === 0).map(([name]) => name);
  return {
    schema: isLoose ? z.looseObject(shape) : z.object(shape),
    values: fc.oneof(
      { weight: 12, arbitrary: fc.record(model, { requiredKeys }) },
      { weight: 1, arbitrary: fc.record(model, { requiredKeys: [] }) },
    ),
  };
}

const spec: fc.Arbitrary<Sample> = fc
  .array(fc.tuple(key, samples, fc.nat(2)), { minLength: 1, maxLength: 5 })
  .map((fields) => objectOf(fields, false));

interface Counts {
  definitions: number;
  accepted: number;
  refused: number;
}

const seed = 20_261_122;

/** Creates objects of one definition, with the same value as spec and status. */
async function createAll(client: Client, kind: Kind, { values }: Sample, counts: Counts) {
  for (const value of fc.sample(values, { seed, numRuns: objectsEach })) {
    try {
      const body = { metadata: { generateName: "one-" }, spec: value };
      const { metadata } = (await client.create(kind, body as never)) as KubeObject;
      counts.accepted++;
      const status = { type: "merge", body: { status: value } } as const;
      await client.patch(kind, metadata, status, { subresource: "status" });
    } catch (error) {
      if (!isApiStatusError(error)) throw error;
      counts.refused++;
    }
  }
}

async function assertAllRead(client: Client, kind: Kind): Promise<void> {
  const cache = createCache({ client, runtime: createSystemRuntime() });
  try {
    const { informer } = cache.acquire(kind);
    cache.start();
    await cache.synced();
    const read = informer.list().length;
    assert.deepEqual(informer.skipped(), []);
    assert.equal(read, informer.stats().objects);
  } finally {
    await cache.stop();
  }
}

async function playOne(client: Client, i: number, sample: Sample, counts: Counts): Promise<void> {
  const { schema } = sample;
  const names = { group: "accepted.example.com", version: "v1", kind: `Sampled${i}` };
  const kind = defineResource({ ...names, spec: schema, status: schema });
  try {
    await installDefinitions(client, [kind]);
  } catch (error) {
    if (isHomeostatError(error, "ERR_DEFINITION_REFUSED")) return;
    throw error;
  }
  counts.definitions++;
  await createAll(client, kind, sample, counts);
  await assertAllRead(client, kind);
}

for (const what of serverKinds().slice(0, 1)) {
  it(
    `whatever the ${what} server accepts matches the definition`,
    { timeout: 120_000 },
    async () => {
      const server = await openServer(what);
      const counts: Counts = { definitions: 0, accepted: 0, refused: 0 };
      try {
        const client = await server.client();
        const sampled = fc.sample(spec, { seed, numRuns: definitions });
        for (const [i, sample] of sampled.entries()) await playOne(client, i, sample, counts);
      } finally {
        await server.close();
      }
      const { accepted, refused } = counts;
      assert.ok(counts.definitions >= 8 && accepted > 200 && refused > 50, JSON.stringify(counts));
    },
  );
}
