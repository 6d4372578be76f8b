// The certificate of a server whose certificate was refused: Node names one fault of it, Go often
// another. Nothing is sent to such a server.
import type { X509Certificate } from "node:crypto";
import { connect } from "node:tls";

/** The certificate that the server shows; undefined if it shows none. */
export async function peerCertificate(
  target: { readonly host: string; readonly port: number },
  servername: string,
): Promise<X509Certificate | undefined> {
  return await new Promise((done) => {
    const socket = connect({ ...target, servername, rejectUnauthorized: false }, () => {
      done(socket.getPeerX509Certificate());
      socket.destroy();
    });
    socket.on("error", () => done(undefined));
    socket.setTimeout(patienceMs, () => {
      done(undefined);
      socket.destroy();
    });
  });
}

const patienceMs = 1000;
