#!/usr/bin/env node
// Stands in for etcd where envtest wants one: says that it is healthy, stores nothing, and refuses everything else. The
// kube-apiserver beside it keeps its objects itself. Plain JavaScript without imports of ours, because a test waits for it.
// Upstream: sigs.k8s.io/controller-runtime/pkg/internal/testing/controlplane/etcd.go.
import { createServer } from "node:http";

const help = `Stands in for etcd under envtest; keeps nothing.

Flags:
  --listen-client-urls 'http://localhost:2379'   where /health is answered
  --advertise-client-urls, --data-dir, --listen-peer-urls, --unsafe-no-fsync and all others are accepted and have no effect
`;

const args = process.argv.slice(2);
if (args.includes("--help") || args.includes("-h")) process.stdout.write(help);
else if (args.includes("--version"))
  process.stdout.write("etcd Version: 3.6.0\nGit SHA: homeostat\n");
else run(urlsOf(args));

/** The last `--listen-client-urls`, split. */
function urlsOf(flags) {
  const name = "--listen-client-urls";
  let urls = "http://127.0.0.1:2379";
  flags.forEach((flag, i) => {
    if (flag.startsWith(`${name}=`)) urls = flag.slice(name.length + 1);
    else if (flag === name) urls = flags[i + 1] ?? urls;
  });
  return urls.split(",");
}

function run(urls) {
  const servers = urls.map(addressOf).map(listen);
  const stop = () => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, stop);
  // Whoever started this one is gone, and with it every reason to stay.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.exit(0), 500).unref();
}

/** Ends the program in a sentence where a URL is none; real etcd does likewise. */
function addressOf(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.hostname && (url.protocol === "http:" || url.protocol === "https:")) return url;
  process.stderr.write(
    `etcd: --listen-client-urls: expected http://HOST:PORT, got ${JSON.stringify(text)}; give URLs, separated by commas\n`,
  );
  return process.exit(2);
}

function listen(url) {
  const server = createServer((request, response) => {
    const healthy =
      request.url === "/health" || request.url === "/readyz" || request.url === "/livez";
    response.writeHead(healthy ? 200 : 501, { "content-type": "application/json" });
    response.end(
      healthy
        ? '{"health":"true","reason":""}'
        : '{"error":"this stands in for etcd under envtest and stores nothing; the kube-apiserver beside it keeps its own objects","code":12}',
    );
  });
  server.on("error", (error) => {
    process.stderr.write(`etcd: listen on ${url.href}: ${error.message}\n`);
    process.exit(1);
  });
  return server.listen(Number(url.port || 2379), url.hostname.replace(/^\[|\]$/g, ""));
}
