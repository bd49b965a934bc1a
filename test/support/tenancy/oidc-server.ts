import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from "jose";

/** Identity provider on localhost that serves its metadata and keys. */
export interface OidcServer {
  readonly issuer: string;
  readonly privateKey: CryptoKey;
  /** Keys of the set. */
  readonly keys: JWK[];
  /** Number of requests for the key set. */
  readonly keyRequests: () => number;
  sign(claims: Record<string, unknown>, header?: Partial<JWTHeaderParameters>): Promise<string>;
  stop(): void;
}

/** @param claimedIssuer issuer that the metadata names; the server itself by default */
export async function startOidcServer(kid: string, claimedIssuer?: string): Promise<OidcServer> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const keys: JWK[] = [{ ...(await exportJWK(publicKey)), kid, alg: "ES256" }];
  let keyRequests = 0;
  const server: Server = createServer((request, response) => {
    if (request.url?.startsWith("/keys")) keyRequests += 1;
    const metadata = { issuer: claimedIssuer ?? issuer, jwks_uri: `${issuer}/keys` };
    response.end(JSON.stringify(request.url === "/keys" ? { keys } : metadata));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  server.unref();
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    privateKey,
    keys,
    keyRequests: () => keyRequests,
    sign: (claims, header = {}) =>
      new SignJWT({ iss: issuer, exp: Math.floor(Date.now() / 1_000) + 600, ...claims })
        .setProtectedHeader({ alg: "ES256", typ: "JWT", kid, ...header })
        .sign(privateKey),
    stop: () => server.close(),
  };
}
