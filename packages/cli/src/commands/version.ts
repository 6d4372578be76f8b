// homeostat version.
import { readFileSync } from "node:fs";
import { kubernetesVersion } from "@homeostat/apiserver";
import { parseOutput } from "../command-error.ts";

/** Prints the versions as one line of text or JSON. */
export function printVersion(output: string): void {
  const { version } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  ) as { readonly version: string };
  const versions = { homeostat: version, kubernetes: kubernetesVersion, node: process.version };
  const text = `homeostat ${versions.homeostat} (Kubernetes ${versions.kubernetes}, Node ${versions.node})`;
  process.stdout.write(`${parseOutput(output) === "json" ? JSON.stringify(versions) : text}\n`);
}
