// Validates names of devices, pools, requests, attributes and shares.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go, github.com/google/uuid
// (Validate).
import { type Decoded, dnsLabelFaults, dnsSubdomainFaults, formatRegexFault } from "homeostat/api";
import type { DeviceClaim } from "homeostat/k8s/resource/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError, quoteGo } from "../../apimachinery/errors/field-error.ts";
import { csiNameErrors } from "../validation/csi-driver-name.ts";

const maxPoolName = 253;
const maxIdentifier = 32;
/** Domain, slash and identifier. */
export const maxQualifiedName = 63 + 1 + maxIdentifier;

const identifierFormat = "[A-Za-z_][A-Za-z0-9_]*";
const identifier = new RegExp(`^${identifierFormat}$`);
const identifierText =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";

/** A DNS label: devices, requests, counters. */
export const labelNameErrors = (name: string, path: string): FieldError[] =>
  dnsLabelFaults(name).map((fault) => fieldError.invalid(path, name, fault));

/** DNS subdomains between slashes. */
export function poolNameErrors(name: string, path: string): FieldError[] {
  if (!name) return [fieldError.required(path, "")];
  return [
    ...errorIf(Buffer.byteLength(name) > maxPoolName, () => fieldError.tooLong(path, maxPoolName)),
    ...name
      .split("/")
      .flatMap((part) =>
        dnsSubdomainFaults(part).map((fault) => fieldError.invalid(path, part, fault)),
      ),
  ];
}

/** `name` or `domain/name`. Upstream accepts further slashes. */
export function attributeNameErrors(name: string, path: string): FieldError[] {
  const parts = name.split("/");
  if (parts.length === 1) return identifierErrors(name, path);
  if (parts.length > 2) return [];
  const [domain, local] = parts as [string, string];
  return [
    ...(domain
      ? csiNameErrors(domain, path)
      : [fieldError.invalid(path, "", "the domain must not be empty")]),
    ...(local
      ? identifierErrors(local, path)
      : [fieldError.invalid(path, "", "the name must not be empty")]),
  ];
}

/** {@link attributeNameErrors} of a name that must have its domain. */
export function fullAttributeNameErrors(name: string, path: string): FieldError[] {
  return [
    ...attributeNameErrors(name, path),
    ...errorIf(!name.includes("/"), () =>
      fieldError.invalid(
        path,
        name,
        "a fully qualified name must be a domain and a name separated by a slash",
      ),
    ),
  ];
}

function identifierErrors(id: string, path: string): FieldError[] {
  return [
    ...errorIf(Buffer.byteLength(id) > maxIdentifier, () =>
      fieldError.tooLong(path, maxIdentifier),
    ),
    ...errorIf(!identifier.test(id), () =>
      fieldError.invalid(
        path,
        id,
        formatRegexFault(identifierText, identifierFormat, "my_name", "MY_NAME", "MyName"),
      ),
    ),
  ];
}

/** The names of a claim's requests, each with those of its subrequests. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

/** From `devices` of a claim's spec. */
export function requestNamesOf(devices: Decoded<DeviceClaim>): RequestNames {
  return new Map(
    (devices.requests ?? []).map(({ name, firstAvailable }) => [
      name ?? "",
      new Set((firstAvailable ?? []).map((each) => each.name ?? "")),
    ]),
  );
}

/** A known `request` or `request/subrequest`. */
export function requestReferenceErrors(
  name: string,
  path: string,
  known: RequestNames,
): FieldError[] {
  const unknown = fieldError.invalid(
    path,
    name,
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
  );
  const parts = name.split("/");
  if (parts.length > 2) return [unknown];
  const subrequests = known.get(parts[0]!);
  const found = subrequests && (parts.length === 1 || subrequests.has(parts[1]!));
  return [...parts.flatMap((part) => labelNameErrors(part, path)), ...(found ? [] : [unknown])];
}

const normalized = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const normalizedText =
  "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";

/** The id of a share: a UUID in lower case. */
export function shareIdErrors(id: string, path: string): FieldError[] {
  if (normalized.test(id)) return [];
  const fault = uuidFault(id);
  return [fieldError.invalid(path, id, fault ? `error validating uid: ${fault}` : normalizedText)];
}

/** The error of a UUID in any of its four forms. */
function uuidFault(text: string): string | undefined {
  const wrong = "invalid UUID format";
  const length = Buffer.byteLength(text);
  if (length === 32) return /^[0-9a-f]{32}$/i.test(text) ? undefined : wrong;
  if (length === 45 && text.slice(0, 9).toLowerCase() !== "urn:uuid:")
    return `invalid urn prefix: ${quoteGo(text.slice(0, 9))}`;
  if (length === 38 && !(text.startsWith("{") && text.endsWith("}")))
    return "invalid bracketed UUID format";
  const bare = bareUuid(text, length);
  if (Buffer.byteLength(bare) !== 36) return `invalid UUID length: ${length}`;
  return normalized.test(bare.toLowerCase()) ? undefined : wrong;
}

function bareUuid(text: string, length: number): string {
  if (length === 45) return text.slice("urn:uuid:".length);
  return length === 38 ? text.slice(1, -1) : text;
}
