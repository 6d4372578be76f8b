// Annotates the fake pods of a server with the behaviour of their programs (programs.ts) while the
// tests run.
import type { Client } from "homeostat/client";
import { Pod } from "homeostat/k8s/core/v1";
import { followPods } from "./follow-pods.ts";
import { type Instruction, instructionFor, type MadeFiles, type ProgramPod } from "./programs.ts";

const fateAnnotation = "simulator.homeostat.dev/fate";
const runForAnnotation = "simulator.homeostat.dev/run-for";

/** Starts; call the result to stop. */
export async function steerPods(kubeconfig: string): Promise<() => Promise<void>> {
  const made: MadeFiles = new Map();
  const told = new Map<string, string>();
  const known = new Map<string, ProgramPod>();
  const look = (uid: string, client: Client): void => {
    const pod = known.get(uid);
    if (!pod || pod.metadata.deletionTimestamp !== undefined) return;
    const instruction = instructionFor(pod, made, Date.now());
    const { lookAgainMs, fate, runFor } = instruction;
    if (lookAgainMs !== undefined) setTimeout(() => look(uid, client), lookAgainMs).unref();
    const said = JSON.stringify([fate, runFor]);
    if ((told.get(uid) ?? "[null,null]") === said) return;
    told.set(uid, said);
    void tell(client, pod, instruction);
  };
  return await followPods<ProgramPod>(kubeconfig, {
    changed(pod, client) {
      known.set(pod.metadata.uid, pod);
      look(pod.metadata.uid, client);
    },
    deleted(uid) {
      for (const map of [told, known]) map.delete(uid);
    },
  });
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
  await client.patch(Pod, { name, namespace }, { type: "merge", body }).catch(() => undefined);
}
