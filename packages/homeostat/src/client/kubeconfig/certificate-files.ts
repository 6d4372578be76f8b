// Certificates in files that another program renews, such as cert-manager or the kubelet. They are
// read again when a request comes after five minutes; files that cannot be read or hold no PEM
// leave the old ones in use.
// Upstream: k8s.io/client-go/transport/cert_rotation.go, ca_rotation.go.
import type { Runtime } from "../../runtime/runtime.ts";
import type { CertificateSource } from "../connection/changing-pools.ts";
import type { TlsAccess } from "./cluster-access.ts";

const periodMs = 5 * 60_000;

type Certificates = Pick<TlsAccess, "ca" | "cert" | "key">;

/** Reads the files of one access again. */
export class CertificateFiles implements CertificateSource {
  epoch = 0;
  readonly #files: NonNullable<TlsAccess["files"]>;
  readonly #runtime: Runtime;
  readonly #readFile: (path: string) => Promise<string>;
  #held: Certificates;
  #readAt: number;

  constructor(tls: TlsAccess, runtime: Runtime, read: (path: string) => Promise<string>) {
    this.#files = tls.files ?? {};
    this.#held = { ...tls };
    this.#runtime = runtime;
    this.#readFile = read;
    this.#readAt = runtime.clock.monotonic();
  }

  current(): Promise<Certificates> {
    return Promise.resolve(this.#held);
  }

  /** Reads the files if it is time; undefined if not. Other requests do not wait for it. */
  refresh(): Promise<void> | undefined {
    const now = this.#runtime.clock.monotonic();
    if (now - this.#readAt < periodMs) return undefined;
    this.#readAt = now;
    return this.#read();
  }

  async #read(): Promise<void> {
    const held = this.#held;
    const [ca, cert, key] = await Promise.all([
      this.#pem(this.#files.ca, held.ca),
      this.#pem(this.#files.cert, held.cert),
      this.#pem(this.#files.key, held.key),
    ]);
    if (ca === held.ca && cert === held.cert && key === held.key) return;
    if (cert !== undefined && !(await isPair(cert, key))) return;
    this.#held = {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    };
    this.epoch++;
  }

  async #pem(path: string | undefined, held: string | undefined): Promise<string | undefined> {
    if (path === undefined) return held;
    const text = await this.#readFile(path).catch(() => "");
    return text.includes("-----BEGIN ") ? text : held;
  }
}

/** False also while only one of the two files is new. */
async function isPair(cert: string, key = ""): Promise<boolean> {
  const { createPrivateKey, X509Certificate } = await import("node:crypto");
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
