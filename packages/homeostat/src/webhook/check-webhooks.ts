// Refuses options of webhooks that cannot work, by name.
import { parseDuration } from "../api/duration.ts";
import { describeValue } from "../util/describe-error.ts";
import { isOptions, unknownOptions } from "../util/option-faults.ts";
import type { AdmissionWebhook } from "./admission/define-webhook.ts";
import type { WebhooksOptions } from "./webhooks-options.ts";

const known = [
  "serve",
  "service",
  "url",
  "port",
  "host",
  "certificates",
  "register",
  "configuration",
  "drainMs",
] as const satisfies readonly (keyof WebhooksOptions)[];

type Options = Readonly<Record<string, unknown>>;

/** Problems of the option `webhooks`, each with its place. */
export function webhooksFaults(given: unknown): string[] {
  if (given === undefined) return [];
  if (!isOptions(given))
    return [`webhooks is ${describeValue(given)}, expected { serve, service }`];
  return [
    ...unknownOptions(given, known),
    ...serveFaults(given["serve"]),
    ...placeFaults(given),
    ...numberFault("port", given["port"], 65_535),
    ...numberFault("drainMs", given["drainMs"], 600_000),
    ...certificateFaults(given["certificates"]),
    ...(["create", "inject", undefined].includes(given["register"] as string | undefined)
      ? []
      : [`register is ${describeValue(given["register"])}, expected "create" or "inject"`]),
  ].map((problem) => `webhooks.${problem}`);
}

function serveFaults(serve: unknown): string[] {
  if (!Array.isArray(serve) || serve.length === 0)
    return [`serve is ${describeValue(serve)}, expected a list of webhooks`];
  const wrong = serve.findIndex((one) => !isServed(one));
  if (wrong >= 0)
    return [
      `serve[${wrong}] is ${describeValue(serve[wrong])}, expected what defineMutatingWebhook, defineValidatingWebhook or defineConversion returns`,
    ];
  const admission = (serve as AdmissionWebhook[]).filter((one) => "path" in one);
  return [
    ...twice(admission.map((one) => one.path)).map(
      (path) => `serve: two webhooks have the path ${path}; give one another \`path\``,
    ),
    ...twice(admission.map((one) => `${one.type} ${one.name}`)).map(
      (name) => `serve: two webhooks are called ${name}; give one another \`name\``,
    ),
    ...admission
      .filter((one) => one.path === "/convert")
      .map((one) => `serve: ${one.name} has the path of conversions`),
  ];
}

const isServed = (one: unknown): boolean =>
  isOptions(one) && ["mutating", "validating", "conversion"].includes(String(one["type"]));

const twice = (names: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name, i) => names.indexOf(name) !== i)),
];

function placeFaults({ service, url }: Options): string[] {
  if ((service === undefined) === (url === undefined))
    return ["service: expected either `service` or `url`"];
  if (url !== undefined)
    return isUrl(url)
      ? []
      : [`url is ${describeValue(url)}, expected one such as "https://127.0.0.1:9443"`];
  const { name, namespace, port } = (isOptions(service) ? service : {}) as Options;
  return [name, namespace].every((part) => typeof part === "string" && part !== "")
    ? numberFault("service.port", port, 65_535)
    : [`service is ${describeValue(service)}, expected { name, namespace }`];
}

/** As pkg/util/webhook/validation.go: https, and nothing behind the path. */
function isUrl(url: unknown): boolean {
  if (typeof url !== "string" || !URL.canParse(url)) return false;
  const { protocol, search, hash, username } = new URL(url);
  return protocol === "https:" && search === "" && hash === "" && username === "";
}

function numberFault(name: string, value: unknown, most: number): string[] {
  const isFit = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;
  return value === undefined || isFit
    ? []
    : [`${name} is ${describeValue(value)}, expected 0 to ${most}`];
}

const fields: Readonly<Record<string, { readonly needed: string[]; readonly others: string[] }>> = {
  secret: {
    needed: [],
    others: ["secret", "namespace", "authorityValidity", "leafValidity", "overlap"],
  },
  files: { needed: ["cert", "key"], others: ["ca", "injectCaFrom"] },
  "cert-manager": { needed: ["certificate", "secret"], others: [] },
};

function certificateFaults(given: unknown): string[] {
  if (given === undefined) return [];
  const options = isOptions(given) ? given : {};
  const shape = fields[String(options["from"])];
  if (!shape)
    return [
      `certificates is ${describeValue(given)}, expected { from: ${Object.keys(fields)
        .map((one) => `"${one}"`)
        .join(" | ")} }`,
    ];
  const { from: _, ...others } = options;
  return [
    ...unknownOptions(others, [...shape.needed, ...shape.others]).map(
      (text) => `certificates.${text}`,
    ),
    ...shape.needed
      .filter((name) => typeof options[name] !== "string")
      .map((name) => `certificates.${name} is ${describeValue(options[name])}, expected a string`),
    ...["authorityValidity", "leafValidity", "overlap"].flatMap((name) =>
      durationFault(name, options[name]),
    ),
  ];
}

function durationFault(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  try {
    if (typeof value === "string" && parseDuration(value) > 0) return [];
  } catch {
    // The same message serves both.
  }
  return [`certificates.${name} is ${describeValue(value)}, expected a duration such as "2160h"`];
}
