// Errors that end a main program say what was attempted, on what, and what to do: Node prints them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../fixtures/top-level-errors/main.ts", import.meta.url));

function runProgram(...mistake: readonly string[]): string {
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--conditions=homeostat-source", program, ...mistake],
    { encoding: "utf8", timeout: 30_000, env: { ...process.env, HOMEOSTAT_LOG: "text" } },
  );
  assert.equal(status, 1, stderr);
  return stderr;
}

const printed: readonly (readonly [string, readonly RegExp[]])[] = [
  [
    "a server that is down",
    [
      /ERR_CLIENT_UNREACHABLE: connecting to https:\S+ .*ECONNREFUSED/,
      /\n {2}Nothing listens there/,
    ],
  ],
  [
    "an object that is absent",
    [
      /ApiStatusError: configmaps "absent" not found/,
      /request: 'GET \/api\/v1\/namespaces\/default\/configmaps\/absent at https:/,
    ],
  ],
  [
    "a definition that is missing",
    [
      / warn +Box: the first list is not complete: the server does not serve laws.example.com\/v1 Box/,
      /ERR_MANAGER_SYNC: starting laws: no complete first list within 1500 ms of Box \(.*does not serve/,
      /\n {2}check that the definitions are installed/,
    ],
  ],
  ["a name that is refused", [/ERR_CONTROLLER_NAME: "Laws" cannot name/, /\n {2}choose a name/]],
  [
    "a kubeconfig that is missing",
    [
      /ERR_KUBECONFIG_NOT_FOUND: .*\/nowhere\/kubeconfig.*\n {2}Correct the path.\n {4}at .*main\.ts/,
    ],
  ],
];

const printedByRunMain: readonly (readonly [string, RegExp])[] = [
  [
    "a server that is down",
    /^ERR_CLIENT_UNREACHABLE: connecting to https:\S+ .*ECONNREFUSED \S+\n {2}Nothing listens there.*\n$/,
  ],
  [
    "an object that is absent",
    /^GET \/api\/v1\/namespaces\/default\/configmaps\/absent at https:\S+: configmaps "absent" not found\n$/,
  ],
  [
    "a kind that is not served",
    /^GET \S+\/boxes\/absent at https:\S+: the server answered 404 without a Status: 404 page not found; it does not serve boxes\.laws\.example\.com\/v1: install .*\n$/,
  ],
  [
    "a kubeconfig that is missing",
    /^ERR_KUBECONFIG_NOT_FOUND: .*\/nowhere\/kubeconfig.*\n {2}Correct the path\.\n$/,
  ],
  ["a name that is refused", /^ERR_CONTROLLER_NAME: "Laws" cannot name .*\n {2}choose a name.*\n$/],
  [
    "a port that is in use",
    /^ERR_SERVER_PORT_IN_USE: listen on .*: the port is in use; stop .*\n$/,
  ],
  ["a bug", /TypeError: Cannot read properties of null \(reading 'spec'\)\n {4}at .*main\.ts/],
];

describe("errors that end a main program", () => {
  for (const [mistake, patterns] of printed)
    it(mistake, () => {
      const text = runProgram(mistake);
      for (const pattern of patterns) assert.match(text, pattern);
      assert.doesNotMatch(text, /Symbol\(homeostat/);
      assert.doesNotMatch(text, /hint: |audience: /, "said once");
      assert.doesNotMatch(text, /homeostat\/src\/(?!client\/connection)|node_modules/);
    });

  for (const [mistake, pattern] of printedByRunMain)
    it(`${mistake}, in runMain`, () => assert.match(runProgram(mistake, "runMain"), pattern));
});
