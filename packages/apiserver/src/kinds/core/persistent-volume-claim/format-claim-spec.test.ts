import assert from "node:assert/strict";
import { it } from "node:test";
import { diffClaimSpecs } from "./format-claim-spec.ts";

it("lists what differs between two claims, under Go's names", () => {
  const spec = {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    storageClassName: "s",
    volumeMode: "Filesystem",
  };
  assert.equal(
    diffClaimSpecs(spec, { ...spec, storageClassName: "t" }),
    [
      "@@ -10,7 +10,7 @@",
      "   }",
      "  },",
      '  "VolumeName": "",',
      '- "StorageClassName": "s",',
      '+ "StorageClassName": "t",',
      '  "VolumeMode": "Filesystem",',
      '  "DataSource": null,',
      '  "DataSourceRef": null,',
      "",
    ].join("\n"),
  );
});
