// Runs `npm run build`: declarations by the compiler, then the JavaScript of each published package
// as a few files (docs/decisions/start-up-cost.md).
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bundlePackage } from "./bundle-package.ts";

const root = new URL("../../", import.meta.url);
const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));

/** The files that one start loads together become one file; the first that matches wins. */
const together: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  cel: { net: ["net.ts"] },
  homeostat: {
    core: ["api/index.ts", "queue/index.ts", "runtime/index.ts"],
    kinds: ["k8s/built-in-kind.ts"],
    client: ["cache/index.ts", "client/index.ts", "events/index.ts"],
  },
  apiserver: {
    facade: ["index.ts"],
    server: ["server/control-plane.ts", "server/server-options.ts"],
    port: ["http/listen.ts", "certificates/identity.ts"],
    controllers: [
      "controller-manager/start-controllers.ts",
      "controllers/garbage-collector/garbage-collector.ts",
      "controllers/namespace/namespace-controller.ts",
      "controllers/cluster-role-aggregation/cluster-role-aggregation.ts",
    ],
    custom: ["server/custom-kinds.ts"],
  },
  testing: {},
  cli: { server: ["index.ts", "commands/server.ts"] },
};

const compiled = spawnSync(
  process.execPath,
  [compiler, "-b", "--pretty", "false", "tsconfig.build.json"],
  { cwd: fileURLToPath(root), stdio: "inherit" },
);
if (compiled.status === 0)
  for (const [name, groups] of Object.entries(together))
    await bundlePackage(fileURLToPath(new URL(`packages/${name}/`, root)), groups);
else process.exitCode = compiled.status ?? 1;
