import { env, findSetting } from "../lib/env.ts";
import { isInRanges, isPublicAddress } from "../lib/outgoing/addresses.ts";
import { OutgoingError, readBounded, requestGuarded } from "../lib/outgoing/guarded-request.ts";
import { loadSecret } from "../lib/secrets.ts";
import { retryLimited } from "../messengers/retry-limited.ts";

const TIMEOUT_MS = 10_000;
const DOWNLOAD_TIMEOUT_MS = 60_000;
const MAX_RESPONSE_BYTES = 262_144;

/** Thrown if a call of Slack's Web API fails. */
export class SlackError extends Error {
  override name = "SlackError";
  /** Error code of Slack, such as `channel_not_found`, or of the request, such as `status_500`. */
  readonly code: string;

  constructor(code: string, cause?: unknown) {
    super(`Slack: ${code}`, { cause });
    this.code = code;
  }
}

/** Error codes with which Slack refuses a token. */
const refusedTokens: ReadonlySet<string> = new Set([
  "account_inactive",
  "invalid_auth",
  "not_authed",
  "token_expired",
  "token_revoked",
]);

/** Returns true if a call failed because the token is no longer valid. */
export const isRefusedToken = (error: unknown): error is SlackError =>
  error instanceof SlackError && refusedTokens.has(error.code);

export type SlackReply = Readonly<Record<string, unknown>>;

const findRefusal = (address: string) =>
  isPublicAddress(address) || isInRanges(address, findSetting("TOOL_PRIVATE_RANGES")) ? null : "address_not_allowed";

const headersOf = (authorization: string) => ({ authorization, "user-agent": "Switchboard/1.0" });

const toSlackError = (error: unknown) => (error instanceof OutgoingError ? new SlackError(error.code, error) : error);

/** Encodes fields as a form, because Slack methods that read, such as `files.info`, do not accept JSON. */
function encodeForm(fields: Readonly<Record<string, unknown>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return form.toString();
}

async function send(authorization: string, method: string, body: string) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await requestGuarded(`${env("SLACK_API_URL").SLACK_API_URL}/${method}`, {
    method: "POST",
    headers: { ...headersOf(authorization), "content-type": "application/x-www-form-urlencoded" },
    body,
    findRefusal,
    redirects: "none",
    signal,
  });
  return { response, text: (await readBounded(response, MAX_RESPONSE_BYTES, signal)).toString() };
}

function parseReply(text: string): SlackReply {
  try {
    return JSON.parse(text) as SlackReply;
  } catch (error) {
    throw new SlackError("malformed_response", error);
  }
}

/**
 * Calls a method of Slack's Web API with a token.
 * @throws SlackError
 */
export const callSlack = (token: string, method: string, fields: Readonly<Record<string, unknown>>) =>
  callMethod(`Bearer ${token}`, method, fields);

/**
 * Calls a method of Slack's Web API with the client id and secret of the deployment's app, to exchange tokens.
 * @throws SlackError
 */
export async function callAsApp(method: string, fields: Readonly<Record<string, unknown>>): Promise<SlackReply> {
  const secret = await loadSecret(findSetting("SLACK_CLIENT_SECRET"));
  const credentials = Buffer.from(`${findSetting("SLACK_CLIENT_ID")}:${secret}`).toString("base64");
  return callMethod(`Basic ${credentials}`, method, fields);
}

/**
 * Calls a method of Slack's Web API. A rate-limited call (429) is repeated after the pause that Slack requests. Other
 * failed calls are not repeated, because the message may have been posted.
 * @throws SlackError
 * @see https://docs.slack.dev/apis/web-api/rate-limits
 */
async function callMethod(
  authorization: string,
  method: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<SlackReply> {
  const sent = retryLimited(() => send(authorization, method, encodeForm(fields)));
  const { response, text } = await sent.catch((error) => {
    throw toSlackError(error);
  });
  if (response.status === 429) throw new SlackError("ratelimited");
  if (response.status !== 200) throw new SlackError(`status_${response.status}`);
  const reply = parseReply(text);
  if (reply.ok !== true) throw new SlackError(String(reply.error ?? "unknown"));
  return reply;
}

/** Returns true for Slack's file servers. Only they receive the token. */
function isFileHost({ protocol, host }: URL): boolean {
  const api = new URL(env("SLACK_API_URL").SLACK_API_URL);
  return protocol === api.protocol && [api.host, `files.${api.host}`].includes(host);
}

export interface DownloadedFile {
  readonly mediaType: string;
  readonly content: Buffer;
}

/**
 * Downloads a file. Slack redirects a request whose token may not read the file to its sign-in page on another host.
 * @throws SlackError `login_required`, `too_large` or another code
 * @see https://docs.slack.dev/reference/objects/file-object
 */
export async function downloadSlackFile(token: string, url: string, maxBytes: number): Promise<DownloadedFile> {
  const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
  try {
    const response = await requestGuarded(url, {
      headers: headersOf(`Bearer ${token}`),
      findRefusal,
      redirects: "any-origin",
      authorize: async (target) => {
        if (!isFileHost(target)) throw new SlackError("login_required");
      },
      signal,
    });
    if (response.status !== 200) {
      response.body.destroy();
      throw new SlackError(`status_${response.status}`);
    }
    const mediaType = (response.headers["content-type"] ?? "").replace(/;.*/, "").trim().toLowerCase();
    return { mediaType, content: await readBounded(response, maxBytes, signal) };
  } catch (error) {
    throw toSlackError(error);
  }
}
