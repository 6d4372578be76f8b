import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HomeostatError } from "homeostat";
import { scenario } from "./scenario.ts";

const setup = { operator: "boxes", controllers: () => [] };
const workload = async (): Promise<void> => {};

const isRefused = (message: RegExp) => (error: unknown) =>
  error instanceof HomeostatError &&
  error.code === "ERR_TEST_OPTION" &&
  (assert.match(error.message, message), true);

describe("a scenario is refused", () => {
  for (const [what, given, message] of [
    ["without steps", ["boxes", setup], /describe scenario "boxes": workload: expected a function/],
    ["without a setup", ["boxes", undefined, workload], /: options: expected an object/],
    ["without a name", ["", setup, workload], /: name: expected a string that is not empty/],
    ["with a typo", ["boxes", { ...setup, resource: [] }, workload], /: resource: unknown option/],
    [
      "without an operator and controllers",
      ["boxes", {}, workload],
      /: operator: expected .*, got nothing; controllers: expected a function .*, got nothing$/m,
    ],
    [
      "with controllers that all processes would share",
      ["boxes", { ...setup, controllers: [] }, workload],
      /: controllers: expected a function that makes the controllers of a process, got a list$/m,
    ],
    [
      "with a folder that is none",
      ["boxes", { ...setup, regressions: true }, workload],
      /: regressions: expected a folder, by path or URL, got a boolean$/m,
    ],
  ] as const)
    it(what, () => {
      assert.throws(() => Reflect.apply(scenario, undefined, given), isRefused(message));
    });

  it("a run of it with options that have no effect or no meaning", async () => {
    const { run, sweep, explore } = scenario("boxes", setup, workload);
    const wrong = [
      [run({ seed: 0.5 }), /run a scenario: seed: expected a whole number from 0/],
      [sweep({ stop: "last" } as never), /sweep a scenario: stop: expected "first", got a string/],
      [
        explore({ run: 3 } as never),
        /explore a scenario: run: unknown option; .*runs, seed, deeds/,
      ],
      [explore({ runs: -1 }), /: runs: expected a whole number from 0/],
      [explore({ deeds: Number.NaN }), /: deeds: expected a whole number from 0/],
    ] as const;
    for (const [work, message] of wrong) await assert.rejects(work, isRefused(message));
  });
});
