// Reads the file of --admission-control-config-file: the configurations of admission plug-ins,
// inside it or in files that it names, and the kubeconfigs that these name.
// Upstream: k8s.io/apiserver/pkg/admission/config.go.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { encodeJson, isObject, type JsonObject } from "homeostat/api";
import {
  assertConfigurationKind,
  assertKnownFields,
} from "./admission/configuration/decode-configuration.ts";
import type { PluginConfiguration } from "./admission/configuration/plugin-configuration.ts";
import { readMembers } from "./admission/go-members.ts";
import { optionError, reasonOf } from "./apimachinery/errors/server-error.ts";
import { readWebhookKubeconfig } from "./read-webhook-kubeconfig.ts";
import { parseYaml } from "./registry/body/parse-yaml.ts";

type Configurations = Readonly<Record<string, PluginConfiguration>>;

const kind = {
  group: "apiserver.config.k8s.io",
  versions: ["v1", "v1alpha1"],
  kind: "AdmissionConfiguration",
} as const;

/** Plug-ins whose own configuration may be the file, by a field that it has. */
const legacy: Readonly<Record<string, string>> = {
  imagePolicy: "ImagePolicyWebhook",
  podNodeSelectorPluginConfig: "PodNodeSelector",
};

/** Configurations by the names of their plug-ins. Throws a ServerError. */
export async function readAdmissionConfiguration(file: string): Promise<Configurations> {
  try {
    return await readConfigurations(file);
  } catch (error) {
    const problem = `failed to read plugin config: ${reasonOf(error)}`;
    throw optionError(
      "ERR_SERVER_ADMISSION_PLUGIN",
      [{ option: "admissionControlConfigFile", problem }],
      { cause: error },
    );
  }
}

async function readConfigurations(file: string): Promise<Configurations> {
  const given = await readYaml(file, "unable to read admission control configuration from");
  const own = Object.keys(legacy).filter((field) => Object.hasOwn(given.value, field));
  if (own.length && given.value["kind"] === undefined) {
    const configuration = await withKubeconfig(given);
    return Object.fromEntries(Object.values(legacy).map((name) => [name, configuration]));
  }
  assertConfigurationKind(given, kind);
  const listed = readMembers(given.value, "AdmissionConfiguration").objects(
    "plugins",
    "v1.AdmissionPluginConfiguration",
  );
  const read = await Promise.all(listed.map((entry) => readEntry(entry, dirname(file))));
  assertKnownFields(given.value, {
    plugins: { name: null, path: null, configuration: null },
  });
  // Of several for one plug-in the first counts.
  return Object.fromEntries(read.flat().toReversed());
}

async function readEntry(
  entry: JsonObject,
  folder: string,
): Promise<readonly (readonly [string, PluginConfiguration])[]> {
  const read = readMembers(entry, "AdmissionPluginConfiguration.plugins");
  const name = read.text("name") ?? "";
  const path = read.text("path") ?? "";
  const { configuration } = entry;
  const inline = isObject(configuration)
    ? { value: configuration, text: encodeJson(configuration) }
    : undefined;
  const elsewhere = path
    ? () => readYaml(resolve(folder, path), "Couldn't open admission plugin configuration")
    : undefined;
  const found = inline ?? (await elsewhere?.());
  return found ? [[name, await withKubeconfig(found)]] : [];
}

/** Where plug-ins name a kubeconfig. */
async function withKubeconfig(given: PluginConfiguration): Promise<PluginConfiguration> {
  const policy = given.value["imagePolicy"];
  const file = (isObject(policy) ? policy : given.value)["kubeConfigFile"];
  if (typeof file !== "string" || !file) return given;
  return { ...given, kubeconfig: await readWebhookKubeconfig(file) };
}

async function readYaml(
  file: string,
  whenUnreadable: string,
): Promise<Pick<PluginConfiguration, "value" | "text">> {
  const text = readText(file, whenUnreadable);
  const { value } = await parseYaml(text);
  if (isObject(value)) return { value, text };
  throw new Error(`expected an object in ${file}`);
}

function readText(file: string, whenUnreadable: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === "ENOENT" ? missing : reasonOf(error);
    throw new Error(`${whenUnreadable} ${JSON.stringify(file)} [open ${file}: ${why}]`, {
      cause: error,
    });
  }
}

const missing = "no such file or directory";
