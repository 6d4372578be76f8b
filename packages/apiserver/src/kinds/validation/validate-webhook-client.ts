// Validates the client configuration of conversion and admission webhooks: a URL or a service, and
// the CA bundle.
// Upstream: k8s.io/apiserver/pkg/util/webhook/validation.go.
import { dnsSubdomainFaults } from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
  quoteGo,
} from "../../apimachinery/errors/field-error.ts";

const form = "; desired format: https://host[/path]";

/** An absolute https URL without user, query and fragment. */
export function validateWebhookUrl(url: string, path: string): FieldError[] {
  const parts = splitUrl(url);
  if (typeof parts === "string")
    return [
      fieldError.required(path, `url must be a valid URL: parse ${quoteGo(url)}: ${parts}${form}`),
    ];
  return [
    ...errorIf(parts.scheme !== "https", () =>
      fieldError.invalid(path, parts.scheme, `'https' is the only allowed URL scheme${form}`),
    ),
    ...errorIf(!parts.host, () =>
      fieldError.invalid(path, parts.host, `host must be specified${form}`),
    ),
    ...errorIf(parts.user !== undefined, () =>
      fieldError.invalid(path, parts.user, "user information is not permitted in the URL"),
    ),
    ...errorIf(parts.fragment, () =>
      fieldError.invalid(path, parts.fragment, "fragments are not permitted in the URL"),
    ),
    ...errorIf(parts.query, () =>
      fieldError.invalid(path, parts.query, "query parameters are not permitted in the URL"),
    ),
  ];
}

/** The parts of a URL. */
export interface UrlParts {
  readonly scheme: string;
  readonly user: string | undefined;
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

/** The parts as Go's url.Parse splits them, or its error. */
export function splitUrl(url: string): UrlParts | string {
  if (/[\u0000-\u001f\u007f]/.test(url)) return "net/url: invalid control character in URL";
  if (url.startsWith(":")) return "missing protocol scheme";
  const match =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:([^/?#]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(
      url,
    )!;
  const [, scheme = "", user, host = "", rest = "", query = "", fragment = ""] = match;
  if (!scheme && !host && /^[^/]*:/.test(rest))
    return "first path segment in URL cannot contain colon";
  const port = /:([^:\]]*)$/.exec(host);
  if (port && !/^[0-9]*$/.test(port[1]!)) return `invalid port ${quoteGo(port[0])} after host`;
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(rest);
  if (escape) return `invalid URL escape ${quoteGo(escape[0])}`;
  if (host.includes(" ")) return 'invalid character " " in host name';
  return { scheme: scheme.toLowerCase(), user, host, query, fragment };
}

/** Name, namespace, port and path of a service. */
export function validateWebhookService(
  service: {
    readonly name: string;
    readonly namespace: string;
    readonly port?: number;
    readonly path?: string;
  },
  path: string,
): FieldError[] {
  const port = service.port ?? 0;
  return [
    ...errorIf(!service.name, () => fieldError.required(`${path}.name`, "")),
    ...errorIf(!service.namespace, () => fieldError.required(`${path}.namespace`, "")),
    ...errorIf(port < 1 || port > 65535, () =>
      fieldError.invalid(
        `${path}.port`,
        port,
        "port is not valid: must be between 1 and 65535, inclusive",
      ),
    ),
    ...servicePathErrors(service.path, `${path}.path`),
  ];
}

function servicePathErrors(value: string | undefined, path: string): FieldError[] {
  if (!value || value === "/") return [];
  if (value === "//") return [fieldError.invalid(path, value, "segment[0] may not be empty")];
  const steps = value.slice(1).replace(/\/$/, "").split("/");
  return [
    ...errorIf(!value.startsWith("/"), () =>
      fieldError.invalid(path, value, "must start with a '/'"),
    ),
    ...eachItem(steps, "segment", (step, at) =>
      step
        ? dnsSubdomainFaults(step).map((text) => fieldError.invalid(path, value, `${at}: ${text}`))
        : [fieldError.invalid(path, value, `${at} may not be empty`)],
    ),
  ];
}

/** PEM certificates in base64. Parses the envelope only; calling the webhook parses the rest. */
export function validateCaBundle(bundle: string, path: string): FieldError[] {
  const text = Buffer.from(bundle, "base64").toString("latin1");
  const blocks = [
    ...text.matchAll(/-----BEGIN CERTIFICATE-----([\s\S]*?)-----END CERTIFICATE-----/g),
  ];
  const isSequence = (body: string): boolean => Buffer.from(body, "base64")[0] === 0x30;
  const refused = (fault: string): FieldError[] => [
    fieldError.invalid(path, bundle, `unable to load root certificates: ${fault}`),
  ];
  if (!/-----BEGIN [^-]+-----/.test(text)) return refused("unable to parse bytes as PEM block");
  return blocks.every((block) => isSequence(block[1]!))
    ? []
    : refused("failed to parse certificate: x509: malformed certificate");
}
