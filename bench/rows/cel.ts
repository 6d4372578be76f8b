// Expressions of Kubernetes' rules and policies on two CEL engines for JavaScript: compiled (parsed
// and checked) and evaluated. The row fails unless both engines agree.
import {
  adaptJson,
  type CelValue,
  compileExpression,
  dynType,
  kubernetesEnvironment,
  withVariables,
} from "@homeostat/cel";
import { Environment } from "@marcbachmann/cel-js";
import { median } from "../measure/statistics.ts";
import type { Figures, LibraryRow, Scale } from "./row.ts";

const expressions: readonly string[] = [
  "self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas",
  "self.hosts.exists(h, h == self.primary) && self.hosts.size() <= 10",
  "oldSelf.ports.all(o, self.ports.exists(n, n.name == o.name && n.port == o.port))",
  "object.spec.containers.all(c, c.image.startsWith('registry.example.com/') && !c.image.endsWith(':latest'))",
  "object.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
  "!has(object.spec.strategy) || object.spec.strategy.type in ['RollingUpdate', 'Recreate']",
  "has(object.metadata.labels.team) ? object.metadata.labels.team != '' : request.userInfo.username.startsWith('system:')",
  "object.spec.containers.filter(c, has(c.ports)).map(c, c.ports.size()).all(n, n < 5)",
];

const ports = ["http", "https", "metrics", "admin"].map((name, i) => ({ name, port: 8080 + i }));
const containers = ["web", "proxy", "sidecar"].map((name) => ({
  name,
  image: `registry.example.com/${name}:1.4.2`,
  ports,
}));
const variables = {
  self: {
    minReplicas: 1,
    replicas: 3,
    maxReplicas: 10,
    primary: "c.example.com",
    hosts: ["a.example.com", "b.example.com", "c.example.com"],
    ports,
  },
  oldSelf: { ports: ports.slice(0, 3) },
  object: {
    metadata: { name: "web-frontend", labels: { team: "shop", tier: "front" } },
    spec: { strategy: { type: "Recreate" }, containers },
  },
  request: { userInfo: { username: "anna" } },
};

/** A compiled expression. */
type Run = () => unknown;

/** One engine, with its variables declared and converted. */
interface Engine {
  readonly name: string;
  compile(expression: string): Run;
}

function homeostat(): Engine {
  const names = Object.keys(variables);
  const environment = withVariables(
    kubernetesEnvironment(),
    new Map(names.map((name) => [name, dynType])),
  );
  const values: Record<string, CelValue> = Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, adaptJson(value)]),
  );
  return {
    name: "@homeostat/cel",
    compile(expression) {
      const compiled = compileExpression(expression, environment);
      if (!("program" in compiled)) throw new Error(`${expression}: ${JSON.stringify(compiled)}`);
      const { program } = compiled;
      return () => {
        const result = program.evaluate(values);
        return "value" in result ? result.value : result.error;
      };
    },
  };
}

function celJs(): Engine {
  const environment = Object.keys(variables).reduce(
    (env, name) => env.registerVariable(name, "dyn"),
    new Environment(),
  );
  const values = withBigInts(variables) as Record<string, unknown>;
  return {
    name: "@marcbachmann/cel-js",
    compile(expression) {
      const parsed = environment.parse(expression);
      const { valid, error } = parsed.check();
      if (!valid) throw error;
      return () => parsed(values) as unknown;
    },
  };
}

/** That engine's ints are bigints. */
function withBigInts(value: unknown): unknown {
  if (typeof value === "number") return BigInt(value);
  if (Array.isArray(value)) return value.map(withBigInts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withBigInts(each)]));
}

/** Microseconds of one call: the median of 15 batches, after three to warm up. */
function microseconds(calls: number, call: () => void): number {
  const batches: number[] = [];
  for (let batch = -3; batch < 15; batch++) {
    const start = performance.now();
    for (let i = 0; i < calls; i++) call();
    if (batch >= 0) batches.push(((performance.now() - start) * 1000) / calls);
  }
  return median(batches);
}

function measure({ compile }: Engine, { factor }: Scale): Figures {
  const runs = expressions.map(compile);
  for (const [i, run] of runs.entries())
    if (run() !== true) throw new Error(`${expressions[i]} is not true but ${String(run())}`);
  const all = Math.round(1000 * factor);
  return {
    "parse and check, µs": microseconds(all, () => expressions.forEach(compile)) / runs.length,
    "evaluate, µs":
      microseconds(5 * all, () => {
        for (const run of runs) run();
      }) / runs.length,
  };
}

/** Compiling and evaluating. */
export const celRow: LibraryRow = {
  at: "library",
  name: "cel",
  what: `${expressions.length} expressions of rules and policies, compiled and evaluated; per expression`,
  note: "ours counts costs and keeps to the limit of a Kubernetes API server; the other engine has neither",
  contenders: [homeostat(), celJs()].map((engine) => ({
    name: engine.name,
    run: (scale) => measure(engine, scale),
  })),
};
