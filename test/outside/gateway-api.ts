// gateway-api's own CEL suite, unchanged, for both channels of its definitions: hundreds of
// objects, each with the refusal that it must get. The suite's own module pins its client
// libraries.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { copyModule } from "./go-module.ts";
import type { CaseResult, Suite, Surroundings } from "./suite.ts";

const version = "v1.4.1";
/**
 * In the order in which they can be applied over one another: the second holds all that the first
 * does.
 */
const channels = ["standard", "experimental"] as const;
type Channel = (typeof channels)[number];

export const gatewayApi: Suite = {
  client: `gateway-api ${version} (its own CEL suite)`,
  async prepare(at) {
    const source = join(at.cache, "source");
    if (!existsSync(source)) await copyModule(at, `sigs.k8s.io/gateway-api@${version}`, "source");
    for (const channel of channels) {
      if (existsSync(programOf(at, channel))) continue;
      await at.run(
        [
          "go",
          "test",
          "-p",
          "2",
          "-c",
          "-tags",
          channel,
          "-o",
          programOf(at, channel),
          "./pkg/test/cel",
        ],
        { cwd: source, limitMs: 1_800_000 },
      );
    }
  },
  async run(at) {
    const results: CaseResult[] = [];
    for (const channel of channels) results.push(...(await runChannel(at, channel)));
    await at.session([
      "kubectl",
      "delete",
      "--ignore-not-found",
      ...definitionsOf(at, "experimental"),
    ]);
    return results;
  },
};

const programOf = (at: Surroundings, channel: Channel): string =>
  join(at.cache, `cel-${channel}.test`);

/** Arguments for kubectl. */
function definitionsOf(at: Surroundings, channel: Channel): readonly string[] {
  const folder = join(at.cache, "source", "config", "crd", channel);
  return readdirSync(folder)
    .filter((name) => name !== "kustomization.yaml")
    .flatMap((name) => ["-f", join(folder, name)]);
}

async function runChannel(at: Surroundings, channel: Channel): Promise<readonly CaseResult[]> {
  await at.run([
    "kubectl",
    "apply",
    "--server-side",
    "--force-conflicts",
    ...definitionsOf(at, channel),
  ]);
  await at.run([
    "kubectl",
    "wait",
    "--for",
    "condition=established",
    "--timeout",
    "30s",
    ...definitionsOf(at, channel),
  ]);
  const output = await at.session([programOf(at, channel), "-test.v"], {
    cwd: join(at.cache, "source", "pkg", "test", "cel"),
    limitMs: 900_000,
  });
  return readGoTests(output).map((each) => ({ ...each, name: `${channel} ${each.name}` }));
}

/**
 * The innermost tests of `go test -v`, with what failing ones say; names made from the time are
 * left out.
 */
function readGoTests(output: string): readonly CaseResult[] {
  const results = [...output.matchAll(/^ +--- (PASS|FAIL): (\S+)/gm)].map(([, word, name]) => ({
    name: name!,
    ok: word === "PASS",
  }));
  return results.map(({ name, ok }) => ({ name, ok, seen: ok ? "" : saidBy(output, name) }));
}

function saidBy(output: string, name: string): string {
  const [, after = ""] = output.split(`=== RUN   ${name}\n`);
  const said = after.split(/^(?:===| *---) /m)[0]!;
  return said
    .replace(/\s+/g, " ")
    .replaceAll(/-\d{19}\b/g, "-TIME")
    .trim();
}
