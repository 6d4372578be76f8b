// A session with an external client: files to fetch, a program to run, and output lines to count.

/** Where a session finds things, and how it runs programs. */
export interface Surroundings {
  /** The suite's own folder for what is fetched; kept between runs, never committed. */
  readonly cache: string;
  /** Folder with this workspace's files for outside suites. */
  readonly here: string;
  /** Kubeconfig of the server under test. */
  readonly kubeconfig: string;
  /**
   * Runs to the end and gives its output; throws when it fails to start or ends with another code
   * than 0.
   */
  run(command: readonly string[], options?: RunOptions): Promise<string>;
  /**
   * The same, for programs whose exit code says how many cases failed: output, whatever the code.
   */
  session(command: readonly string[], options?: RunOptions): Promise<string>;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly limitMs?: number;
}

/** One case; `seen` is the same on every server. */
export interface CaseResult {
  readonly name: string;
  readonly ok: boolean;
  readonly seen: string;
}

/** An external client. */
export interface Suite {
  /** Its name and version, for the record. */
  readonly client: string;
  /** What the embedded server is started with, beside `--kubeconfig`. */
  readonly serverFlags?: readonly string[];
  /**
   * Runs in a network of its own, in which the addresses of fake pods lead to this machine
   * (pod-network.ts).
   */
  readonly inPodNetwork?: boolean;
  /** Fetches and builds what is missing. */
  prepare(at: Surroundings): Promise<void>;
  run(at: Surroundings): Promise<readonly CaseResult[]>;
}

/** What `kubectl config view --raw --minify` prints of a kubeconfig of the embedded server. */
export interface KubectlConfig {
  readonly clusters: readonly [
    {
      readonly cluster: { readonly server: string; readonly "certificate-authority-data"?: string };
    },
  ];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** Reads `ok NAME: seen` and `not ok NAME: why` lines; other lines are left out. */
export function readCases(output: string): readonly CaseResult[] {
  return output.split("\n").flatMap((line) => {
    const match = /^(not )?ok ([^:]+): ?(.*)$/.exec(line);
    return match ? [{ name: match[2]!, ok: match[1] === undefined, seen: match[3]! }] : [];
  });
}
