import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** Authorization server (`oidc-provider`) on localhost, at which users sign in without a page. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly provider: Provider;
  /** Number of requests by path. */
  readonly counts: Map<string, number>;
  /**
   * Signs an account in, as its browser does.
   * @returns the parameters with which the account is sent back
   */
  signIn(url: string, account: string): Promise<Record<string, string>>;
  /** Returns the account of a valid access token for a resource. */
  findAccount(token: string, resource: string): Promise<string | undefined>;
  stop(): Promise<void>;
}

export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const counts = new Map<string, number>();
  let handle: ReturnType<Provider["callback"]>;
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] as string;
    counts.set(path, (counts.get(path) ?? 0) + 1);
    const account = request.headers["x-account"];
    if (!path.startsWith("/interaction/")) return void handle(request, response);
    provider.interactionFinished(request, response, { login: { accountId: String(account) }, consent: {} });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    scopes: ["openid", "offline_access", "tools"],
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, audience) => ({ scope: "tools", audience, accessTokenFormat: "opaque" }),
      },
    },
    clients: [{ client_id: "other", redirect_uris: ["https://other.example/"], token_endpoint_auth_method: "none" }],
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    async loadExistingGrant({ oidc }) {
      const { session, client, params } = oidc;
      if (!session?.accountId || !client) return undefined;
      const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId });
      grant.addOIDCScope(String(params?.scope ?? ""));
      grant.addResourceScope(String(params?.resource), "tools");
      await grant.save();
      return grant;
    },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 3_600,
      RefreshToken: 3_600,
      Session: 3_600,
      Interaction: 600,
    },
  });
  handle = provider.callback();
  return {
    issuer,
    provider,
    counts,
    async signIn(url, account) {
      const cookies = new Map<string, string>();
      let target = url;
      for (let step = 0; step < 8 && target.startsWith(issuer); step++) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const response = await fetch(target, { redirect: "manual", headers: { cookie, "x-account": account } });
        for (const line of response.headers.getSetCookie()) {
          const [pair = ""] = line.split(";");
          cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
        }
        const location = response.headers.get("location");
        if (!location) throw new Error(`Sign-in stopped at ${target}: ${response.status} ${await response.text()}`);
        target = new URL(location, target).href;
      }
      return Object.fromEntries(new URL(target).searchParams);
    },
    async findAccount(token, resource) {
      const found = await provider.AccessToken.find(token);
      return found && String(found.aud) === resource ? found.accountId : undefined;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
