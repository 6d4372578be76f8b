// One GET against a server named by a kubeconfig of start-reference.ts, with its bearer token.

import { readFileSync } from "node:fs";
import { Agent, get } from "node:https";

export interface ReferenceClient {
  /** The parsed JSON body; rejects when the status is not 200. */
  json(path: string): Promise<unknown>;
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

export const openReferenceClient = (kubeconfigPath: string): ReferenceClient => {
  const {
    clusters: [{ cluster }],
    users: [{ user }],
  } = JSON.parse(readFileSync(kubeconfigPath, "utf8")) as Kubeconfig;
  const agent = new Agent({
    ca: Buffer.from(cluster["certificate-authority-data"] ?? "", "base64"),
  });
  const headers = { accept: "application/json", authorization: `Bearer ${user["token"] ?? ""}` };
  return {
    json: (path) =>
      new Promise((resolve, reject) => {
        get(new URL(path, cluster["server"]), { agent, headers }, (response) => {
          const chunks: Buffer[] = [];
          response
            .on("error", reject)
            .on("data", (chunk: Buffer) => chunks.push(chunk))
            .on("end", () => {
              const body = Buffer.concat(chunks).toString("utf8");
              if (response.statusCode === 200) resolve(JSON.parse(body));
              else
                reject(
                  new Error(
                    `GET ${path}: expected 200, got ${String(response.statusCode)}: ${body.slice(0, 300)}`,
                  ),
                );
            });
        }).on("error", reject);
      }),
  };
};
