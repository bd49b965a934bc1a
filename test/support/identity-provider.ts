import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK } from "jose";
import Provider from "oidc-provider";

/** User whose claims the provider puts into a token. */
export interface TokenHolder {
  readonly user: string;
  readonly tenant: string;
  readonly roles: readonly string[];
}

/** Key pair for signing tokens. */
export interface SigningKey {
  readonly jwk: JWK;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/** OpenID Connect provider (`oidc-provider`) on localhost. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** Settings for an instance that trusts this provider. */
  readonly env: Record<string, string>;
  /** Requests a token from the provider. */
  token(holder: TokenHolder): Promise<string>;
  /** Replaces the signing keys and publishes the new ones. */
  rotate(keys: readonly SigningKey[]): void;
  /** Drops all connections, as in an outage, until `resume`. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

const audience = "https://switchboard.test/api";

/** Generates an RS256 key pair. */
export async function newSigningKey(kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  return { jwk: { ...(await exportJWK(privateKey)), kid, alg: "RS256", use: "sig" }, privateKey, publicKey };
}

function createProvider(keys: readonly SigningKey[]): Provider {
  const provider = new Provider(issuer, {
    jwks: { keys: keys.map(({ jwk }) => jwk) },
    clients: [
      {
        client_id: "tests",
        client_secret: "tests",
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: () => ({
          scope: "api",
          accessTokenFormat: "jwt",
          accessTokenTTL: 600,
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
    async extraTokenClaims({ req }) {
      const { user, tenant, roles } = JSON.parse(String(req.headers["x-token-holder"])) as TokenHolder;
      return { tenant_id: tenant, uid: user, roles: [...roles], email: `${user}@example.com`, name: "Test Person" };
    },
    ttl: { ClientCredentials: 600 },
  });
  provider.on("server_error", (_, error) => console.error(error));
  return provider;
}

/** Issuer of all providers, so that their instances share one cloud assembly, of which it is a part. */
const issuer = "http://identity.test";

/** Starts an identity provider on a free port. */
export async function startIdentityProvider(keys: readonly SigningKey[]): Promise<IdentityProvider> {
  let handleRequest: (...parameters: Parameters<ReturnType<Provider["callback"]>>) => unknown;
  let paused = false;
  const server: Server = createServer((request, response) => {
    if (paused) request.socket.destroy();
    else handleRequest(request, response);
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rotate = (next: readonly SigningKey[]) => {
    handleRequest = createProvider(next).callback();
  };
  rotate(keys);
  return {
    issuer,
    audience,
    jwksUrl: `${address}/jwks`,
    env: {
      AUTH_PROVIDER: "jwt",
      JWT_ISSUER: issuer,
      JWT_AUDIENCE: audience,
      JWT_JWKS_URL: `${address}/jwks`,
      JWT_USER_CLAIM: "uid",
    },
    async token(holder) {
      const response = await fetch(`${address}/token`, {
        method: "POST",
        headers: {
          authorization: `Basic ${Buffer.from("tests:tests").toString("base64")}`,
          "x-token-holder": JSON.stringify(holder),
        },
        body: new URLSearchParams({ grant_type: "client_credentials", scope: "api" }),
      });
      const { access_token } = (await response.json()) as { access_token?: string };
      if (!access_token) throw new Error(`Token request failed: ${response.status}`);
      return access_token;
    },
    rotate,
    pause: () => {
      paused = true;
    },
    resume: () => {
      paused = false;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
