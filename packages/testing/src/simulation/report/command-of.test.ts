import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cleanPlan } from "../run/plan.ts";
import { commandOf } from "./command-of.ts";

const invocation = (...execArgv: string[]) => ({
  argv: ["/usr/bin/node", "/home/me/op/src/boxes.test.ts"],
  execArgv,
  cwd: () => "/home/me/op",
});
const plan = cleanPlan(1);

describe("the command that repeats a run", () => {
  it("has what loads modules, once, and nothing else that the runner of tests passes", () => {
    const given = invocation(
      ...["--test-timeout=0", "--import=./a.mjs", "--tls-cipher-list=A:!B", "--env-file=x=y"],
      ...["--import", "./a.mjs", "-C", "source", "--node-snapshot"],
    );
    assert.equal(
      commandOf("boxes", plan, given),
      `HOMEOSTAT_PLAN='${JSON.stringify({ scenario: "boxes", plan })}' ` +
        "node --import=./a.mjs --env-file=x=y --conditions=source src/boxes.test.ts",
    );
  });

  it("is one for a shell, whatever the scenario's name", () => {
    const command = commandOf("Ann's boxes", plan, invocation());
    assert.match(command, /^HOMEOSTAT_PLAN='\{"scenario":"Ann'\\''s boxes",/);
  });
});
