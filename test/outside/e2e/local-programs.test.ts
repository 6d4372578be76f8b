import assert from "node:assert/strict";
import { test } from "node:test";
import { localProgramsOf } from "./local-programs.ts";

const place = { folder: "/pod", port: 40_000 };
const linesOf = (...containers: Parameters<typeof localProgramsOf>[0]["spec"]["containers"]) =>
  localProgramsOf({ spec: { containers } }).map(
    ({ file, podPort, args }) => `${podPort ?? "-"} ${file} ${args(place).join(" ")}`,
  );

test("a webhook listens on its own port on loopback, with the files of its volumes", () => {
  assert.deepEqual(
    linesOf({
      image: "registry.k8s.io/e2e-test-images/agnhost:2.63.0",
      args: ["webhook", "--tls-cert-file=/certs/tls.crt", "-v=4", "--port=9444"],
      volumeMounts: [{ name: "webhook-certs", mountPath: "/certs" }],
    }),
    ["9444 agnhost webhook --tls-cert-file=/pod/webhook-certs/tls.crt -v=4 --port=40000"],
  );
});

test("an API server listens on loopback, and its etcd runs beside it", () => {
  assert.deepEqual(
    linesOf(
      { image: "registry.k8s.io/e2e-test-images/sample-apiserver:1.29.2", args: ["--a=b"] },
      { image: "registry.k8s.io/etcd:3.6.6-0", command: ["/usr/local/bin/etcd", "--c", "d"] },
    ),
    ["443 sample-apiserver --a=b --bind-address=127.0.0.1 --secure-port=40000", "- etcd --c d"],
  );
});

test("pods that serve nothing to the API server are simulated", () => {
  const image = "registry.k8s.io/e2e-test-images/agnhost:2.63.0";
  assert.deepEqual(linesOf({ image, args: ["pause"] }, { image }, { image: "x/etcd:1" }), []);
});
