// Validates certificate signing requests and what each endpoint may change about one.
// Upstream: k8s.io/kubernetes/pkg/apis/certificates/validation/validation.go,
// pkg/apis/core/validation (ValidateSignerName).
import {
  type Decoded,
  dnsLabelFaults,
  dnsSubdomainFaults,
  equalJson,
  type SyntaxRule,
} from "homeostat/api";
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from "homeostat/k8s/certificates/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
  quoteGo,
} from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { finalizerErrors } from "../validation/validate-object.ts";
import { diffPrinted } from "../printers/unified-diff.ts";
import { signingRequestFault } from "./read-signing-request.ts";

const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];
const approvals = ["Approved", "Denied"];
const onlyTrue = [...approvals, "Failed"];
const legacySigner = "kubernetes.io/legacy-unknown";

type Request = Decoded<CertificateSigningRequest>;
type Condition = Decoded<CertificateSigningRequestCondition>;

const conditionsOf = (object: Request): readonly Condition[] => object.status?.conditions ?? [];
const typesOf = (object: Request): string[] =>
  conditionsOf(object).map((condition) => condition.type ?? "");

/** Every violation; those that the stored request already has stay allowed. */
export function validateRequest(object: Request, old: Request | undefined): FieldError[] {
  const spec = object.spec ?? {};
  const signer = spec.signerName ?? "";
  const seconds = spec.expirationSeconds;
  const fault = signingRequestFault(Buffer.from(spec.request ?? "", "base64").toString("utf8"));
  const keepsSigner = old !== undefined && (old.spec?.signerName ?? "") === legacySigner;
  return [
    ...finalizerErrors(object),
    ...(fault ? [fieldError.invalid("spec.request", spec.request ?? null, fault)] : []),
    ...usageErrors(spec.usages ?? [], old ? (old.spec?.usages ?? []) : undefined),
    ...(signer === legacySigner && !keepsSigner
      ? [
          fieldError.invalid(
            "spec.signerName",
            signer,
            "the legacy signerName is not allowed via this API version",
          ),
        ]
      : signerErrors(signer, "spec.signerName")),
    ...errorIf(isSet(seconds) && seconds < 600, () =>
      fieldError.invalid(
        "spec.expirationSeconds",
        seconds,
        "may not specify a duration less than 600 seconds (10 minutes)",
      ),
    ),
    ...conditionErrors(object, old),
    ...certificateErrors(object.status?.certificate ?? "", old && (old.status?.certificate ?? "")),
  ];
}

function usageErrors(given: readonly string[], old: readonly string[] | undefined): FieldError[] {
  const path = "spec.usages";
  if (!given.length) return [fieldError.required(path, "")];
  const unknownBefore = old?.some((usage) => !usages.includes(usage)) ?? false;
  const twiceBefore = old !== undefined && new Set(old).size < old.length;
  return [
    ...(unknownBefore
      ? []
      : eachItem(given, path, (usage, at) =>
          errorIf(!usages.includes(usage), () => fieldError.notSupported(at, usage, usages)),
        )),
    ...(twiceBefore
      ? []
      : eachItem(given, path, (usage, at, i) =>
          errorIf(given.indexOf(usage) < i, () => fieldError.duplicate(at, usage)),
        )),
  ];
}

const oneSegment = "should be a domain with at least two segments separated by dots";

/** `example.com/signer-name`. */
function signerErrors(signer: string, path: string): FieldError[] {
  if (!signer) return [fieldError.required(path, "")];
  const [domain = "", name = "", ...more] = signer.split("/");
  if (more.length || !signer.includes("/"))
    return [
      fieldError.invalid(
        path,
        signer,
        "must be a fully qualified domain and path of the form 'example.com/signer-name'",
      ),
    ];
  // Upstream reports the first invalid label only.
  const inside = (shown: string, rule: SyntaxRule): FieldError[] => {
    const label = shown.split(".").find((each) => rule(each).length > 0);
    return label === undefined
      ? []
      : rule(label).map((fault) =>
          fieldError.invalid(path, shown, `validating label ${quoteGo(label)}: ${fault}`),
        );
  };
  return [
    ...errorIf(Buffer.byteLength(domain) > 253, () => fieldError.tooLong(path, 253)),
    ...inside(domain, dnsLabelFaults),
    ...errorIf(!domain.includes("."), () => fieldError.invalid(path, domain, oneSegment)),
    ...inside(name, dnsSubdomainFaults),
    ...errorIf(Buffer.byteLength(signer) > 571, () => fieldError.tooLong(path, 571)),
  ];
}

function conditionErrors(object: Request, old: Request | undefined): FieldError[] {
  const path = "status.conditions";
  const before = old ? typesOf(old) : [];
  const hadBoth = approvals.every((type) => before.includes(type));
  const hadTwice = new Set(before).size < before.length;
  const seen = new Set<string>();
  return eachItem(conditionsOf(object), path, (condition, at) => {
    const type = condition.type ?? "";
    const status = condition.status ?? "";
    const values = onlyTrue.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    const errors: FieldError[] = errorIf(!type && !before.includes(""), () =>
      fieldError.required(`${at}.type`, ""),
    );
    if (!status) errors.push(fieldError.required(`${at}.status`, ""));
    else if (!values.includes(status))
      errors.push(fieldError.notSupported(`${at}.status`, status, values));
    const opposite = approvals.includes(type) ? approvals.find((each) => each !== type)! : "";
    if (opposite && !hadBoth && seen.has(opposite))
      errors.push(
        fieldError.invalid(path, type, "Approved and Denied conditions are mutually exclusive"),
      );
    if (seen.has(type) && !hadTwice) errors.push(fieldError.duplicate(`${at}.type`, type));
    seen.add(type);
    return errors;
  });
}

/** PEM blocks of certificates only. */
function certificateErrors(certificate: string, old: string | undefined): FieldError[] {
  if (!certificate || certificate === old) return [];
  const blocks = [
    ...Buffer.from(certificate, "base64")
      .toString("utf8")
      .matchAll(/-----BEGIN ([^-\n]*)-----/g),
  ].map(([, type]) => type!);
  const wrong = (detail: string): FieldError[] => [
    fieldError.invalid("status.certificate", "<certificate data>", detail),
  ];
  if (!blocks.length) return wrong("must contain at least one CERTIFICATE PEM block");
  const other = blocks.find((type) => type !== "CERTIFICATE");
  return other === undefined
    ? []
    : wrong(`only CERTIFICATE PEM blocks are allowed, found ${quoteGo(other)}`);
}

/**
 * What an update through each endpoint may change: approval conditions through `approval`, the
 * certificate through `status`, and that once.
 */
export function validateRequestChange(
  object: Request,
  old: Request,
  endpoint: "main" | "status" | "approval",
): FieldError[] {
  const path = "status.conditions";
  const of = (each: Request, type: string): Condition[] =>
    conditionsOf(each).filter((condition) => condition.type === type);
  const removed = onlyTrue
    .filter((type) => of(object, type).length < of(old, type).length)
    .map((type) =>
      fieldError.forbidden(path, `updates may not remove a condition of type "${type}"`),
    );
  const touched =
    endpoint === "approval"
      ? []
      : approvals.flatMap((type) => {
          const now = of(object, type);
          const before = of(old, type);
          if (now.length > before.length)
            return [
              fieldError.forbidden(path, `updates may not add a condition of type "${type}"`),
            ];
          return errorIf(now.length >= before.length && !equalJson(now, before), () =>
            fieldError.forbiddenChange(
              path,
              `updates may not modify a condition of type "${type}"`,
              {
                type: "[]certificates.CertificateSigningRequestCondition",
                before,
                after: now,
                diff: diffPrinted,
              },
            ),
          );
        });
  return [
    ...validateObjectMeta(object, { namespaced: false }, () => []),
    ...validateRequest(object, old),
    ...removed,
    ...touched,
    ...certificateChangeErrors(object, old, endpoint),
    ...finalizerErrors(object),
  ];
}

function certificateChangeErrors(object: Request, old: Request, endpoint: string): FieldError[] {
  const [now, before] = [object, old].map((each) => each.status?.certificate ?? "");
  if (now === before) return [];
  if (endpoint !== "status")
    return [fieldError.forbidden("status.certificate", "updates may not set certificate content")];
  return errorIf(before, () =>
    fieldError.forbidden(
      "status.certificate",
      "updates may not modify existing certificate content",
    ),
  );
}
