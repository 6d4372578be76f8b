// kubectl against the embedded server: the output of every transcript equals that of upstream. Each
// transcript has its own server, with the controllers that ran when it was recorded.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startApiServer } from "@homeostat/apiserver";
import {
  controllersOf,
  kubectlMissing,
  runTranscript,
  transcriptNames,
  transcriptPath,
} from "./run-transcripts.ts";
import { parseTranscript } from "./transcript.ts";

describe("kubectl", { skip: kubectlMissing() ?? false, concurrency: 3 }, () => {
  for (const name of transcriptNames())
    test(name, async () => {
      const folder = mkdtempSync(join(tmpdir(), "homeostat-kubectl-test-"));
      const kubeconfigPath = join(folder, "kubeconfig");
      const server = await startApiServer({ kubeconfigPath, controllers: controllersOf(name) });
      try {
        const recorded = parseTranscript(readFileSync(transcriptPath(name), "utf8"));
        for (const [index, step] of (await runTranscript(name, kubeconfigPath)).entries())
          assert.deepEqual(step, recorded[index]);
      } finally {
        await server.close();
        rmSync(folder, { recursive: true, force: true });
      }
    });
});
