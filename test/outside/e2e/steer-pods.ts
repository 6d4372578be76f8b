// Annotates the fake pods of a server with the behaviour of their programs (programs.ts) while the
// tests run.
import { type Client, createClient, dynamicKind, loadKubeconfig } from "homeostat/client";
import { type Instruction, instructionFor, type MadeFiles, type ProgramPod } from "./programs.ts";

const pods = dynamicKind({ apiVersion: "v1", kind: "Pod", resource: "pods", scope: "Namespaced" });
const fateAnnotation = "simulator.homeostat.dev/fate";
const runForAnnotation = "simulator.homeostat.dev/run-for";

/** Begins; call what it gives to end. */
export async function steerPods(kubeconfig: string): Promise<() => Promise<void>> {
  const client = createClient({ access: await loadKubeconfig({ path: kubeconfig }) });
  const stop = new AbortController();
  const following = follow(client, stop.signal);
  return async () => {
    stop.abort();
    await following;
    await client.close();
  };
}

async function follow(client: Client, signal: AbortSignal): Promise<void> {
  const made: MadeFiles = new Map();
  const told = new Map<string, string>();
  const known = new Map<string, ProgramPod>();
  const look = (uid: string): void => {
    const pod = known.get(uid);
    if (!pod || pod.metadata.deletionTimestamp !== undefined) return;
    const instruction = instructionFor(pod, made, Date.now());
    const { lookAgainMs, fate, runFor } = instruction;
    if (lookAgainMs !== undefined) setTimeout(() => look(uid), lookAgainMs).unref();
    const said = JSON.stringify([fate, runFor]);
    if ((told.get(uid) ?? "[null,null]") === said) return;
    told.set(uid, said);
    void tell(client, pod, instruction);
  };
  while (!signal.aborted) {
    try {
      for await (const { type, object } of client.watch(pods, { signal })) {
        const { uid } = object.metadata;
        known.set(uid, object as unknown as ProgramPod);
        look(uid);
        if (type === "DELETED") for (const map of [told, known]) map.delete(uid);
      }
    } catch (error) {
      if (!signal.aborted) console.error(`watching the pods of the tests: ${String(error)}`);
    }
  }
}

/** A pod that is gone needs to be told nothing. */
async function tell(
  client: Client,
  { metadata: { name, namespace, uid } }: ProgramPod,
  { fate, runFor }: Instruction,
): Promise<void> {
  const body = {
    metadata: { uid, annotations: { [fateAnnotation]: fate, [runForAnnotation]: runFor } },
  };
  await client.patch(pods, { name, namespace }, { type: "merge", body }).catch(() => undefined);
}
