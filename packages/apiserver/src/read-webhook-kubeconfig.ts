// Reads a kubeconfig that a plug-in calls webhooks with, and the files that it names.
// Upstream: k8s.io/client-go/tools/clientcmd/{loader,client_config,validation}.go,
// k8s.io/apiserver/pkg/util/webhook/authentication.go (restConfigFromKubeconfig).
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { escapeHeaderKey } from "./aggregator/user-headers.ts";
import { reasonOf } from "./apimachinery/errors/server-error.ts";
import { objectAt } from "./apimachinery/meta/read-fields.ts";
import { parseYaml } from "./registry/body/parse-yaml.ts";
import {
  emptyConfigError,
  type WebhookCluster,
  type WebhookCredentials,
  type WebhookKubeconfig,
} from "./webhook-client/webhook-kubeconfig.ts";

type Entries = ReadonlyMap<string, JsonObject>;

/** The kubeconfig; why it cannot be read, else. */
export async function readWebhookKubeconfig(file: string): Promise<WebhookKubeconfig | Error> {
  try {
    const { value } = await parseYaml(readFileSync(file, "utf8"));
    return parse(isObject(value) ? value : {}, dirname(file));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return new Error(isMissing ? `stat ${file}: no such file or directory` : reasonOf(error));
  }
}

function parse(config: JsonObject, folder: string): WebhookKubeconfig {
  const users = entriesOf(config, "users", "user");
  const current = textOf(config, "current-context");
  const context = entriesOf(config, "contexts", "context").get(current) ?? {};
  const clusters = entriesOf(config, "clusters", "cluster");
  return {
    users: new Map(
      [...users].map(([name, user]) => [name, attempt(() => credentialsOf(user, folder))]),
    ),
    currentUser: textOf(context, "user"),
    currentCluster: attempt(() => clusterOf(clusters, textOf(context, "cluster"), folder)),
  };
}

function attempt<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function entriesOf(config: JsonObject, list: string, item: string): Entries {
  const entries = config[list];
  const named = (Array.isArray(entries) ? entries : []).filter(isObject);
  return new Map(named.map((entry) => [textOf(entry, "name"), objectAt(entry, item)]));
}

const textOf = (object: JsonObject, field: string): string => {
  const value: Json | undefined = object[field];
  return typeof value === "string" ? value : "";
};

function clusterOf(clusters: Entries, name: string, folder: string): WebhookCluster {
  const cluster = clusters.get(name);
  const server = cluster ? textOf(cluster, "server") : "";
  if (!cluster || !server) throw new Error(emptyConfigError);
  const caBundle =
    textOf(cluster, "certificate-authority-data") ||
    base64(fileOf(cluster, "certificate-authority", folder));
  const serverName = textOf(cluster, "tls-server-name");
  return {
    server: /^https?:\/\//.test(server) ? server : `http://${server}`,
    ...(caBundle ? { caBundle } : {}),
    skipsVerification: cluster["insecure-skip-tls-verify"] === true,
    ...(serverName ? { serverName } : {}),
  };
}

function credentialsOf(user: JsonObject, folder: string): WebhookCredentials {
  if (user["auth-provider"]) throw new Error("auth provider not supported");
  if (user["exec"]) throw new Error("exec credentials of webhooks are not supported");
  const pemOf = (field: string): string =>
    Buffer.from(textOf(user, `${field}-data`), "base64").toString("utf8") ||
    fileOf(user, field, folder);
  const [certificate, key] = [pemOf("client-certificate"), pemOf("client-key")];
  return {
    headers: { ...authorizationOf(user, folder), ...impersonationOf(user) },
    ...(certificate ? { certificate, key } : {}),
  };
}

function authorizationOf(user: JsonObject, folder: string): { readonly authorization?: string } {
  const token = textOf(user, "token") || fileOf(user, "tokenFile", folder).trim();
  const [name, password] = [textOf(user, "username"), textOf(user, "password")];
  if (name || password) return { authorization: `Basic ${base64(`${name}:${password}`)}` };
  return token ? { authorization: `Bearer ${token}` } : {};
}

function impersonationOf(user: JsonObject): Record<string, string> {
  const name = textOf(user, "as");
  if (!name) return {};
  const extra = Object.entries(objectAt(user, "as-user-extra"));
  const headers = {
    "impersonate-user": name,
    "impersonate-uid": textOf(user, "as-uid"),
    "impersonate-group": textsOf(user["as-groups"]),
    ...Object.fromEntries(
      extra.map(([key, values]) => [`impersonate-extra-${escapeHeaderKey(key)}`, textsOf(values)]),
    ),
  };
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value));
}

/** Joined by newlines. */
const textsOf = (value: Json | undefined): string =>
  (Array.isArray(value) ? value : []).filter((item) => typeof item === "string").join("\n");

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

/** The contents of the file that a field names, relative to the kubeconfig; "" without one. */
function fileOf(object: JsonObject, field: string, folder: string): string {
  const file = textOf(object, field);
  return file ? readFileSync(resolve(folder, file), "utf8") : "";
}
