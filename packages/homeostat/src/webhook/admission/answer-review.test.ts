import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { answerReview } from "./answer-review.ts";
import { defineMutatingWebhook, defineValidatingWebhook } from "./define-webhook.ts";
import { deny, invalid } from "./denial.ts";
import {
  answer,
  encode,
  Order,
  order,
  recordingEffects,
  respond,
  reviewOf,
} from "./review.suite.ts";

const ok = { metadata: {}, code: 200 };
const validating = (create: (context: any) => any) => defineValidatingWebhook(Order, { create });

describe("a mutating webhook", () => {
  test("answers the changes of the draft as a patch", async () => {
    const defaults = defineMutatingWebhook(Order, {
      mutate({ object }) {
        object.spec.note ??= "none";
        object.metadata.labels = { kitchen: "main" };
      },
    });
    assert.deepEqual(await respond(defaults, reviewOf("CREATE")), {
      uid: "u1",
      allowed: true,
      status: ok,
      patch: [
        { op: "add", path: "/metadata/labels", value: { kitchen: "main" } },
        { op: "add", path: "/spec/note", value: "none" },
      ],
      patchType: "JSONPatch",
    });
  });

  test("answers the difference to an object that it returns", async () => {
    const defaults = defineMutatingWebhook(Order, {
      mutate: async ({ object, old }) => ({ ...object, spec: { table: old?.spec.table } }),
    });
    assert.deepEqual((await respond(defaults, reviewOf("UPDATE")))["patch"], [
      { op: "replace", path: "/spec/table", value: 7 },
    ]);
  });

  test("without a change has no patch, and no patch type", async () => {
    const defaults = defineMutatingWebhook(Order, { mutate() {} });
    assert.deepEqual(await respond(defaults, reviewOf("CREATE")), {
      uid: "u1",
      allowed: true,
      status: ok,
    });
  });

  test("may refuse, and is not called for a deletion", async () => {
    const refusing = defineMutatingWebhook(Order, { mutate: () => deny("closed") });
    assert.equal((await respond(refusing, reviewOf("CREATE")))["allowed"], false);
    assert.equal((await respond(refusing, reviewOf("DELETE")))["allowed"], true);
  });

  test("fails for a result that is no JSON, with its place", async () => {
    const wrong = defineMutatingWebhook(Order, {
      mutate: ({ object }) => ({ ...object, spec: { table: Infinity } }),
    });
    assert.deepEqual(await respond(wrong, reviewOf("CREATE")), {
      failed: 500,
      body: "webhook mutate.orders.v1.kitchen.example.com: /spec/table is Infinity, expected JSON",
    });
    const text = defineMutatingWebhook(Order, { mutate: () => "fine" as never });
    assert.match(
      String((await respond(text, reviewOf("CREATE")))["body"]),
      /mutate returned 'fine'/,
    );
  });
});

describe("a validating webhook", () => {
  test("is given the objects of the operation", async () => {
    const seen: unknown[] = [];
    const webhook = defineValidatingWebhook(Order, {
      create: ({ object }) => void seen.push(object.spec.table),
      update: ({ object, old }) => void seen.push(object.spec.table, old.spec.table),
      delete: ({ object }) => void seen.push(object.spec.table),
      connect: ({ object }) => void seen.push(object["command"]),
    });
    for (const operation of ["CREATE", "UPDATE", "DELETE"])
      assert.equal((await respond(webhook, reviewOf(operation)))["allowed"], true);
    await respond(webhook, reviewOf("CONNECT", { object: { command: "sh" } }));
    assert.deepEqual(seen, [1, 1, 7, 7, "sh"]);
    assert.deepEqual(webhook.operations, ["CREATE", "UPDATE", "DELETE", "CONNECT"]);
  });

  test("refuses as controller-runtime does, whether the denial is returned or thrown", async () => {
    const status = {
      metadata: {},
      status: "Failure",
      message: "the kitchen is closed",
      reason: "Forbidden",
      code: 403,
    };
    const denial = deny("the kitchen is closed");
    for (const webhook of [
      validating(() => denial),
      validating(async () => denial),
      validating(() => {
        throw denial;
      }),
    ])
      assert.deepEqual(await respond(webhook, reviewOf("CREATE")), {
        uid: "u1",
        allowed: false,
        status,
      });
  });

  test("refuses with a reason, its code and causes", async () => {
    const causes = [{ reason: "FieldValueDuplicate", field: "spec.table", message: "taken" }];
    const webhook = validating(() => deny("taken", { reason: "Conflict", causes }));
    const { status } = await respond(webhook, reviewOf("CREATE"));
    assert.deepEqual(status, {
      metadata: {},
      status: "Failure",
      message: "taken",
      reason: "Conflict",
      details: { causes },
      code: 409,
    });
  });

  test("refuses fields as the API server does", async () => {
    const webhook = validating(() =>
      invalid(
        { field: "spec.table", message: "must be free" },
        { field: "spec.note", message: "too long", reason: "FieldValueTooLong" },
      ),
    );
    const { status } = await respond(webhook, reviewOf("CREATE"));
    assert.deepEqual(status, {
      metadata: {},
      status: "Failure",
      message:
        'Order.kitchen.example.com "lunch" is invalid: [spec.table: must be free, spec.note: too long]',
      reason: "Invalid",
      details: {
        name: "lunch",
        group: "kitchen.example.com",
        kind: "Order",
        causes: [
          { reason: "FieldValueInvalid", message: "must be free", field: "spec.table" },
          { reason: "FieldValueTooLong", message: "too long", field: "spec.note" },
        ],
      },
      code: 422,
    });
  });

  test("refuses with the code of its reason, as Kubernetes has them", async () => {
    // k8s.io/apimachinery/pkg/apis/meta/v1/types.go (StatusReason).
    for (const [reason, expected] of [
      ["BadRequest", 400],
      ["Unauthorized", 401],
      ["Forbidden", 403],
      ["NotFound", 404],
      ["MethodNotAllowed", 405],
      ["NotAcceptable", 406],
      ["AlreadyExists", 409],
      ["Gone", 410],
      ["Expired", 410],
      ["RequestEntityTooLarge", 413],
      ["UnsupportedMediaType", 415],
      ["Invalid", 422],
      ["TooManyRequests", 429],
      ["InternalError", 500],
      ["ServiceUnavailable", 503],
      ["Timeout", 504],
    ] as const) {
      const webhook = validating(() => deny("no", { reason }));
      const { code } = (await respond(webhook, reviewOf("CREATE")))["status"] as { code: number };
      assert.deepEqual([reason, code], [reason, expected]);
    }
  });

  test("names a core kind and one wrong field as the API server does", async () => {
    const webhook = validating(() => invalid({ field: "spec.table", message: "must be free" }));
    const kind = { group: "", version: "v1", kind: "Pod" };
    const { status } = await respond(webhook, reviewOf("CREATE", { kind }));
    assert.equal(
      (status as { message: string }).message,
      'Pod "lunch" is invalid: spec.table: must be free',
    );
  });

  test("is given what a subresource has, of whatever kind", async () => {
    const seen: unknown[] = [];
    const webhook = defineValidatingWebhook(Order, {
      resources: ["orders/scale"],
      update: ({ object }) => void seen.push((object as { kind: string }).kind),
    });
    const object = { apiVersion: "autoscaling/v1", kind: "Scale", spec: { replicas: 2 } };
    const fields = { object, oldObject: object, subResource: "scale" };
    assert.equal((await respond(webhook, reviewOf("UPDATE", fields)))["allowed"], true);
    assert.deepEqual(seen, ["Scale"]);
  });

  test("warns and annotates when it allows, with nothing else", async () => {
    const warning = await respond(
      validating(({ warn }) => void warn("cold")),
      reviewOf("CREATE"),
    );
    assert.deepEqual(warning, { uid: "u1", allowed: true, status: ok, warnings: ["cold"] });
    const annotating = defineMutatingWebhook(Order, {
      mutate({ object, annotate }) {
        annotate("seen", "yes");
        object.spec.note = "x";
      },
    });
    const { patch, warnings, auditAnnotations } = await respond(annotating, reviewOf("CREATE"));
    assert.deepEqual([warnings, auditAnnotations], [undefined, { seen: "yes" }]);
    assert.equal((patch as unknown[]).length, 1);
  });

  test("warns and annotates, also when it refuses", async () => {
    const webhook = validating(({ warn, annotate, request }) => {
      warn("table 1 is cold");
      annotate("seen", request.userInfo.username);
      return deny("no");
    });
    const { warnings, auditAnnotations } = await respond(webhook, reviewOf("CREATE"));
    assert.deepEqual([warnings, auditAnnotations], [["table 1 is cold"], { seen: "ann" }]);
  });

  test("fails for a result that says neither yes nor no", async () => {
    const { failed, body } = await respond(
      validating(() => false),
      reviewOf("CREATE"),
    );
    assert.deepEqual(
      [failed, body],
      [
        500,
        "webhook validate.orders.v1.kitchen.example.com: the function returned false, expected nothing or deny(…)",
      ],
    );
  });

  test("that throws is a failure of one line, logged once", async () => {
    for (const create of [
      () => {
        throw new Error("first\n  second");
      },
      async () => Promise.reject(new Error("first\n  second")),
    ]) {
      const effects = recordingEffects();
      assert.deepEqual(await respond(validating(create), reviewOf("CREATE"), effects), {
        failed: 500,
        body: "webhook validate.orders.v1.kitchen.example.com: first second",
      });
      assert.equal(effects.lines.length, 1);
    }
  });

  test("that fails is logged with what was asked, by whom, and where it was thrown", async () => {
    const logged: [string, Readonly<Record<string, unknown>>][] = [];
    const effects = recordingEffects();
    const error = (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
      void logged.push([message, fields]);
    const oven = new Error("the oven is off");
    const failing = validating(() => {
      throw oven;
    });
    const heard = { ...effects, log: { ...effects.log, error } };
    await respond(failing, reviewOf("CREATE"), heard);
    const [[message, { at, ...fields }]] = logged as [(typeof logged)[0]];
    assert.equal(message, "webhook validate.orders.v1.kitchen.example.com: the oven is off");
    assert.match(String(at), /answer-review\.test\.ts\S*:\d+:\d+$/);
    const asked = { path: failing.path, operation: "CREATE", object: "default/lunch" };
    assert.deepEqual(fields, { ...asked, user: "ann", error: oven });
    const cluster = { namespace: undefined, userInfo: undefined };
    await respond(
      validating(() => false),
      reviewOf("CREATE", cluster),
      heard,
    );
    assert.deepEqual([logged[1]![1]["object"], "user" in logged[1]![1]], ["lunch", false]);
    await respond(failing, { ...reviewOf("CREATE"), kind: "Pod" }, heard);
    assert.match(logged[2]![0], /^refused a request to \/validate-.*-order: expected an Adm/);
  });

  test("leaves no timer behind, whether it allows or fails", async () => {
    const effects = recordingEffects();
    for (const create of [async () => {}, async () => Promise.reject(new Error("no"))]) {
      await respond(validating(create), reviewOf("CREATE"), effects);
      assert.equal(effects.runtime.nextTimerMs(), undefined);
    }
  });

  test("has its own time limit where the API server names none, or a longer one", async () => {
    for (const timeoutMs of [undefined, 30_000]) {
      const effects = recordingEffects();
      const slow = defineValidatingWebhook(Order, {
        timeoutSeconds: 3,
        create: async ({ signal }) => {
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          assert.equal(signal.aborted, true);
        },
      });
      const request = { contentType: "application/json", body: encode(reviewOf("CREATE")) };
      const answered = answerReview(slow, { ...request, timeoutMs }, effects);
      await effects.runtime.advance(2900);
      assert.match((await answered).body, /no answer within 2900 ms$/);
    }
  });

  test("finds its signal aborted, also when it reads it late", async () => {
    const effects = recordingEffects();
    const goOn = Promise.withResolvers<void>();
    const seen = Promise.withResolvers<boolean>();
    const webhook = validating(async (context) => {
      await goOn.promise;
      seen.resolve(context.signal.aborted);
    });
    const answered = answer(webhook, reviewOf("CREATE"), effects);
    await effects.runtime.advance(10_000);
    await answered;
    goOn.resolve();
    assert.equal(await seen.promise, true);
  });

  test("that is late is answered before the API server's time is over; its signal aborts", async () => {
    const effects = recordingEffects();
    let signal: AbortSignal | undefined;
    const webhook = validating(async (context) => {
      signal = context.signal;
      await new Promise(() => {});
    });
    const request = { contentType: "application/json", body: encode(reviewOf("CREATE")) };
    const answered = answerReview(webhook, { ...request, timeoutMs: 2000 }, effects);
    await sleep(1);
    await effects.runtime.advance(1899);
    assert.equal(signal?.aborted, false);
    await effects.runtime.advance(1);
    assert.deepEqual(
      [(await answered).status, (await answered).body],
      [500, "webhook validate.orders.v1.kitchen.example.com: no answer within 1900 ms"],
    );
    assert.equal(signal?.aborted, true);
  });

  test("that fails after its time is over is logged and nothing more", async () => {
    const effects = recordingEffects();
    const { promise, reject } = Promise.withResolvers<void>();
    const answered = answer(
      validating(() => promise),
      reviewOf("CREATE"),
      effects,
    );
    await sleep(1);
    await effects.runtime.advance(10_000);
    assert.equal((await answered).status, 500);
    reject(new Error("too late"));
    await sleep(1);
    assert.equal(effects.lines.at(-1), "a late webhook failed: too late");
  });
});

describe("what is no review", () => {
  const webhook = validating(() => {});
  const refused = async (body: unknown, contentType = "application/json"): Promise<unknown> => {
    const bytes = body === undefined ? undefined : encode(body);
    const response = await answerReview(webhook, { contentType, body: bytes }, recordingEffects());
    assert.equal(response.status, 200);
    const { uid, allowed, status } = JSON.parse(response.body).response;
    assert.equal(allowed, false);
    return [uid, status.code, status.message];
  };

  test("is refused as controller-runtime refuses it", async () => {
    const review = reviewOf("CREATE");
    assert.deepEqual(await refused(review, "text/plain"), [
      "",
      400,
      "contentType=text/plain, expected application/json",
    ]);
    assert.deepEqual(await refused(""), ["", 400, "request body is empty"]);
    assert.deepEqual(await refused(undefined), [
      "",
      413,
      "request entity is too large; limit is 7340032 bytes",
    ]);
    assert.deepEqual(await refused("{"), [
      "",
      400,
      "couldn't get version/kind; json parse error: unexpected end of JSON input",
    ]);
    assert.deepEqual(await refused(reviewOf("CREATE", { object: null })), [
      "u1",
      400,
      "there is no content to decode",
    ]);
    assert.deepEqual(await refused(reviewOf("CREATE", { object: { ...order(), kind: "Meal" } })), [
      "u1",
      400,
      "unable to decode kitchen.example.com/v1, Kind=Meal into kitchen.example.com/v1, Kind=Order",
    ]);
    assert.deepEqual(await refused(reviewOf("READ")), ["", 400, 'unknown operation "READ"']);
  });

  test("is refused when it is of another version or kind, or has no request", async () => {
    const review = reviewOf("CREATE");
    const beta = { ...review, apiVersion: "admission.k8s.io/v1beta1" };
    assert.deepEqual(await refused(beta), [
      "",
      400,
      'expected an AdmissionReview of admission.k8s.io/v1, got AdmissionReview of admission.k8s.io/v1beta1: this webhook accepts admissionReviewVersions ["v1"] only',
    ]);
    assert.match(String(await refused("null")), /got nothing of nothing/);
    assert.match(String(await refused({ ...review, kind: "Pod" })), /got Pod of/);
    assert.match(String(await refused({ ...review, request: null })), /the review has no request/);
    assert.match(String(await refused(reviewOf("CREATE", { uid: "" }))), /has no uid/);
  });
});
