// What pure functions say of arguments that they cannot use.
import assert from "node:assert/strict";
import { it } from "node:test";
import { createWorkQueue } from "./create-workqueue.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { formatApiVersion, formatObjectKey } from "../api/gvk.ts";
import { parseJson } from "../api/parse-json.ts";
import { compareResourceVersions } from "../api/resource-version.ts";
import { matchesLabels, parseLabelSelector } from "../api/selectors/label-selector.ts";

it("wrong arguments are named", () => {
  const none = undefined as never;
  const queue = createWorkQueue({ runtime: createVirtualRuntime() });
  const calls: readonly (readonly [call: () => unknown, says: RegExp])[] = [
    [() => formatApiVersion(none), /formatApiVersion\(…\): .* nothing, .* group and version/],
    [
      () => formatObjectKey(none),
      /formatObjectKey\(…\): .* nothing, expected an object with a name/,
    ],
    [() => compareResourceVersions("1", 2 as never), /its second argument is 2, expected a string/],
    [() => compareResourceVersions(none, "1"), /its first argument is nothing, expected a string/],
    [() => parseJson(7 as never), /parseJson\(…\): its first argument is 7, expected a string/],
    [() => matchesLabels(none, {}), /matchesLabels\(…\): its first argument is nothing/],
    [() => matchesLabels(parseLabelSelector("a"), none), /its second argument is nothing, /],
    [() => queue.add("k", null as never), /queue\.add\(…\): its second argument is null/],
    [() => queue.addRateLimited("k", null as never), /queue\.addRateLimited\(…\): its second/],
  ];
  for (const [call, message] of calls) assert.throws(call, { code: "ERR_ARGUMENT", message });
});
