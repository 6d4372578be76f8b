// Why a certificate was not accepted although an authority of its issuer's name is trusted, as Go
// adds it to its error. Connects once more to see the certificate, as Node does not show one that
// it has refused.
// Go: crypto/x509/verify.go (UnknownAuthorityError), x509.go (CheckSignatureFrom).
import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { connect } from "node:tls";
import type { Clock } from "homeostat/runtime";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import type { Dialled } from "./go-net-error.ts";

const waitMs = 2000;

/**
 * The rest of `x509: certificate signed by unknown authority`, e.g. ` (possibly because of "x509:
 * ECDSA verification failure" while trying to verify candidate authority certificate "ca")`; empty
 * if no trusted authority (PEM) has the issuer's name.
 */
export async function authorityHint(dialled: Dialled, ca: string, clock: Clock): Promise<string> {
  const leaf = await certificateOf(dialled, clock);
  if (!leaf) return "";
  const candidate = authoritiesIn(ca).find(({ subject }) => subject === leaf.issuer);
  if (!candidate) return "";
  const why = quoteGo(faultOf(leaf, candidate));
  const name = quoteGo(nameOf(candidate));
  return ` (possibly because of ${why} while trying to verify candidate authority certificate ${name})`;
}

const pem = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

function authoritiesIn(ca: string): readonly X509Certificate[] {
  return (ca.match(pem) ?? []).flatMap((text) => {
    try {
      return [new X509Certificate(text)];
    } catch {
      return [];
    }
  });
}

function faultOf(leaf: X509Certificate, candidate: X509Certificate): string {
  if (!candidate.ca)
    return "x509: invalid signature: parent certificate cannot sign this kind of certificate";
  const { asymmetricKeyType } = candidate.publicKey;
  if (leaf.verify(candidate.publicKey)) return "x509: certificate has expired or is not yet valid";
  if (asymmetricKeyType === "ec") return "x509: ECDSA verification failure";
  return asymmetricKeyType === "ed25519"
    ? "x509: Ed25519 verification failure"
    : "crypto/rsa: verification error";
}

/** The common name, else the organization, else the serial number. */
function nameOf({ subject, serialNumber }: X509Certificate): string {
  const part = (name: string): string | undefined =>
    subject
      .split("\n")
      .find((line) => line.startsWith(`${name}=`))
      ?.slice(name.length + 1);
  return part("CN") ?? part("O") ?? `serial:${BigInt(`0x${serialNumber}`)}`;
}

async function certificateOf(
  { target, host }: Dialled,
  clock: Clock,
): Promise<X509Certificate | undefined> {
  return await new Promise((done) => {
    const socket = connect({
      ...target,
      servername: isIP(host) ? "" : host,
      rejectUnauthorized: false,
    });
    const timer = clock.timer(waitMs, () => end(undefined));
    const end = (certificate: X509Certificate | undefined): void => {
      timer.cancel();
      socket.destroy();
      done(certificate);
    };
    socket.on("secureConnect", () => end(socket.getPeerX509Certificate()));
    socket.on("error", () => end(undefined));
  });
}
