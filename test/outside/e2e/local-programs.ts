// Which containers of upstream's tests run as programs on this machine, and with which arguments:
// servers that the API server calls. The other containers are simulated. Pure.
// Upstream: k8s.io/kubernetes/test/e2e/apimachinery/{webhook,crd_conversion_webhook,aggregator}.go.

/** The part of a pod that the rules read. */
export interface ServingPod {
  readonly spec: {
    readonly containers: readonly ServingContainer[];
    readonly volumes?: readonly {
      readonly name: string;
      readonly secret?: { readonly secretName: string };
    }[];
  };
}

interface ServingContainer {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

/** Where the program of a container finds its files and listens. */
export interface ProgramPlace {
  /** Folder with one subfolder for each volume. */
  readonly folder: string;
  /** Port on loopback, for programs that serve. */
  readonly port: number;
}

/** A program that runs on this machine. */
export interface LocalProgram {
  readonly file: "agnhost" | "etcd" | "sample-apiserver";
  /** Port of the pod that leads to the program; absent if the program serves its pod only. */
  readonly podPort?: number;
  args(place: ProgramPlace): readonly string[];
}

const agnhostServers = new Set(["webhook", "crd-conversion-webhook"]);

/** The local programs of a pod; empty for a pod that is simulated. */
export const localProgramsOf = ({ spec }: ServingPod): readonly LocalProgram[] => {
  const programs = spec.containers.flatMap((container) => localProgramOf(container) ?? []);
  return programs.some(({ podPort }) => podPort !== undefined) ? programs : [];
};

function localProgramOf(container: ServingContainer): LocalProgram | undefined {
  const { image = "", args = [], command = [] } = container;
  const mounted = ({ folder }: ProgramPlace, values: readonly string[]): readonly string[] =>
    values.map((value) => inFolder(container, value, folder));
  if (/\/agnhost:/.test(image) && agnhostServers.has(args[0] ?? "")) {
    const isPort = (arg: string): boolean => arg.startsWith("--port=");
    return {
      file: "agnhost",
      podPort: Number(args.find(isPort)?.slice("--port=".length) ?? 443),
      args: (place) => [
        ...mounted(place, args).filter((arg) => !isPort(arg)),
        `--port=${place.port}`,
      ],
    };
  }
  if (/\/sample-apiserver:/.test(image))
    return {
      file: "sample-apiserver",
      podPort: 443,
      args: (place) => [
        ...mounted(place, args),
        "--bind-address=127.0.0.1",
        `--secure-port=${place.port}`,
      ],
    };
  if (/\/etcd:/.test(image))
    return { file: "etcd", args: (place) => mounted(place, command.slice(1)) };
  return undefined;
}

/** A value with the path of a mount replaced by that of the volume's folder. */
const inFolder = ({ volumeMounts = [] }: ServingContainer, value: string, folder: string): string =>
  volumeMounts.reduce(
    (path, { name, mountPath }) => path.replace(`=${mountPath}/`, `=${folder}/${name}/`),
    value,
  );
