#!/usr/bin/env node
// The etcd that envtest starts: answers health checks, stores nothing and refuses everything else. The kube-apiserver
// beside it keeps its own objects. Plain JavaScript without imports of ours, because tests wait for its start.
// Upstream: sigs.k8s.io/controller-runtime/pkg/internal/testing/controlplane/etcd.go.
import { createServer } from "node:http";

const help = `Replaces etcd under envtest; stores nothing.

Flags:
  --listen-client-urls 'http://localhost:2379'   URLs that answer /health
  --advertise-client-urls, --data-dir, --listen-peer-urls, --unsafe-no-fsync and all others are accepted and ignored
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
  // Exit when the parent process has died.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.exit(0), 500).unref();
}

/** Exits with a message when a URL is invalid, as etcd does. */
function addressOf(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.hostname && (url.protocol === "http:" || url.protocol === "https:")) return url;
  process.stderr.write(
    `etcd: --listen-client-urls: expected http://HOST:PORT, got ${JSON.stringify(text)}; separate URLs with commas\n`,
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
        : '{"error":"this etcd replacement for envtest stores nothing; the kube-apiserver beside it keeps its own objects","code":12}',
    );
  });
  server.on("error", (error) => {
    process.stderr.write(`etcd: listen on ${url.href}: ${error.message}\n`);
    process.exit(1);
  });
  return server.listen(Number(url.port || 2379), url.hostname.replace(/^\[|\]$/g, ""));
}
