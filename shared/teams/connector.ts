import * as v from "valibot";
import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { findServerRefusal } from "../lib/outgoing/find-server-refusal.ts";
import { type GuardedRequest, OutgoingError, readBounded, requestGuarded } from "../lib/outgoing/guarded-request.ts";
import { parseJson } from "../lib/parse-json.ts";
import { retryLimited } from "../messengers/retry-limited.ts";

const TIMEOUT_MS = 10_000;
const DOWNLOAD_TIMEOUT_MS = 60_000;
const MAX_RESPONSE_BYTES = 262_144;

/** Minimum remaining validity of a cached token. Microsoft issues tokens for an hour or more. */
const RENEW_BEFORE_MS = 300_000;

/** Thrown if a call of Microsoft's services fails. */
export class TeamsError extends Error {
  override name = "TeamsError";
  /** Error code of Microsoft, such as `invalid_client`, or of the request, such as `status_500`. */
  readonly code: string;
  readonly status: number;

  constructor(code: string, status = 0, cause?: unknown) {
    super(`Teams: ${code}`, { cause });
    this.code = code;
    this.status = status;
  }
}

interface AppCredentials {
  readonly app_id: string;
  readonly app_tenant_id: string | null;
  readonly secret: string;
}

async function send(url: string, request: Pick<GuardedRequest, "method" | "headers" | "body">) {
  try {
    return await retryLimited(async () => {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const headers = { "user-agent": "Switchboard/1.0", ...request.headers };
      const options = { ...request, headers, findRefusal: findServerRefusal, redirects: "none", signal } as const;
      const response = await requestGuarded(url, options);
      const text = (await readBounded(response, MAX_RESPONSE_BYTES, signal)).toString();
      return { response, reply: (parseJson(text) ?? {}) as Readonly<Record<string, unknown>> };
    });
  } catch (error) {
    throw error instanceof OutgoingError ? new TeamsError(error.code, 0, error) : error;
  }
}

const Token = v.object({ access_token: v.string(), expires_in: v.number() });

/**
 * Requests an access token for the Bot Connector service with the credentials of an app (OAuth 2.0 client credentials).
 * @throws TeamsError
 */
export async function fetchToken({ app_id, app_tenant_id, secret }: AppCredentials) {
  const { TEAMS_LOGIN_URL } = env("TEAMS_LOGIN_URL");
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: app_id,
    client_secret: secret,
    scope: "https://api.botframework.com/.default",
  });
  const { response, reply } = await send(
    `${TEAMS_LOGIN_URL}/${app_tenant_id ?? "botframework.com"}/oauth2/v2.0/token`,
    {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: form.toString(),
    },
  );
  const token = v.safeParse(Token, reply);
  if (response.status === 200 && token.success) return token.output;
  throw new TeamsError(typeof reply.error === "string" ? reply.error : "no_token", response.status);
}

/** Cached tokens of this process, by credentials. */
const tokens = new Map<string, { readonly token: string; readonly expiresAt: number }>();

async function getToken(credentials: AppCredentials): Promise<string> {
  const name = JSON.stringify(credentials);
  const cached = tokens.get(name);
  if (cached && cached.expiresAt - RENEW_BEFORE_MS > now()) return cached.token;
  const { access_token, expires_in } = await fetchToken(credentials);
  tokens.set(name, { token: access_token, expiresAt: now() + expires_in * 1_000 });
  return access_token;
}

/** Returns true if a URL belongs to Teams. Only these hosts receive a token. */
export function isServiceUrl(url: string): boolean {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return parsed !== null && env("TEAMS_SERVICE_HOSTS").TEAMS_SERVICE_HOSTS.split(",").includes(parsed.host);
}

/**
 * Calls the Bot Connector service.
 * @param serviceUrl base URL that the answered activity names
 * @throws TeamsError
 * @see https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference
 */
export async function callConnector(
  credentials: AppCredentials,
  serviceUrl: string,
  method: "POST" | "PUT",
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  if (!isServiceUrl(serviceUrl)) throw new TeamsError("service_url_not_allowed");
  const { response, reply } = await send(`${serviceUrl.replace(/\/$/, "")}/v3/conversations${path}`, {
    method,
    headers: { authorization: `Bearer ${await getToken(credentials)}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.status < 300) return reply;
  if (response.status === 401) tokens.delete(JSON.stringify(credentials));
  const { code, message } = (reply.error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  throw new TeamsError(`${code ?? `status_${response.status}`}: ${message ?? ""}`, response.status);
}

/**
 * Downloads a file. Only hosts of Teams receive the token of the app.
 * @throws TeamsError
 */
export async function downloadFile(credentials: AppCredentials, url: string, maxBytes: number): Promise<Buffer> {
  const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
  const isOfService = isServiceUrl(url);
  const authorization: Record<string, string> = isOfService
    ? { authorization: `Bearer ${await getToken(credentials)}` }
    : {};
  try {
    const response = await requestGuarded(url, {
      headers: { "user-agent": "Switchboard/1.0", ...authorization },
      findRefusal: findServerRefusal,
      redirects: isOfService ? "same-origin" : "any-origin",
      signal,
    });
    if (response.status === 200) return await readBounded(response, maxBytes, signal);
    response.body.destroy();
    throw new TeamsError(`status_${response.status}`, response.status);
  } catch (error) {
    throw error instanceof OutgoingError ? new TeamsError(error.code, 0, error) : error;
  }
}
