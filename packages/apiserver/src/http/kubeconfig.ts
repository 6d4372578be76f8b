// The kubeconfig of an embedded server: one cluster, one user with a bearer token, one context.
// Format: k8s.io/client-go/tools/clientcmd/api/v1.
import { dirname } from "node:path";
import { writePrivateFile } from "../certificates/write-private-file.ts";
import { makeFolders } from "./make-folders.ts";

/** What a client needs to reach a server. */
export interface Access {
  readonly url: string;
  readonly token: string;
  /** PEM of the authority that issued the serving certificate; none over plain HTTP. */
  readonly ca?: string;
}

/** Formats a kubeconfig, as YAML. */
export function formatKubeconfig({ url, token, ca }: Access): string {
  const authority = ca
    ? `\n    certificate-authority-data: ${Buffer.from(ca).toString("base64")}`
    : "";
  return `apiVersion: v1
kind: Config
clusters:
- name: homeostat
  cluster:
    server: ${url}${authority}
users:
- name: admin
  user:
    token: ${token}
contexts:
- name: homeostat
  context:
    cluster: homeostat
    user: admin
current-context: homeostat
`;
}

/** Writes a kubeconfig atomically, readable by its owner only. Creates missing folders. */
export function writeKubeconfig(path: string, text: string): void {
  makeFolders(dirname(path), 0o777);
  writePrivateFile(path, text);
}
