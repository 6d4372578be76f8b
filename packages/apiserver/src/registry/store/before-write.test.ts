// Warnings of a strategy are sent for valid objects only; warnings that validation returns are sent
// even when it refuses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isApiStatusError, type JsonObject } from "homeostat/api";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { widgets } from "../testdata/widgets.ts";
import { beforeCreate } from "./before-create.ts";
import { beforeUpdate } from "./before-update.ts";

const scope = { resource: widgets, namespace: "home" } as RequestScope;
const strategy: Strategy = {
  ...widgets.strategy,
  validateUpdate: (object, old, context) => ({
    errors: [...(widgets.strategy.validateCreate(object, context) ?? [])],
    warnings: old.spec === undefined ? ["ratcheted"] : [],
  }),
  warningsOnCreate: () => ["on create"],
  warningsOnUpdate: () => ["on update"],
};

const widget = (size: number): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "a", namespace: "home", uid: "u", resourceVersion: "1", generation: 1 },
  spec: { size },
});

const silent: WriteContext = {
  user: "ann",
  dryRun: false,
  subresource: "",
  now: "2026-01-01T00:00:00Z",
  warn() {},
};

function collect(write: (context: WriteContext) => void): {
  readonly warnings: readonly string[];
  readonly refused: boolean;
} {
  const warnings: string[] = [];
  const context = { ...silent, warn: (text: string) => void warnings.push(text) };
  try {
    write(context);
    return { warnings, refused: false };
  } catch {
    return { warnings, refused: true };
  }
}

test("a new object is warned about once it is valid", () => {
  const create = (size: number) =>
    collect((context) => beforeCreate(scope, strategy, widget(size), context));
  assert.deepEqual(create(1), { warnings: ["on create"], refused: false });
  assert.deepEqual(create(-1), { warnings: [], refused: true });
});

test("a change is warned about once it is valid", () => {
  const update = (size: number, old: JsonObject) =>
    collect((context) => beforeUpdate(scope, strategy, { hub: widget(size), old, context }));
  assert.deepEqual(update(2, widget(1)), { warnings: ["on update"], refused: false });
  assert.deepEqual(update(-1, widget(1)), { warnings: [], refused: true });
  const { spec: _, ...old } = widget(1);
  assert.deepEqual(update(-1, old), { warnings: ["ratcheted"], refused: true });
  assert.deepEqual(update(2, old), { warnings: ["ratcheted", "on update"], refused: false });
});

test("a change of metadata is checked by upstream's common rules, and by those of most kinds", () => {
  const old = widget(1);
  const metadata = { ...(old.metadata as JsonObject), labels: { "a b": "c" } };
  const causes = (given: Strategy): number => {
    try {
      beforeUpdate(scope, given, { hub: { ...old, metadata }, old, context: silent });
      return 0;
    } catch (error) {
      return isApiStatusError(error) ? (error.status.details?.causes?.length ?? 0) : 0;
    }
  };
  assert.deepEqual([causes(strategy), causes({ ...strategy, metadataChanges: "common" })], [3, 2]);
});
