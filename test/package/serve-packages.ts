// A registry on loopback with the packed packages; npm is sent to the public one for all others. A
// process of its own: the tests wait for npm without turning their event loop.
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A running registry. */
export interface PackageRegistry {
  readonly url: string;
  close(): void;
}

const program = fileURLToPath(import.meta.url);
const others = "https://registry.npmjs.org";

/** Serves the tarballs of a folder. */
export async function servePackages(folder: string): Promise<PackageRegistry> {
  const child = fork(program, [folder], { execArgv: [] });
  const [url] = (await once(child, "message")) as [string];
  return { url, close: () => void child.kill() };
}

/** What npm asks for first: the versions of a package, with their manifests. */
function describePackage(folder: string, file: string, url: string): readonly [string, object] {
  const packages = new URL("../../packages/", import.meta.url);
  const manifests = readdirSync(packages).map(
    (name) =>
      JSON.parse(readFileSync(new URL(`${name}/package.json`, packages), "utf8")) as {
        readonly name: string;
        readonly version: string;
      },
  );
  const { name, version, ...manifest } = manifests.find(
    (one) => file === `${one.name.replace("@", "").replace("/", "-")}-${one.version}.tgz`,
  )!;
  const integrity = `sha512-${createHash("sha512")
    .update(readFileSync(join(folder, file)))
    .digest("base64")}`;
  const dist = { tarball: `${url}/-/${file}`, integrity };
  const versions = { [version]: { name, version, ...manifest, dist } };
  return [name, { name, "dist-tags": { latest: version }, versions }];
}

async function serve(folder: string): Promise<string> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/");
    const described = packages.get(path.slice(1));
    if (described) return response.end(JSON.stringify(described));
    const file = files.find((one) => path === `/-/${one}`);
    if (file !== undefined) return response.end(readFileSync(join(folder, basename(file))));
    return response.writeHead(302, { location: `${others}${request.url}` }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const files = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  const packages = new Map(files.map((file) => describePackage(folder, file, url)));
  return url;
}

if (process.argv[1] === program) process.send!(await serve(process.argv[2]!));
