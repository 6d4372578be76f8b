// Health checks as kube's servers answer them: all of `/healthz` or `/readyz`, or one alone, as
// text. Differs in one thing: a failed check says why also where all are listed. kube withholds the
// reason there because only the single checks are authorized; here both are equally open.
// Upstream: k8s.io/apiserver/pkg/server/healthz/healthz.go,
// sigs.k8s.io/controller-runtime@v0.24.1 pkg/healthz/healthz.go.
import type { Clock } from "../../runtime/clock.ts";
import { describeError } from "../../util/describe-error.ts";
import { notFoundAnswer, type PortAnswer, type PortHandler } from "./http-port.ts";

/** Fails when it throws or rejects; the error's message is the reason. */
export type HealthCheck = () => unknown;

/** Checks by name, in the order in which they are listed. */
export type HealthChecks = Readonly<Record<string, HealthCheck>>;

/** A check that takes longer has failed; kubelet itself waits one second unless it is told. */
const checkMs = 10_000;

interface CheckResult {
  readonly name: string;
  readonly isExcluded: boolean;
  /** Undefined when it passed. */
  readonly because: string | undefined;
}

/** Serves checks by the name of their endpoint, e.g. `readyz`. */
export function serveProbes(
  endpoints: Readonly<Record<string, HealthChecks>>,
  clock: Clock,
): PortHandler {
  return async ({ path, query }) => {
    const [endpoint = "", ...rest] = path.replace(/\/+$/, "").slice(1).split("/");
    const checks = Object.hasOwn(endpoints, endpoint) ? endpoints[endpoint] : undefined;
    if (!checks) return notFoundAnswer;
    if (rest.length > 0) return answerOne(checks, rest.join("/"), clock);
    const excluded = new Set(query.getAll("exclude"));
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]): Promise<CheckResult> => {
        const isExcluded = excluded.delete(name);
        return { name, isExcluded, because: isExcluded ? undefined : await run(check, clock) };
      }),
    );
    return answerAll(endpoint, results, {
      unknown: [...excluded].toSorted(),
      isVerbose: query.has("verbose"),
    });
  };
}

async function answerOne(checks: HealthChecks, name: string, clock: Clock): Promise<PortAnswer> {
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (!check) return notFoundAnswer;
  const because = await run(check, clock);
  if (because === undefined) return { status: 200, body: "ok" };
  return { status: 500, body: `internal server error: ${because}\n` };
}

function answerAll(
  endpoint: string,
  results: readonly CheckResult[],
  { unknown, isVerbose }: { readonly unknown: readonly string[]; readonly isVerbose: boolean },
): PortAnswer {
  const hasFailed = results.some(({ because }) => because !== undefined);
  if (!hasFailed && !isVerbose) return { status: 200, body: "ok" };
  const lines = results.map(formatResult);
  if (unknown.length > 0)
    lines.push(
      `warn: some health checks cannot be excluded: no matches for ${unknown.map((name) => JSON.stringify(name)).join(",")}`,
    );
  lines.push(`${endpoint} check ${hasFailed ? "failed" : "passed"}`, "");
  return { status: hasFailed ? 500 : 200, body: lines.join("\n") };
}

function formatResult({ name, isExcluded, because }: CheckResult): string {
  if (isExcluded) return `[+]${name} excluded: ok`;
  return because === undefined ? `[+]${name} ok` : `[-]${name} failed: ${because}`;
}

/** Why it fails, on one line; undefined when it passes. */
async function run(check: HealthCheck, clock: Clock): Promise<string | undefined> {
  const late = Promise.withResolvers<string>();
  const timer = clock.timer(checkMs, () => late.resolve(`no result within ${checkMs / 1000} s`));
  const passed = async (): Promise<undefined> => void (await check());
  try {
    return await Promise.race([passed(), late.promise]);
  } catch (error) {
    return describeError(error).replaceAll(/\s*\n\s*/g, " ");
  } finally {
    timer.cancel();
  }
}
