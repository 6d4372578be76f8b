// Records the transcripts anew from the real kube-apiserver: `npm run test:reference`. With
// RECORD=1 the files are written, otherwise compared, so that a transcript that upstream would not
// give is found. Those that need controllers get a control plane of their own, with
// kube-controller-manager.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { startReference } from "../../tools/reference/start-reference.ts";
import {
  controllersOf,
  kubectlMissing,
  runTranscript,
  transcriptNames,
  transcriptPath,
} from "./run-transcripts.ts";
import { formatTranscript, headOf } from "./transcript.ts";

const kubeconfig = process.env["HOMEOSTAT_REFERENCE_KUBECONFIG"];
const missing =
  kubectlMissing() ?? (kubeconfig ? undefined : "HOMEOSTAT_REFERENCE_KUBECONFIG is not set");

for (const name of transcriptNames())
  test(`kubectl: ${name}, on the real kube-apiserver`, { skip: missing ?? false }, async () => {
    const own =
      controllersOf(name) === "all" ? await startReference({ controllers: true }) : undefined;
    try {
      const text = formatTranscript(
        headOf(transcriptPath(name)),
        await runTranscript(name, own?.kubeconfigPath ?? kubeconfig!),
      );
      if (process.env["RECORD"]) writeFileSync(transcriptPath(name), text);
      assert.equal(text, readFileSync(transcriptPath(name), "utf8"));
    } finally {
      await own?.stop();
    }
  });
