// kubectl at our server: every transcript that upstream gave must come out the same. Simulated controllers are off, as
// kube-controller-manager was when the transcripts were recorded.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type ApiServer, startApiServer } from "@homeostat/apiserver";
import { kubectlMissing, runTranscript, transcriptNames, transcriptPath } from "./run-transcripts.ts";
import { formatTranscript, headOf } from "./transcript.ts";

describe("kubectl", { skip: kubectlMissing() ?? false, concurrency: 4 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "homeostat-kubectl-test-"));
  const kubeconfigPath = join(folder, "kubeconfig");
  let server: ApiServer;
  before(async () => {
    server = await startApiServer({ kubeconfigPath, controllers: "none" });
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  for (const name of transcriptNames())
    test(name, async () => {
      const text = formatTranscript(headOf(transcriptPath(name)), await runTranscript(name, kubeconfigPath));
      assert.equal(text, readFileSync(transcriptPath(name), "utf8"));
    });
});
