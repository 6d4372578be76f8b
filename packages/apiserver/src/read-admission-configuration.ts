// Reads the file of --admission-control-config-file: the configurations of admission plug-ins,
// inside it or in files that it names.
// Upstream: k8s.io/apiserver/pkg/admission/config.go.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isObject, type JsonObject } from "homeostat/api";
import { optionError, reasonOf } from "./apimachinery/errors/server-error.ts";
import { parseYaml } from "./registry/body/parse-yaml.ts";

const versions = ["v1", "v1alpha1"].map((version) => `apiserver.config.k8s.io/${version}`);

/** Configurations by the names of their plug-ins. Throws a ServerError. */
export async function readAdmissionConfiguration(
  file: string,
): Promise<Readonly<Record<string, JsonObject>>> {
  const { apiVersion, kind, plugins } = await readYaml(file);
  if (kind !== "AdmissionConfiguration" || !versions.includes(String(apiVersion)))
    throw faulty(file, `expected AdmissionConfiguration of ${versions[0]}`);
  const listed = Array.isArray(plugins) ? plugins.filter(isObject) : [];
  const read = listed.map(async ({ name, path, configuration }) => {
    const nested = isObject(configuration) ? configuration : undefined;
    const elsewhere = typeof path === "string" && path ? resolve(dirname(file), path) : undefined;
    const found = nested ?? (elsewhere ? await readYaml(elsewhere) : undefined);
    return found ? [[String(name), found] as const] : [];
  });
  return Object.fromEntries((await Promise.all(read)).flat());
}

async function readYaml(file: string): Promise<JsonObject> {
  try {
    const { value } = await parseYaml(readFileSync(file, "utf8"));
    if (isObject(value)) return value;
  } catch (error) {
    throw faulty(file, reasonOf(error));
  }
  throw faulty(file, "expected an object");
}

const faulty = (file: string, problem: string) =>
  optionError("ERR_SERVER_ADMISSION_PLUGIN", [
    { option: "admissionControlConfigFile", problem: `${file}: ${problem}` },
  ]);
