// Waits until an object is as a test expects it, or says what stands in the way.
import { HomeostatError, type Kind, type ObjectOf, type ObjectState } from "homeostat";
import type { Client } from "homeostat/client";
import { realNow } from "../traffic/real-time.ts";
import { describeState } from "./describe-state.ts";

/** The cluster in which something is expected. */
export interface ExpectingCluster {
  readonly client: Client;
  states(): readonly ObjectState[];
  nowMs(): number;
  /** What the test disturbs, one line each. */
  disturbed(): readonly string[];
  pause(): Promise<void>;
}

/** What is expected. */
export interface Expected<K extends Kind> {
  readonly kind: K;
  readonly name: string;
  readonly namespace?: string;
  readonly timeoutMs?: number;
}

/** @throws ERR_TEST_NEVER */
export async function eventually<K extends Kind>(
  cluster: ExpectingCluster,
  { kind, name, namespace, timeoutMs = 10_000 }: Expected<K>,
  test: (object: ObjectOf<K>) => boolean,
): Promise<ObjectOf<K>> {
  const end = realNow() + timeoutMs;
  const key = namespace === undefined ? name : { name, namespace };
  for (;;) {
    const object = await cluster.client.find(kind, key);
    const outcome = attempt(object, test);
    if (object !== undefined && outcome.held) return object;
    if (realNow() > end)
      throw neverError({ title: `${kind.kind} ${name}`, timeoutMs, object }, outcome, cluster);
    await cluster.pause();
  }
}

function neverError(
  { title, timeoutMs, object }: { title: string; timeoutMs: number; object: unknown },
  { threw }: { readonly threw?: Error },
  cluster: ExpectingCluster,
): HomeostatError {
  const shown = JSON.stringify(object, (name, value: unknown) =>
    name === "managedFields" ? undefined : value,
  );
  const now = cluster.nowMs();
  const active = cluster.states().filter(({ progress }) => progress.at !== "done");
  const disturbed = cluster.disturbed();
  const lines = [
    `${title}: the condition did not become true within ${timeoutMs} ms`,
    ...(threw === undefined ? [] : [`  the condition threw: ${threw.message}`]),
    `  the object ${object === undefined ? "does not exist" : `is ${shown}`}`,
    ...active.map((state) => describeState(state, now)),
    ...disturbed,
  ];
  return new HomeostatError("ERR_TEST_NEVER", lines.join("\n"), {
    hint: hintFor(active.length > 0, disturbed.length > 0),
    cause: threw,
  });
}

function hintFor(isActive: boolean, isDisturbed: boolean): string {
  if (isDisturbed) return "undo what the test disturbs, or expect what it leads to";
  if (isActive) return "see above what the controllers wait for, or fail with";
  return "a controller that is done with an object has no reason to change it: is what it reads declared?";
}

/** A condition that throws counts as false: the fields that it reads may appear later. */
function attempt<O>(
  object: O | undefined,
  test: (object: O) => boolean,
): { readonly held: boolean; readonly threw?: Error } {
  try {
    return { held: object !== undefined && test(object) };
  } catch (error) {
    return { held: false, threw: error instanceof Error ? error : new Error(String(error)) };
  }
}
