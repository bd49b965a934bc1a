import { createHmac, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

/** Call of the Web API. */
export interface SlackCall {
  readonly method: string;
  readonly token: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into fields of any method
  readonly fields: any;
}

/** Answer of the stub instead of the usual one. */
export interface StubbedAnswer {
  readonly status?: number;
  readonly retryAfter?: number;
  readonly error?: string;
  /** Ends the connection without an answer. */
  readonly breaks?: boolean;
}

/** File of the stub. */
export interface StubbedFile {
  readonly name: string;
  readonly content: Buffer | string;
  readonly mimetype?: string;
  /** Other fields of the file object. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Sends people who are not signed in to another host, as Slack does; `page` shows the page at the address of the file. */
  readonly login?: "redirect" | "page";
}

/** Message as the stub shows it. */
export interface SlackMessageState {
  readonly token: string;
  readonly channel: string;
  readonly thread_ts: string;
  text: string;
  isStreaming: boolean;
  blocks: unknown;
  readonly metadata: unknown;
}

/** App of the deployment, as which codes are exchanged. */
export const slackApp = { client_id: "1.2", client_secret: "app-secret", signing_secret: "5".repeat(32) };

interface IssuedTokens {
  readonly codes: Map<string, { team: string; redirect_uri: string; expires_in?: number | undefined }>;
  /** Team and lifetime by refresh token. */
  readonly refreshTokens: Map<string, { team: string; expires_in: number }>;
}

/** Answers `oauth.v2.access`: each code and each refresh token is valid once. */
function issueTokens(
  { codes, refreshTokens }: IssuedTokens,
  teams: Map<string, string>,
  authorization: string,
  fields: Record<string, unknown>,
) {
  const basic = Buffer.from(`${slackApp.client_id}:${slackApp.client_secret}`).toString("base64");
  if (authorization !== `Basic ${basic}`) return { ok: false, error: "invalid_client_id" };
  const [code, refresh] = [String(fields.code), String(fields.refresh_token)];
  const isRefresh = fields.grant_type === "refresh_token";
  const allowed = isRefresh ? refreshTokens.get(refresh) : codes.get(code);
  if (!allowed) return { ok: false, error: isRefresh ? "invalid_refresh_token" : "invalid_code" };
  if (!isRefresh && codes.get(code)?.redirect_uri !== fields.redirect_uri)
    return { ok: false, error: "bad_redirect_uri" };
  codes.delete(code);
  refreshTokens.delete(refresh);
  const { team, expires_in } = allowed;
  const access_token = `${expires_in ? "xoxe.xoxb" : "xoxb"}-${randomBytes(12).toString("hex")}`;
  teams.set(access_token, team);
  const refresh_token = `xoxe-${randomBytes(12).toString("hex")}`;
  // Refreshed tokens last as long as those of Slack.
  if (expires_in) refreshTokens.set(refresh_token, { team, expires_in: 43_200 });
  return {
    ok: true,
    token_type: "bot",
    access_token,
    bot_user_id: "UBOT",
    app_id: "A1",
    team: { id: team, name: `Team ${team}` },
    is_enterprise_install: false,
    ...(expires_in && { refresh_token, expires_in }),
  };
}

/** Page where people sign in, on a host that gets no token. */
const loginUrl = "http://localhost:9/?redir=%2Ffiles-pri";

/** Parses a form whose objects, numbers and truth values are JSON. */
function parseForm(body: string): Record<string, unknown> {
  const parse = (text: string): unknown => {
    if (!/^(?:[[{]|true$|false$|\d+$)/.test(text)) return text;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };
  return Object.fromEntries([...new URLSearchParams(body)].map(([name, value]) => [name, parse(value)]));
}

/** Stub of Slack's Web API with the methods that the service calls, by Slack's documentation. */
export async function startSlackStub() {
  const calls: SlackCall[] = [];
  const messages = new Map<string, SlackMessageState>();
  /** Teams by bot token. */
  const teams = new Map<string, string>();
  /** Files by id, with the answer of their address. */
  const files = new Map<string, StubbedFile>();
  /** Answers to the next calls of a method. */
  const stubbed = new Map<string, StubbedAnswer[]>();
  let count = 0;

  // biome-ignore lint/suspicious/noExplicitAny: fields of any method
  const post = (token: string, fields: any, isStreaming: boolean) => {
    const ts = `17000000${String(++count).padStart(2, "0")}.000100`;
    const text = fields.markdown_text ?? fields.text ?? "";
    messages.set(ts, {
      token,
      channel: fields.channel,
      thread_ts: fields.thread_ts,
      text,
      isStreaming,
      blocks: fields.blocks,
      metadata: fields.metadata,
    });
    return { ts, channel: fields.channel };
  };
  // biome-ignore lint/suspicious/noExplicitAny: fields of any method
  const methods: Record<string, (token: string, fields: any) => Record<string, unknown> | string> = {
    "auth.test": (token) => ({ team_id: teams.get(token), team: `Team ${teams.get(token)}`, user_id: "UBOT" }),
    "users.info": (_, { user }) => ({ user: { id: user, name: "ada", real_name: `Ada ${user}` } }),
    // Slack does not show an app the private channels (`G…`) that it is not in.
    "conversations.info": (_, { channel: id }) =>
      id.startsWith("G") ? "channel_not_found" : { channel: { id, name: `channel-${id.toLowerCase()}` } },
    "files.info": (_, { file: id }) => {
      const file = files.get(id);
      if (!file) return "file_not_found";
      const url = `${origin()}/files-pri/${id}/${encodeURIComponent(file.name)}`;
      const size = Buffer.byteLength(file.content);
      return { file: { id, name: file.name, size, url_private_download: url, ...file.fields } };
    },
    "chat.postMessage": (token, fields) => post(token, fields, false),
    "conversations.history": (_, { channel }) => ({
      messages: [...messages].flatMap(([ts, message]) =>
        message.channel === channel ? { ts, metadata: message.metadata } : [],
      ),
    }),
    "chat.postEphemeral": () => ({ message_ts: "1.1" }),
    "chat.startStream": (token, fields) =>
      fields.thread_ts && fields.recipient_user_id ? post(token, fields, true) : "invalid_arguments",
    "chat.appendStream": (_, { ts, markdown_text }) => {
      const message = messages.get(ts);
      if (!message?.isStreaming) return "message_not_in_streaming_state";
      message.text += markdown_text;
      return { ts };
    },
    "chat.stopStream": (_, { ts, markdown_text = "" }) => {
      const message = messages.get(ts);
      if (!message?.isStreaming) return "message_not_in_streaming_state";
      message.text += markdown_text;
      message.isStreaming = false;
      return { ts };
    },
    "chat.update": (_, { ts, markdown_text, text, blocks }) => {
      const message = messages.get(ts);
      if (!message) return "message_not_found";
      Object.assign(message, { text: markdown_text ?? text, blocks });
      return { ts };
    },
  };
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const downloads: { readonly path: string; readonly token: string }[] = [];
  const tokens: IssuedTokens = { codes: new Map(), refreshTokens: new Map() };
  const server = createServer(async (request, response) => {
    const method = String(request.url).slice(1);
    const token = String(request.headers.authorization).replace("Bearer ", "");
    const [, id] = /^files-pri\/(\w+)\//.exec(method) ?? [];
    const file = id === undefined ? undefined : files.get(id);
    if (file) {
      downloads.push({ path: method, token });
      const isForeign = file.login !== undefined || !teams.has(token);
      if (file.login === "redirect") return void response.writeHead(302, { location: loginUrl }).end();
      const type = isForeign ? "text/html; charset=utf-8" : (file.mimetype ?? "application/octet-stream");
      response.writeHead(200, { "content-type": type });
      return void response.end(isForeign ? "<!DOCTYPE html><title>Sign in</title>" : file.content);
    }
    // As Slack: methods that read accept no JSON, and forms have objects as JSON.
    const isForm = request.headers["content-type"] === "application/x-www-form-urlencoded";
    const fields = isForm ? parseForm(await readText(request)) : {};
    calls.push({ method, token, fields });
    if (method === "oauth.v2.access") {
      const result = issueTokens(tokens, teams, String(request.headers.authorization), fields);
      response.writeHead(200, { "content-type": "application/json" });
      return void response.end(JSON.stringify(result));
    }
    const answer = stubbed.get(method)?.shift();
    if (answer?.breaks) return void request.socket.destroy();
    if (answer?.retryAfter !== undefined) response.setHeader("retry-after", String(answer.retryAfter));
    response.writeHead(answer?.status ?? 200, { "content-type": "application/json" });
    const isLimited = answer?.status !== undefined;
    const apply = () => methods[method]?.(token, fields) ?? "unknown_method";
    const result = !teams.has(token) ? "invalid_auth" : (answer?.error ?? (isLimited ? "ratelimited" : apply()));
    response.end(JSON.stringify(typeof result === "string" ? { ok: false, error: result } : { ok: true, ...result }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: origin(),
    downloads,
    /** Lets an administrator of a team allow the app, with tokens that expire after a time. @returns the code */
    allow(team: string, redirect_uri: string, expires_in?: number) {
      const code = randomBytes(8).toString("hex");
      tokens.codes.set(code, { team, redirect_uri, expires_in });
      return code;
    },
    /** Makes a token one that Slack refuses. */
    revoke: (token: string) => void teams.delete(token),
    teams,
    /** Settings of an instance that calls the stub. */
    get settings() {
      return {
        SLACK_API_URL: origin(),
        SLACK_CLIENT_ID: slackApp.client_id,
        SLACK_CLIENT_SECRET: slackApp.client_secret,
        SLACK_SIGNING_SECRET: slackApp.signing_secret,
      };
    },
    /** Uploads a file. @returns what events tell of it */
    upload(id: string, file: StubbedFile) {
      files.set(id, file);
      return { id, name: file.name, file_access: "check_file_info" };
    },
    calls,
    messages,
    /** Messages of a thread, in order. */
    inThread: (thread_ts: string) => [...messages.values()].filter((message) => message.thread_ts === thread_ts),
    callsOf: (method: string) => calls.filter((call) => call.method === method),
    answerNext: (method: string, ...answers: readonly StubbedAnswer[]) => void stubbed.set(method, [...answers]),
    /** Creates an app in a team: its token and its signing secret. */
    createApp(team: string) {
      const bot_token = `xoxb-${randomBytes(12).toString("hex")}`;
      teams.set(bot_token, team);
      return { bot_token, signing_secret: randomBytes(16).toString("hex") };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type SlackStub = Awaited<ReturnType<typeof startSlackStub>>;

/** Returns the headers with which Slack signs a body. */
export function signSlack(secret: string, body: string, atSeconds = Math.floor(Date.now() / 1_000)) {
  const digest = createHmac("sha256", secret).update(`v0:${atSeconds}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": String(atSeconds), "x-slack-signature": `v0=${digest}` };
}

/** Returns the body of an event as Slack sends it. */
export const eventBody = (team_id: string, event: Record<string, unknown>, event_id = "Ev1") =>
  JSON.stringify({
    token: "legacy",
    team_id,
    api_app_id: "A1",
    event,
    type: "event_callback",
    event_id,
    event_time: 1,
  });

/** Returns the body of a press of a button as Slack sends it. */
export function actionBody(
  team: string,
  user: string,
  message: { channel: string; ts: string; thread_ts: string },
  action: { action_id: string; value: string },
) {
  const payload = {
    type: "block_actions",
    team: { id: team, domain: "team" },
    user: { id: user, username: "ada", name: "ada", team_id: team },
    api_app_id: "A1",
    container: { type: "message", message_ts: message.ts },
    channel: { id: message.channel, name: "general" },
    message: { type: "message", ts: message.ts, thread_ts: message.thread_ts },
    response_url: "https://hooks.slack.com/actions/x",
    actions: [
      {
        type: "button",
        block_id: "b",
        ...action,
        action_ts: `${Math.floor(Date.now() / 1_000)}.${Math.floor(Math.random() * 1e6)}`,
      },
    ],
  };
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}
