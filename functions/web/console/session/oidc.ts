export interface OidcSettings {
  readonly issuer: string;
  readonly client_id: string;
  readonly scope: string;
  readonly audience: string;
}

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly idToken: string | null;
  /** Epoch time in ms. */
  readonly expiresAt: number;
}

interface PendingSignIn {
  readonly verifier: string;
  readonly state: string;
  readonly returnTo: string;
}

// Session storage keeps tokens within the tab and survives a reload.
const tokensKey = "switchboard.tokens";
const pendingKey = "switchboard.sign-in";

/** Time before the expiry at which a token is renewed, in ms. */
const RENEWAL_MARGIN_MS = 60_000;

function read<Value>(key: string): Value | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** Loads the library and the provider's metadata, which only deployments with an identity provider need. */
async function connect({ issuer, client_id }: OidcSettings) {
  const oauth = await import("oauth4webapi");
  const issuerUrl = new URL(issuer);
  // Providers on localhost have no TLS.
  const options = { [oauth.allowInsecureRequests]: /^(127\.0\.0\.1|localhost)$/.test(issuerUrl.hostname) };
  const discovery = await oauth.discoveryRequest(issuerUrl, options);
  const server = await oauth.processDiscoveryResponse(issuerUrl, discovery);
  return { oauth, server, options, client: { client_id }, authentication: oauth.None() };
}

function store({ access_token, refresh_token, id_token, expires_in }: TokenResponse, previous: Tokens | null): Tokens {
  const tokens = {
    accessToken: access_token,
    refreshToken: refresh_token ?? previous?.refreshToken ?? null,
    idToken: id_token ?? previous?.idToken ?? null,
    expiresAt: Date.now() + (expires_in ?? 3_600) * 1_000,
  };
  sessionStorage.setItem(tokensKey, JSON.stringify(tokens));
  return tokens;
}

interface TokenResponse {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly expires_in?: number;
}

/** Sends the browser to the identity provider (authorization code with PKCE). */
export async function beginSignIn(settings: OidcSettings, redirectUri: string): Promise<void> {
  const { oauth, server } = await connect(settings);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const pending: PendingSignIn = { verifier, state, returnTo: location.pathname + location.search };
  sessionStorage.setItem(pendingKey, JSON.stringify(pending));
  const url = new URL(server.authorization_endpoint ?? "");
  for (const [name, value] of Object.entries({
    client_id: settings.client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: settings.scope,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    // Auth0 names the API by `audience`, RFC 8707 by `resource`, and Entra ID in the scope; it refuses `resource` (AADSTS901002).
    audience: settings.audience,
    resource: new URL(settings.issuer).hostname === "login.microsoftonline.com" ? "" : settings.audience,
  })) {
    if (value) url.searchParams.set(name, value);
  }
  location.assign(url);
}

/**
 * Exchanges the code in the address for tokens and returns to the page that required sign-in.
 * @throws Error when the provider refused the sign-in
 */
export async function completeOidcSignIn(settings: OidcSettings, redirectUri: string): Promise<void> {
  const pending = read<PendingSignIn>(pendingKey);
  sessionStorage.removeItem(pendingKey);
  if (pending) {
    const { oauth, server, options, client, authentication } = await connect(settings);
    const parameters = oauth.validateAuthResponse(server, client, new URL(location.href), pending.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      redirectUri,
      pending.verifier,
      options,
    );
    store(await oauth.processAuthorizationCodeResponse(server, client, response), null);
  }
  history.replaceState(null, "", pending?.returnTo ?? "/");
}

let renewal: Promise<Tokens | null> | null = null;

async function renew(settings: OidcSettings, tokens: Tokens): Promise<Tokens | null> {
  if (!tokens.refreshToken) return null;
  try {
    const { oauth, server, options, client, authentication } = await connect(settings);
    const request = oauth.refreshTokenGrantRequest(server, client, authentication, tokens.refreshToken, options);
    return store(await oauth.processRefreshTokenResponse(server, client, await request), tokens);
  } catch {
    return null;
  }
}

/** Returns a valid access token, and renews an expiring one. Returns null if the user has to sign in. */
export async function accessToken(settings: OidcSettings): Promise<string | null> {
  const tokens = read<Tokens>(tokensKey);
  if (!tokens) return null;
  if (tokens.expiresAt - RENEWAL_MARGIN_MS > Date.now()) return tokens.accessToken;
  renewal ??= renew(settings, tokens).finally(() => {
    renewal = null;
  });
  const renewed = await renewal;
  if (renewed) return renewed.accessToken;
  return tokens.expiresAt > Date.now() ? tokens.accessToken : null;
}

/** Forgets the tokens, such as after the service refused them. */
export function forgetTokens(): void {
  sessionStorage.removeItem(tokensKey);
}

/**
 * Ends the session: revokes the tokens (RFC 7009) and sends the browser to the identity provider's sign-out page (OpenID
 * Connect RP-Initiated Logout), each if the provider offers it. The tokens are forgotten in any case.
 * @returns true if the browser leaves the page
 */
export async function endSession(settings: OidcSettings, returnUri: string): Promise<boolean> {
  const tokens = read<Tokens>(tokensKey);
  forgetTokens();
  if (!tokens) return false;
  const { oauth, server, options, client, authentication } = await connect(settings);
  if (server.revocation_endpoint) {
    const revoke = (token: string) => oauth.revocationRequest(server, client, authentication, token, options);
    await Promise.allSettled(
      [tokens.refreshToken, tokens.accessToken].flatMap((token) => (token ? revoke(token) : [])),
    );
  }
  if (!server.end_session_endpoint) return false;
  const url = new URL(server.end_session_endpoint);
  url.searchParams.set("client_id", settings.client_id);
  url.searchParams.set("post_logout_redirect_uri", returnUri);
  if (tokens.idToken) url.searchParams.set("id_token_hint", tokens.idToken);
  location.assign(url);
  return true;
}
