// The default log: one line per message, stacks at level debug only; set by option or environment.
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { createLog, type LogOptions, silentLog } from "./create-log.ts";
import { parseLogSettings } from "./log-settings.ts";

async function linesOf(options: LogOptions): Promise<readonly string[]> {
  const lines: string[] = [];
  const log = await createLog({ write: (line) => void lines.push(line), ...options });
  const about = { controller: "orders", object: "Order shop/lunch" };
  log.debug("details");
  log.info("started shop", { controllers: "orders, meals" });
  log.error("failed:\n  the oven is cold", {
    ...about,
    hint: "heat it",
    error: new TypeError("cold"),
  });
  return lines;
}

describe("createLog", () => {
  afterEach(() => delete process.env["HOMEOSTAT_LOG"]);

  it("writes readable lines without stacks", async () => {
    const lines = await linesOf({ format: "text" });
    assert.equal(lines.length, 2);
    assert.match(
      lines[0]!,
      /^\d\d:\d\d:\d\d\.\d{3} info  started shop controllers="orders, meals"\n$/,
    );
    assert.match(
      lines[1]!,
      /^[\d:.]{12} error orders {2}Order shop\/lunch: failed: the oven is cold \(heat it\)\n$/,
    );
  });

  it("adds stacks at level debug", async () => {
    const lines = await linesOf({ format: "text", level: "debug" });
    assert.match(lines[0]!, /debug details\n$/);
    assert.match(lines[2]!, /\(heat it\)\n {4}TypeError: cold\n {8}at /);
  });

  it("writes JSON", async () => {
    const [first] = await linesOf({ format: "json" });
    const { level, msg, controllers } = JSON.parse(first!);
    assert.deepEqual(
      { level, msg, controllers },
      {
        level: 30,
        msg: "started shop",
        controllers: "orders, meals",
      },
    );
  });

  it("takes what the options leave open from the environment", async () => {
    process.env["HOMEOSTAT_LOG"] = "text,error";
    assert.equal((await linesOf({})).length, 1);
    assert.equal((await linesOf({ level: "debug" })).length, 3);
    process.env["HOMEOSTAT_LOG"] = "json";
    assert.equal((await linesOf({}))[0]?.[0], "{");
    process.env["HOMEOSTAT_LOG"] = "silent";
    assert.deepEqual(await linesOf({}), []);
    assert.equal(await createLog(), silentLog);
    process.env["HOMEOSTAT_LOG"] = "loud";
    await assert.rejects(linesOf({}), /ERR_LOG_SETTING.*"loud"/);
  });
});

describe("a silent log", () => {
  it("writes nothing in any format", async () => {
    for (const format of ["text", "json"] as const) {
      assert.equal(await createLog({ format, level: "silent" }), silentLog);
      assert.deepEqual(await linesOf({ format, level: "silent" }), []);
    }
  });
});

describe("parseLogSettings", () => {
  it("knows formats and levels, in any order", () => {
    assert.deepEqual(parseLogSettings(""), {});
    assert.deepEqual(parseLogSettings("Debug, json"), { format: "json", level: "debug" });
  });
});
