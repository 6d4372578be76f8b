// Certificates in files. kubelet swaps the files of a mounted Secret at once, by a symbolic link; a
// certificate that does not fit its key is one that is being swapped, and is left for the next
// look.
// Upstream: sigs.k8s.io/controller-runtime/pkg/certwatcher/certwatcher.go.
import { type FSWatcher, readFileSync, watch } from "node:fs";
import { dirname } from "node:path";
import type { KeyPair } from "../../certificates/authority.ts";
import { describeError } from "../../util/describe-error.ts";
import type { Log } from "../../util/guard-log.ts";
import type { FileCertificates as FileOptions } from "../webhooks-options.ts";
import { isKeyPair, splitBundle } from "./certificate-facts.ts";
import type { CertificateSource } from "./certificate-source.ts";

/** As controller-runtime; changes of the folder are heard at once where the system tells them. */
const pollMs = 10_000;

interface FileSourceOptions {
  readonly options: FileOptions;
  readonly log: Log;
  readonly changed: () => void;
}

/** Reads files again whenever they change. */
export class FileCertificates implements CertificateSource {
  readonly #given: FileSourceOptions;
  #pair: KeyPair | undefined;
  #bundle: string | undefined;
  #watchers: FSWatcher[] | undefined;
  #said = "";

  constructor(given: FileSourceOptions) {
    this.#given = given;
  }

  async pass(): Promise<number> {
    const { options, log } = this.#given;
    this.#watchers ??= this.#watch();
    try {
      const pair = read(options);
      if (!isKeyPair(pair)) throw new Error(`${options.key} is not the key of ${options.cert}`);
      const bundle = options.ca === undefined ? undefined : readFileSync(options.ca, "utf8");
      if (bundle !== undefined && splitBundle(bundle).length === 0)
        throw new Error(`${options.ca} has no certificate`);
      const isNew = pair.cert !== this.#pair?.cert;
      [this.#pair, this.#bundle, this.#said] = [pair, bundle, ""];
      if (isNew) log.info("certificates of webhooks: read from files", { cert: options.cert });
    } catch (error) {
      const message = `certificates of webhooks: ${describeError(error)}`;
      if (message !== this.#said) log.warn(message);
      this.#said = message;
    }
    return pollMs;
  }

  #watch(): FSWatcher[] {
    const { options, changed } = this.#given;
    const folders = new Set([options.cert, options.key, options.ca ?? options.cert].map(dirname));
    return [...folders].flatMap((folder) => {
      try {
        const watcher = watch(folder, { persistent: false }, changed);
        watcher.on("error", () => watcher.close());
        return [watcher];
      } catch {
        return [];
      }
    });
  }

  pair(): KeyPair | undefined {
    return this.#pair;
  }

  bundle(): string | undefined {
    return this.#bundle;
  }

  stop(): void {
    for (const watcher of this.#watchers ?? []) watcher.close();
  }
}

const read = ({ cert, key }: FileOptions): KeyPair => ({
  cert: readFileSync(cert, "utf8"),
  key: readFileSync(key, "utf8"),
});
