// kubectl at our server: every transcript that upstream gave must come out the same. Each runs on a server of its own, with
// simulated controllers off, as kube-controller-manager was when the transcripts were recorded.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startApiServer } from "@homeostat/apiserver";
import { kubectlMissing, runTranscript, transcriptNames, transcriptPath } from "./run-transcripts.ts";
import { formatTranscript, headOf } from "./transcript.ts";

describe("kubectl", { skip: kubectlMissing() ?? false, concurrency: 3 }, () => {
  for (const name of transcriptNames())
    test(name, async () => {
      const folder = mkdtempSync(join(tmpdir(), "homeostat-kubectl-test-"));
      const kubeconfigPath = join(folder, "kubeconfig");
      const server = await startApiServer({ kubeconfigPath, controllers: "none" });
      try {
        const text = formatTranscript(headOf(transcriptPath(name)), await runTranscript(name, kubeconfigPath));
        assert.equal(text, readFileSync(transcriptPath(name), "utf8"));
      } finally {
        await server.close();
        rmSync(folder, { recursive: true, force: true });
      }
    });
});
