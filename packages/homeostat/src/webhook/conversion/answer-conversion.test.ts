import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as z from "zod";
import { defineResource } from "../../api/resource/define-resource.ts";
import { encode, recordingEffects } from "../admission/review.suite.ts";
import type { HookEffects } from "../exchange.ts";
import { conversionHook } from "./answer-conversion.ts";
import { conversionLoss } from "./convert-object.ts";
import { defineConversion } from "./define-conversion.ts";

const V1 = defineResource({
  group: "kitchen.example.com",
  version: "v1",
  kind: "Order",
  spec: z.object({ table: z.int(), guest: z.string().optional() }),
  status: z.object({ cooked: z.int() }),
});
const V2 = defineResource({
  group: "kitchen.example.com",
  version: "v2",
  kind: "Order",
  spec: z.object({ seat: z.object({ table: z.int() }), guests: z.array(z.string()) }),
  status: z.object({ cooked: z.int() }),
});
const V3 = defineResource({
  group: "kitchen.example.com",
  version: "v3",
  kind: "Order",
  spec: z.object({ where: z.string() }),
  status: z.object({ cooked: z.int() }),
});

const split = defineConversion(V1, V2, {
  up: ({ spec: { table, guest } }) => ({
    spec: { seat: { table }, guests: guest === undefined ? [] : [guest] },
  }),
  down: ({ spec: { seat, guests } }) => {
    if (guests.length > 1) throw new Error("v1 has room for one guest");
    return {
      spec: { table: seat.table, ...(guests[0] === undefined ? {} : { guest: guests[0] }) },
    };
  },
});
const named = defineConversion(V2, V3, {
  up: ({ spec, metadata }) => ({
    metadata: { labels: { ...metadata.labels, was: "v2" } },
    spec: { where: `${spec.seat.table}` },
  }),
  down: ({ spec }) => ({ spec: { seat: { table: Number(spec.where) }, guests: [] } }),
});

const order = (name: string, spec: object, apiVersion = "kitchen.example.com/v1") => ({
  apiVersion,
  kind: "Order",
  metadata: { name, namespace: "default", uid: "u", labels: { a: "b" }, managedFields: [{}] },
  spec,
  status: { cooked: 3 },
});

const convert = async (
  objects: unknown,
  to: string,
  effects: HookEffects = recordingEffects(),
  conversions = [split, named],
) => {
  const review = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    request: { uid: "u7", desiredAPIVersion: `kitchen.example.com/${to}`, objects },
  };
  const hook = conversionHook(conversions);
  const { status, body } = await hook.answer(
    { contentType: "application/json", body: encode(review) },
    effects,
  );
  assert.equal(status, 200);
  return JSON.parse(body);
};

describe("a conversion review", () => {
  test("is answered with all objects in order, whose metadata has not changed", async () => {
    const answer = await convert(
      [order("a", { table: 1 }), order("b", { table: 2, guest: "x" })],
      "v2",
    );
    assert.deepEqual(answer, {
      kind: "ConversionReview",
      apiVersion: "apiextensions.k8s.io/v1",
      response: {
        uid: "u7",
        convertedObjects: [
          order("a", { seat: { table: 1 }, guests: [] }, "kitchen.example.com/v2"),
          order("b", { seat: { table: 2 }, guests: ["x"] }, "kitchen.example.com/v2"),
        ],
        result: { metadata: {}, status: "Success" },
      },
    });
  });

  test("goes through the versions between; only labels and annotations may change", async () => {
    const { response } = await convert([order("a", { table: 4 })], "v3");
    const [converted] = response.convertedObjects;
    assert.deepEqual(converted.spec, { where: "4" });
    assert.deepEqual(converted.metadata.labels, { a: "b", was: "v2" });
    assert.deepEqual([converted.metadata.uid, converted.metadata.managedFields], ["u", [{}]]);
    const back = await convert([converted], "v1");
    assert.deepEqual(back.response.convertedObjects[0].spec, { table: 4 });
  });

  test("keeps a status that the conversion leaves out, and takes the one that it returns", async () => {
    const cooking = defineConversion(V1, V2, {
      up: ({ spec, status }) => ({
        spec: { seat: { table: spec.table }, guests: [] },
        status: { cooked: (status?.cooked ?? 0) + 1 },
      }),
      down: ({ spec }) => ({ spec: { table: spec.seat.table } }),
    });
    const [up] = (await convert([order("a", { table: 1 })], "v2", undefined, [cooking])).response
      .convertedObjects;
    assert.deepEqual(up.status, { cooked: 4 });
    const [down] = (await convert([up], "v1", undefined, [cooking])).response.convertedObjects;
    assert.deepEqual(down.status, { cooked: 4 });
    const { status: _, ...bare } = order("a", { seat: { table: 1 }, guests: [] }, up.apiVersion);
    const [without] = (await convert([bare], "v1", undefined, [cooking])).response.convertedObjects;
    assert.equal("status" in without, false);
  });

  test("of one kind is not done by the conversion of another", async () => {
    const Meal = (version: string) =>
      defineResource({ group: "kitchen.example.com", version, kind: "Meal", spec: z.object({}) });
    const meals = defineConversion(Meal("v1"), Meal("v2"), {
      up: () => assert.fail("of meals"),
      down: () => assert.fail("of meals"),
    });
    const { response } = await convert([order("a", { table: 1 })], "v2", undefined, [
      meals as unknown as typeof split,
      split,
    ]);
    assert.equal(response.result.status, "Success");
  });

  test("leaves objects of the version as they are", async () => {
    const given = order("a", { table: 1 });
    assert.deepEqual((await convert([given], "v1")).response.convertedObjects, [given]);
  });

  test("that fails for some objects names them, converts none and is logged once", async () => {
    const effects = recordingEffects();
    const crowd = { seat: { table: 1 }, guests: ["x", "y"] };
    const objects = ["a", "b"].map((name) => order(name, crowd, "kitchen.example.com/v2"));
    const { response } = await convert([order("c", { table: 1 }), ...objects], "v1", effects);
    const why = (name: string) =>
      `converting Order default/${name} from kitchen.example.com/v2 to kitchen.example.com/v1: v1 has room for one guest`;
    assert.deepEqual(response, {
      uid: "u7",
      convertedObjects: [],
      result: { metadata: {}, status: "Failure", message: `${why("a")}; ${why("b")}` },
    });
    assert.equal(effects.lines.length, 1);
  });

  test("for a version without a conversion says so", async () => {
    const { response } = await convert([order("a", { table: 1 })], "v9");
    assert.match(response.result.message, /no conversion from kitchen\.example\.com\/v1 to .*v9/);
  });

  test("that fails for many objects names five, and how many more, on one line", async () => {
    const object = { ...order("a", {}), apiVersion: "kitchen.example.com/v9" };
    const messageOf = async (count: number) =>
      (await convert(Array(count).fill(object), "v1")).response.result.message as string;
    const five = await messageOf(5);
    assert.equal(five.split("; ").length, 5);
    assert.doesNotMatch(five, /more/);
    assert.equal(await messageOf(7), `${five}; and 2 more`);
    const wrong = defineConversion(V1, V2, {
      up: () => {
        throw new Error("first\n  second");
      },
      down: () => ({}) as never,
    });
    const effects = recordingEffects();
    const logged: unknown[] = [];
    const error = (_: string, fields?: object): void => void logged.push(fields);
    const { namespace: _, ...metadata } = order("a", {}).metadata;
    const { response } = await convert(
      [{ ...order("a", {}), metadata }],
      "v2",
      { ...effects, log: { ...effects.log, error } },
      [wrong],
    );
    assert.equal(
      response.result.message,
      "converting Order a from kitchen.example.com/v1 to kitchen.example.com/v2: first second",
    );
    const [{ at }] = logged as [{ readonly at: string }];
    assert.match(at, /answer-conversion\.test\.ts\S*:\d+:\d+$/);
  });

  test("that is too long, or none, is refused with 400 and logged", async () => {
    const hook = conversionHook([split]);
    assert.equal(hook.bodyLimit, 268_435_456);
    const effects = recordingEffects();
    const long = await hook.answer({ contentType: "", body: undefined }, effects);
    assert.deepEqual([long.status, long.body], [400, "the body is longer than 268435456 bytes"]);
    assert.match(effects.lines.join(), /refused a request to \/convert: the body is longer/);
    for (const [body, why] of [
      ["{", /the body is no JSON/],
      ["null", /expected a ConversionReview/],
      [{ apiVersion: "apiextensions.k8s.io/v1beta1", kind: "ConversionReview" }, /v1beta1/],
      [{ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" }, /has no request/],
    ] as const) {
      const response = await hook.answer(
        { contentType: "application/json", body: encode(body) },
        recordingEffects(),
      );
      assert.equal(response.status, 400);
      assert.match(response.body, why);
    }
  });
});

describe("a conversion", () => {
  test("that returns no object, or a promise, fails", async () => {
    for (const [returned, why] of [
      [undefined, /returned undefined, expected an object/],
      [Promise.resolve({}), /returned a promise/],
      [{ spec: {}, metadata: { labels: { a: 1 } } }, /metadata\.labels\[a\] that is no string/],
      [{ spec: {}, metadata: { labels: 1 } }, /metadata\.labels that is no string/],
    ] as const) {
      const wrong = defineConversion(V1, V2, {
        up: () => returned as never,
        down: () => ({}) as never,
      });
      assert.throws(() => conversionLoss(wrong, order("a", { table: 1 })), why);
    }
  });

  test("shows what it loses on the way there and back", () => {
    const lossless = order("a", { table: 1, guest: "x" });
    assert.deepEqual(conversionLoss(split, lossless), []);
    const emptying = defineConversion(V1, V2, {
      up: ({ spec: { table } }) => ({
        metadata: { annotations: {} },
        spec: { seat: { table }, guests: [] },
      }),
      down: ({ spec: { seat } }) => ({ metadata: { labels: {} }, spec: { table: seat.table } }),
    });
    const bare = { ...order("a", { table: 1 }), metadata: { name: "a" } };
    assert.deepEqual(conversionLoss(emptying, bare), []);
    assert.deepEqual(conversionLoss(emptying, order("a", { table: 1 })), [
      { op: "remove", path: "/metadata/labels" },
    ]);
    const lossy = order("a", { seat: { table: 1 }, guests: ["x"] }, "kitchen.example.com/v2");
    assert.deepEqual(conversionLoss(named, lossy), [
      { op: "add", path: "/metadata/labels/was", value: "v2" },
      { op: "remove", path: "/spec/guests/0" },
    ]);
  });

  test("between kinds, or of a version with itself, is refused", () => {
    const options = { up: () => ({}) as never, down: () => ({}) as never };
    const Meal = defineResource({
      group: "kitchen.example.com",
      version: "v2",
      kind: "Meal",
      spec: z.object({}),
    });
    assert.throws(() => defineConversion(V1, Meal, options), /not versions of one kind/);
    const elsewhere = defineResource({
      group: "other.example.com",
      version: "v2",
      kind: "Order",
      spec: z.object({}),
    });
    assert.throws(() => defineConversion(V1, elsewhere, options), /not versions of one kind/);
    assert.throws(
      () => defineConversion(V1, undefined as never, options),
      /of Order: a version is nothing, expected a kind$/m,
    );
    assert.throws(() => defineConversion(V1, V2, undefined as never), /its options are nothing/);
    assert.throws(
      () => defineConversion(V1, V1, options),
      /both versions are kitchen.example.com\/v1/,
    );
    assert.throws(
      () => defineConversion(V1, V2, {} as never),
      /up is undefined, expected a function; down/,
    );
  });

  test("that fails again and again is said once, and once a minute with a count", async () => {
    const effects = recordingEffects();
    const hook = conversionHook([split]);
    const full = order("a", { seat: { table: 1 }, guests: ["x", "y"] }, "kitchen.example.com/v2");
    const ask = (): void => {
      const request = {
        uid: "u",
        desiredAPIVersion: "kitchen.example.com/v1",
        objects: [full],
      };
      const review = {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "ConversionReview",
        request,
      };
      void hook.answer({ contentType: "application/json", body: encode(review) }, effects);
    };
    for (let i = 0; i < 10; i++) ask();
    assert.equal(effects.lines.length, 1);
    await effects.runtime.advance(60_000);
    assert.equal(effects.lines.length, 2);
    assert.match(effects.lines[1]!, /one guest \(9 more in the last minute\)/);
    ask();
    await effects.runtime.advance(60_000);
    assert.match(effects.lines[2]!, /one guest \(1 more in the last minute\)/);
    effects.lines.pop();
    await effects.runtime.advance(120_000);
    assert.equal(effects.lines.length, 2);
    ask();
    assert.equal(effects.lines.length, 3);
  });
});
