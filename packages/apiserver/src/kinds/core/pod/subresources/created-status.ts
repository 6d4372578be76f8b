// The response of subresources that create nothing which clients can read.
// Upstream: k8s.io/kubernetes/pkg/registry/core/pod/storage/{storage,eviction}.go.
import type { ConnectResponse } from "../../../../apimachinery/rest/connecter.ts";

/** A Status of 201 Created. */
export const createdStatus = (): ConnectResponse => ({
  status: 201,
  object: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
});
