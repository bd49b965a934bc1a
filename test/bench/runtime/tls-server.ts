import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";

/** Files of a certificate for localhost and its key. */
export interface Certificate {
  readonly keyFile: string;
  readonly certFile: string;
}

/** Creates a certificate with `openssl`. */
export function createCertificate(): Certificate {
  const directory = mkdtempSync(join(tmpdir(), "certificate-"));
  const [keyFile, certFile] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const options = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-keyout", keyFile, "-out", certFile];
  execFileSync("openssl", ["req", ...options, ...subject], { stdio: "ignore" });
  return { keyFile, certFile };
}

/** Starts a TLS endpoint in front of an HTTP server and returns the URL that corresponds to the given one. */
export async function startTlsServer(url: string, { keyFile, certFile }: Certificate): Promise<string> {
  const { hostname, port, pathname } = new URL(url);
  const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (socket) => {
    const target = connect({ port: Number(port), host: hostname, noDelay: true });
    socket.setNoDelay(true);
    socket.pipe(target).pipe(socket);
    socket.on("error", () => target.destroy());
    target.on("error", () => socket.destroy());
  });
  server.unref();
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return `https://localhost:${(server.address() as AddressInfo).port}${pathname === "/" ? "" : pathname}`;
}
