// The certificate of a port: self-signed, or from files that others renew. Both are replaced while
// the port is open.
// Upstream: sigs.k8s.io/controller-runtime@v0.24.1 pkg/metrics/server/server.go (createListener),
// pkg/certwatcher/certwatcher.go.
import { readFile } from "node:fs/promises";
import {
  createAuthority,
  issueServingCertificate,
  type KeyPair,
} from "../../certificates/authority.ts";
import type { Metrics } from "../../metrics/index.ts";
import type { Timer } from "../../runtime/clock.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { describeError } from "../../util/describe-error.ts";
import type { Log } from "../../util/guard-log.ts";

/** Files with a certificate (with what it is signed by) and its key, as PEM. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Files are compared this often. */
const rereadMs = 10_000;
const dayMs = 86_400_000;
const validMs = 365 * dayMs;
const renewMs = 240 * dayMs;

interface CertificateOptions {
  readonly runtime: Runtime;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A certificate that is kept up to date. */
export interface PortCertificate {
  readonly first: KeyPair;
  /** Calls `replaced` with each later one. */
  follow(replaced: (pair: KeyPair) => void): { stop(): void };
}

/** For `localhost`, as controller-runtime's: clients that check names need files. */
export function selfSignedCertificate({ runtime }: CertificateOptions): PortCertificate {
  const issue = (): KeyPair => {
    const authority = createAuthority({ runtime, commonName: "localhost-ca", validMs });
    const names = { names: ["localhost"], addresses: ["127.0.0.1", "::1"] };
    const { cert, key } = issueServingCertificate(authority, { runtime, ...names, validMs });
    return { cert: cert + authority.cert, key };
  };
  return { first: issue(), follow: (replaced) => every(runtime, renewMs, () => replaced(issue())) };
}

/** Rejects when the files cannot be read now; later they may be missing for a while. */
export async function certificateOfFiles(
  files: CertificateFiles,
  { runtime, log, metrics }: CertificateOptions,
): Promise<PortCertificate> {
  const reads = metrics.counter({
    name: "certwatcher_read_certificate_total",
    help: "Total number of certificate reads",
  });
  const failures = metrics.counter({
    name: "certwatcher_read_certificate_errors_total",
    help: "Total number of certificate read errors",
  });
  const read = async (): Promise<KeyPair> => {
    reads.with({}).inc();
    const [cert, key] = await Promise.all([
      readFile(files.certFile, "utf8"),
      readFile(files.keyFile, "utf8"),
    ]);
    return { cert, key };
  };
  let last = await read();
  failures.with({}).inc(0);
  return {
    first: last,
    follow: (replaced) =>
      every(runtime, rereadMs, async () => {
        try {
          const next = await read();
          if (next.cert === last.cert && next.key === last.key) return;
          replaced(next);
          last = next;
          log.info(`the certificate of ${files.certFile} has been renewed`);
        } catch (error) {
          failures.with({}).inc();
          log.error(`reading ${files.certFile}: ${describeError(error)}`, { error });
        }
      }),
  };
}

function every({ clock }: Runtime, ms: number, run: () => unknown): { stop(): void } {
  let timer: Timer;
  const arm = (): void => {
    timer = clock.timer(ms, () => {
      void run();
      arm();
    });
  };
  arm();
  return { stop: () => timer.cancel() };
}
