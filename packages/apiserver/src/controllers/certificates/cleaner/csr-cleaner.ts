// Deletes stale CertificateSigningRequests once an hour: those decided more than an hour ago, those
// pending for a day, and those with an expired certificate.
// Upstream: k8s.io/kubernetes/pkg/controller/certificates/cleaner/cleaner.go.
import { ignoreNotFound } from "../../../component-helpers/errors/ignore-not-found.ts";
import { X509Certificate } from "node:crypto";
import { conditionsOf } from "../../../component-helpers/certificates/certificate-requests.ts";
import { CertificateSigningRequest } from "homeostat/k8s/certificates/v1";
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type { Start } from "../../../component-helpers/controller/controller.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Starts `csrcleaner`. */
export const start: Start = async (context) => {
  const { client, runtime } = context;
  const controller = new KeyedController(context, "the csrcleaner controller");
  const requests = controller.acquire(CertificateSigningRequest);
  controller.add("all");
  return controller.start(async () => {
    for (const request of requests.list().filter((each) => isStale(each, runtime.clock.now()))) {
      await client.delete(CertificateSigningRequest, request.metadata.name).catch(ignoreNotFound);
    }
    return hourMs;
  });
};

/** Whether a request is stale. */
export function isStale(request: CertificateSigningRequest, now: number): boolean {
  const certificate = request.status.certificate;
  const conditions = conditionsOf(request);
  const isOlder = (time: string | null | undefined, ms: number): boolean =>
    Boolean(time) && now - Date.parse(time ?? "") > ms;
  if (conditions.length === 0) return isOlder(request.metadata.creationTimestamp, dayMs);
  return conditions.some(({ type, lastUpdateTime }) => {
    if (type === "Denied" || type === "Failed") return isOlder(lastUpdateTime, hourMs);
    return (
      type === "Approved" &&
      (isOlder(lastUpdateTime, certificate ? hourMs : dayMs) ||
        (certificate !== undefined && hasExpired(certificate, now)))
    );
  });
}

function hasExpired(certificate: string, now: number): boolean {
  try {
    return now > new X509Certificate(Buffer.from(certificate, "base64")).validToDate.getTime();
  } catch {
    // An unreadable certificate does not expire.
    return false;
  }
}
