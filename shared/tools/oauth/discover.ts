import * as oauth from "oauth4webapi";
import { findSetting } from "../../lib/env.ts";
import { isInRanges } from "../../lib/outgoing/addresses.ts";
import { requestToolServer } from "../request-tool-server.ts";
import { ToolServerError } from "../tool-server-error.ts";
import { OAUTH_TIMEOUT_MS } from "./access-token.ts";
import type { Authorization } from "./authorization.ts";
import { oauthOptions, toSignInError } from "./guarded-fetch.ts";

/** Client that an administrator has registered, if any, and addresses of this service. */
interface ClientSettings {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly scope: string | undefined;
  readonly redirectUri: string;
  /** URL of the document with which this service describes itself as a client (client ID metadata document). */
  readonly documentUrl: string;
}

/** Discovered authorization server, and the secret of the client if it has one. */
interface Discovered {
  readonly authorization: Authorization;
  readonly clientSecret: string | null;
}

const pathOf = ({ pathname }: URL) => (pathname === "/" ? "" : pathname.replace(/\/$/, ""));

async function fetchJson(url: string): Promise<Response | null> {
  const response = await oauthOptions[oauth.customFetch](url, {
    method: "GET",
    headers: { accept: "application/json" },
  });
  return response.status === 200 ? response : null;
}

/**
 * Requests without a credential, to which a server responds with `WWW-Authenticate`. Some servers require a credential
 * only for POST and answer GET with 404 or 405.
 */
const probes = [
  { method: "GET", headers: { accept: "text/event-stream" } },
  {
    method: "POST",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  },
] as const;

/**
 * Returns the URL of the server's metadata and the scope from its `WWW-Authenticate` header (RFC 9728). Both are
 * undefined if it sends none.
 */
async function readChallenge(url: string) {
  let header = "";
  for (const probe of probes) {
    const response = await requestToolServer(url, { ...probe, signal: AbortSignal.timeout(OAUTH_TIMEOUT_MS) });
    response.body.destroy();
    header = String(response.headers["www-authenticate"] ?? "");
    if (header !== "") break;
  }
  const find = (name: string) => new RegExp(`\\b${name}="([^"]{1,2000})"`, "i").exec(header)?.[1];
  return { metadata: find("resource_metadata"), scope: find("scope") };
}

/**
 * Returns true if a resource identifier has the server's origin and a prefix of its path. Otherwise, a server could
 * obtain tokens for another one.
 */
function coversServer(resource: string, server: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const { origin, search, hash } = new URL(resource);
  const path = pathOf(new URL(resource));
  const isPrefix = pathOf(server) === path || pathOf(server).startsWith(`${path}/`);
  return origin === server.origin && search === "" && hash === "" && isPrefix;
}

async function discoverResource(url: string) {
  const server = new URL(url);
  const { metadata, scope } = await readChallenge(url);
  const wellKnown = `${server.origin}/.well-known/oauth-protected-resource`;
  const addresses = metadata ? [metadata] : [`${wellKnown}${pathOf(server)}`, wellKnown];
  for (const address of new Set(addresses)) {
    const response = await fetchJson(address);
    if (!response) continue;
    const { resource, authorization_servers, scopes_supported } = (await response.json()) as oauth.ResourceServer;
    if (typeof resource !== "string" || !coversServer(resource, server)) {
      throw new ToolServerError("The metadata of the server describes another server.");
    }
    const [issuer] = Array.isArray(authorization_servers) ? authorization_servers : [];
    if (typeof issuer !== "string" || !URL.canParse(issuer)) break;
    const supported = Array.isArray(scopes_supported) ? scopes_supported.map(String) : [];
    return { issuer: new URL(issuer), resource, scope: scope ?? (supported.length > 0 ? supported.join(" ") : null) };
  }
  throw new ToolServerError("The server names no authorization server (RFC 9728).");
}

/** Returns the metadata of an authorization server, from the address of OAuth (RFC 8414) or else of OpenID Connect. */
async function discoverIssuer(issuer: URL): Promise<oauth.AuthorizationServer> {
  let failure: unknown;
  for (const algorithm of ["oauth2", "oidc"] as const) {
    try {
      const response = await oauth.discoveryRequest(issuer, { ...oauthOptions, algorithm });
      return await oauth.processDiscoveryResponse(issuer, response);
    } catch (error) {
      failure ??= error;
    }
  }
  throw toSignInError(failure, "The metadata of the authorization server is missing or invalid.");
}

/**
 * Returns true if a host is in the ranges of `TOOL_PRIVATE_RANGES`, where http is allowed. `localhost` is always a
 * loopback address (RFC 6761).
 */
const isPrivateHost = (host: string) =>
  isInRanges(host === "localhost" ? "127.0.0.1" : host, findSetting("TOOL_PRIVATE_RANGES"));

/**
 * Returns an endpoint's URL if it uses https, or http in a private range. Users' browsers open it, so the guard of
 * outgoing requests does not check it.
 * @throws ToolServerError
 */
function requireEndpoint(name: string, value: unknown): string {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : null;
  const isSecure = url?.protocol === "https:" || (url?.protocol === "http:" && isPrivateHost(url.hostname));
  if (url && isSecure && url.hash === "" && url.username === "") return url.href;
  throw new ToolServerError(`The authorization server has no usable ${name}.`);
}

async function registerClient(server: oauth.AuthorizationServer, redirectUri: string) {
  const response = await oauth.dynamicClientRegistrationRequest(
    server,
    {
      client_name: "Switchboard",
      // Authorization servers of OpenID Connect allow http for native applications only, which a local stage is.
      application_type: redirectUri.startsWith("https:") ? "web" : "native",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    oauthOptions,
  );
  return oauth.processDynamicClientRegistrationResponse(await withSecretExpiry(response));
}

/**
 * Adds `client_secret_expires_at: 0` ("never") if it is missing. RFC 7591 requires the field, but some authorization
 * servers omit it.
 */
async function withSecretExpiry(response: Response): Promise<Response> {
  const text = await response.text();
  const { status, headers } = response;
  try {
    const json = JSON.parse(text);
    return new Response(JSON.stringify({ client_secret_expires_at: 0, ...json }), { status, headers });
  } catch {
    return new Response(text, { status, headers });
  }
}

/**
 * Returns the client to use: the one that the administrator registered, else this service's metadata document, else a
 * new registration.
 * @throws ToolServerError if none is possible
 */
async function chooseClient(server: oauth.AuthorizationServer, settings: ClientSettings) {
  const { clientId, clientSecret, documentUrl, redirectUri } = settings;
  if (clientId !== undefined) {
    const methods = server.token_endpoint_auth_methods_supported;
    const isPost = methods?.includes("client_secret_post") && !methods.includes("client_secret_basic");
    const method = isPost ? ("client_secret_post" as const) : ("client_secret_basic" as const);
    return {
      client_id: clientId,
      secret: clientSecret ?? null,
      auth_method: clientSecret ? method : ("none" as const),
    };
  }
  const acceptsDocuments = server.client_id_metadata_document_supported === true;
  if (acceptsDocuments && documentUrl.startsWith("https:")) {
    return { client_id: documentUrl, secret: null, auth_method: "none" as const };
  }
  if (!server.registration_endpoint) {
    throw new ToolServerError(
      "The authorization server registers no clients. Register one there, and enter its client_id.",
    );
  }
  const { client_id, client_secret, token_endpoint_auth_method } = await registerClient(server, redirectUri);
  const secret = typeof client_secret === "string" ? client_secret : null;
  const method = token_endpoint_auth_method === "client_secret_post" ? "client_secret_post" : "client_secret_basic";
  const isPublic = secret === null || token_endpoint_auth_method === "none";
  return { client_id, secret, auth_method: isPublic ? ("none" as const) : (method as "client_secret_basic") };
}

/**
 * Finds the authorization server of a tool server, and registers this service there if needed.
 * @throws ToolServerError
 */
export async function discoverAuthorization(url: string, settings: ClientSettings): Promise<Discovered> {
  try {
    const { issuer, resource, scope } = await discoverResource(url);
    const server = await discoverIssuer(issuer);
    if (!server.code_challenge_methods_supported?.includes("S256")) {
      throw new ToolServerError("The authorization server does not support PKCE with S256.");
    }
    const { client_id, secret, auth_method } = await chooseClient(server, settings);
    const scopes = new Set((settings.scope ?? scope ?? "").split(" ").filter((name) => name !== ""));
    if (server.scopes_supported?.includes("offline_access")) scopes.add("offline_access");
    const authorization: Authorization = {
      issuer: server.issuer,
      authorization_endpoint: requireEndpoint("authorization_endpoint", server.authorization_endpoint),
      token_endpoint: requireEndpoint("token_endpoint", server.token_endpoint),
      revocation_endpoint: server.revocation_endpoint
        ? requireEndpoint("revocation_endpoint", server.revocation_endpoint)
        : null,
      sends_issuer: server.authorization_response_iss_parameter_supported === true,
      resource,
      scope: scopes.size > 0 ? [...scopes].join(" ") : null,
      client_id,
      auth_method,
      redirect_uri: settings.redirectUri,
    };
    return { authorization, clientSecret: secret };
  } catch (error) {
    throw toSignInError(error, "The authorization server does not follow the protocol.");
  }
}
