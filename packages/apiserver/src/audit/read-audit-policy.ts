// Reads an audit policy as kube-apiserver does: strictly, and if that finds unknown or repeated
// fields, leniently with a warning; then validates it.
// Upstream: k8s.io/apiserver/pkg/audit/policy/reader.go.
import { readFileSync } from "node:fs";
import { formatApiVersion, type GroupVersionKind } from "homeostat/api";
import { aggregate, formatFieldError } from "../apimachinery/errors/aggregate.ts";
import { reasonOf } from "../apimachinery/errors/server-error.ts";
import { readKindData } from "../apimachinery/kind-data/read-kind-data.ts";
import { createGoDecoder, GoDecodeError } from "../kinds/serializer/go-decoder.ts";
import { fillClaim, notRegistered } from "../registry/body/claimed-kind.ts";
import { BodyError, parseUntyped, type ParsedBody } from "../registry/body/parse-body.ts";
import type { AuditPolicy } from "./audit-policy.ts";
import { policyModel, withPolicyTypes } from "./policy-types.ts";
import { validateAuditPolicy } from "./validate-audit-policy.ts";

/** Receives what strict decoding refuses and lenient decoding accepts, and what is not read. */
type Warn = (message: string) => void;

/** Reads a file. Throws an Error with upstream's message. */
export async function readAuditPolicyFile(file: string, warn: Warn): Promise<AuditPolicy> {
  const text = readText(file);
  try {
    return await readAuditPolicy(text, warn);
  } catch (error) {
    throw new Error(`${reasonOf(error)}: from file ${file}`, { cause: error });
  }
}

function readText(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    const why = systemReason(error);
    throw new Error(`failed to read file path ${JSON.stringify(file)}: ${why}`, { cause: error });
  }
}

/** `open x: no such file or directory`, from `ENOENT: no such file or directory, open 'x'`. */
function systemReason(error: unknown): string {
  const [, why, what] = /^[A-Z]+: (.*), (\w+ .*)$/.exec(reasonOf(error)) ?? [];
  return why && what ? `${what.replaceAll("'", "")}: ${why}` : reasonOf(error);
}

/** Reads JSON or YAML. Throws an Error with upstream's message. */
export async function readAuditPolicy(text: Uint8Array, warn: Warn): Promise<AuditPolicy> {
  const { body, kind } = await decodeText(text);
  if (kind.version === internal)
    throw new Error(`unknown group version field ${formatKind(kind)} in policy`);
  const { object, strictErrors } = decodeFields(body);
  const errors = [...body.strictErrors, ...strictErrors];
  if (errors.length)
    warn(
      `Audit policy contains errors, falling back to lenient decoding: strict decoding error: ${formatStrict(errors)}`,
    );
  await warnOfOtherDocuments(text, warn);
  return validated(object as unknown as Partial<AuditPolicy>);
}

/** Upstream reads the first document of a file and says nothing of the others. */
async function warnOfOtherDocuments(text: Uint8Array, warn: Warn): Promise<void> {
  const { isScalar, parseAllDocuments } = await import("yaml");
  const documents = parseAllDocuments(Buffer.from(text).toString(), { logLevel: "silent" });
  const isEmpty = ({ contents }: (typeof documents)[number]): boolean =>
    contents === null || (isScalar(contents) && contents.value === null);
  const count = documents.filter((document) => !isEmpty(document)).length;
  if (count > 1) warn(`Audit policy has ${count} YAML documents: only the first is read`);
}

/** Validates a policy. Throws an Error with upstream's message. */
export function validated(given: Partial<AuditPolicy>): AuditPolicy {
  const policy = { ...given, rules: given.rules ?? [] };
  const errors = validateAuditPolicy(policy);
  if (errors.length) throw new Error(aggregate(errors.map(formatFieldError)));
  if (!policy.rules.length) throw new Error("loaded illegal policy with 0 rules");
  return policy;
}

const group = "audit.k8s.io";
/** The version that a policy without one gets, in which it is no longer found valid. */
const internal = "__internal";
const listKinds = new Set(["Event", "EventList", "PolicyList"]);

/** The text with the kind that it states; without one it is a policy. */
async function decodeText(
  text: Uint8Array,
): Promise<{ readonly body: ParsedBody; readonly kind: GroupVersionKind }> {
  try {
    const body = await parseUntyped(text);
    const kind = fillClaim(body, { group, version: internal, kind: "Policy" });
    if (kind.group !== group || (kind.version !== "v1" && kind.version !== internal))
      throw new BodyError(notRegistered(kind.kind, formatApiVersion(kind)));
    if (listKinds.has(kind.kind))
      throw new BodyError(`converting (v1.${kind.kind}) to (audit.Policy): unknown conversion`);
    if (kind.kind !== "Policy")
      throw new BodyError(notRegistered(kind.kind, formatApiVersion(kind)));
    return { body, kind };
  } catch (error) {
    throw error instanceof BodyError ? new Error(`failed decoding: ${error.message}`) : error;
  }
}

function decodeFields(body: ParsedBody) {
  const data = withPolicyTypes(readKindData("1.36"));
  try {
    return createGoDecoder(data, policyModel, { emptyLists: "null" }).decode(body);
  } catch (error) {
    if (!(error instanceof GoDecodeError)) throw error;
    throw new Error(`failed decoding: ${error.message}`, { cause: error });
  }
}

const formatStrict = (errors: readonly string[]): string =>
  errors
    .map((text) => (/^line \d+: key /.test(text) ? `yaml: unmarshal errors: ${text}` : text))
    .join(", ");

const formatKind = ({ group: name, version, kind }: GroupVersionKind): string =>
  `${name}/${version}, Kind=${kind}`;
