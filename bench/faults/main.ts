// `npm run faults -- --proxy FILE [FAULT…]`: what each fault between a controller and its server
// costs. FILE is a fault-injecting proxy with an oracle `check.mjs` beside it, which is not part of
// this repository: it takes `--kubeconfig UPSTREAM --out FILE`, prints its ports as a JSON line,
// and obeys POST and DELETE /faults. HOMEOSTAT_FAULT_PROXY names it too. `--kubeconfig FILE`
// measures against a server that runs already, in place of ours.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installDefinitions } from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { Namespace } from "homeostat/k8s/core/v1";
import { homeostat } from "../places/homeostat.ts";
import type { Place } from "../places/place.ts";
import { loadOracle, startProxy } from "./fault-proxy.ts";
import { type FaultFigures, measureFault } from "./measure-fault.ts";
import { manyWatches, type Scenario, scenarios } from "./scenarios.ts";
import { furtherKinds, Widget } from "./widgets.ts";

const columns = [
  "backS",
  "blindS",
  "saidS",
  "lists",
  "resumed",
  "mostASecond",
  "mostFailing",
  "early",
] as const satisfies readonly (keyof FaultFigures)[];

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      proxy: { type: "string" },
      kubeconfig: { type: "string" },
      output: { type: "string" },
    },
  });
  const proxy = values.proxy ?? process.env["HOMEOSTAT_FAULT_PROXY"];
  const chosen = scenarios.filter(({ name }) => !positionals.length || positionals.includes(name));
  if (!proxy || !chosen.length) {
    const names = scenarios.map(({ name }) => name).join(" ");
    console.error(
      `usage: npm run faults -- --proxy FILE [--kubeconfig FILE] [--output FILE] [FAULT…]\n\n${names}`,
    );
    process.exitCode = 2;
    return;
  }
  const all = await measureAll(proxy, chosen, values.kubeconfig);
  if (values.output) writeFileSync(values.output, `${JSON.stringify(all, null, 1)}\n`);
}

async function measureAll(
  proxyPath: string,
  chosen: readonly Scenario[],
  kubeconfig: string | undefined,
): Promise<readonly FaultFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), "homeostat-faults-"));
  const oracle = await loadOracle(proxyPath);
  const place: Pick<Place, "kubeconfigPath" | "stop"> =
    kubeconfig === undefined
      ? await homeostat.start()
      : { kubeconfigPath: kubeconfig, stop: () => Promise.resolve() };
  const administrator = createClient({
    access: await loadKubeconfig({ path: place.kubeconfigPath }),
  });
  const proxy = await startProxy(proxyPath, place.kubeconfigPath, folder);
  const all: FaultFigures[] = [];
  try {
    await installDefinitions(administrator, [Widget, ...furtherKinds(manyWatches - 3)]);
    console.log(`| fault | ${columns.join(" | ")} |\n|---|${columns.map(() => "---|").join("")}`);
    for (const scenario of chosen) {
      const name = scenario.name.toLowerCase();
      const namespace = `faults-${name}`;
      await administrator.create(Namespace, { metadata: { name: namespace } });
      const client = administrator.with({ namespace });
      const figures = await measureFault(scenario, client, proxy, oracle);
      all.push(figures);
      console.log(
        `| ${scenario.name} | ${columns.map((column) => figures[column] ?? "–").join(" | ")} |`,
      );
    }
  } finally {
    await administrator.close();
    await proxy.stop();
    await place.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return all;
}

await main();
