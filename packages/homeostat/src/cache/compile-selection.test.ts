import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompletedWrite } from "../client/client.ts";
import { compileSelection } from "./compile-selection.ts";
import { Meal } from "./informer-play.suite.ts";

const write = (labels?: Readonly<Record<string, string>>, namespace?: string): CompletedWrite => ({
  kind: Meal,
  key: namespace ? { namespace, name: "soup" } : { name: "soup" },
  object: { metadata: { name: "soup", ...(labels ? { labels } : {}) } },
});

test("a written object is selected by its labels", () => {
  const isSelected = compileSelection({ labelSelector: "app=web" });
  assert.equal(isSelected(write({ app: "web" })), true);
  assert.equal(isSelected(write({ app: "db" })), false);
  assert.equal(isSelected(write()), false);
  assert.equal(compileSelection({})(write()), true);
});

test("a written object is selected by its name and namespace", () => {
  const named = compileSelection({ fieldSelector: "metadata.name=soup" });
  assert.equal(named(write({}, "home")), true);
  assert.equal(compileSelection({ fieldSelector: "metadata.name!=soup" })(write()), false);
  const placed = compileSelection({ fieldSelector: "metadata.namespace=home" });
  assert.equal(placed(write({}, "home")), true);
  assert.equal(placed(write({}, "away")), false);
  assert.equal(placed(write()), false);
  assert.equal(compileSelection({ fieldSelector: "metadata.namespace=" })(write()), true);
});

test("other fields are the server's to judge, unless the labels decide", () => {
  const fieldSelector = "metadata.name=soup,spec.nodeName=a";
  const isSelected = compileSelection({ fieldSelector, labelSelector: "app=web" });
  assert.equal(isSelected(write({ app: "web" })), undefined);
  assert.equal(isSelected(write({ app: "db" })), false);
});
