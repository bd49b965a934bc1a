import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** Call of the Bot Connector service. */
export interface TeamsCall {
  readonly method: string;
  readonly path: string;
  readonly token: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into fields of any activity
  readonly body: any;
}

/** Answer of the stub instead of the usual one. */
interface StubbedAnswer {
  readonly status: number;
  readonly retryAfter?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Message as the stub shows it. */
interface TeamsMessageState {
  readonly appId: string;
  readonly conversation: string;
  text: string;
  isStreaming: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into cards
  attachments: any;
}

const ISSUER = "https://api.botframework.com";

/** Reads the app from the token that the stub has issued. */
const appOf = (request: IncomingMessage) => String(request.headers.authorization).replace("Bearer token-of-", "");

/** Stub of the Bot Connector service, its OpenID metadata and Microsoft's login, by their documentation. */
export async function startTeamsStub() {
  const calls: TeamsCall[] = [];
  const messages = new Map<string, TeamsMessageState>();
  /** Client secrets by app. */
  const secrets = new Map<string, string>();
  const files = new Map<string, string>();
  const stubbed: { readonly matches: (call: TeamsCall) => boolean; readonly answer: StubbedAnswer }[] = [];
  let count = 0;
  const [endorsed, other] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
  const jwks = {
    keys: [
      { ...(await exportJWK(endorsed.publicKey)), kid: "teams", use: "sig", endorsements: ["msteams", "webchat"] },
      { ...(await exportJWK(other.publicKey)), kid: "skype", use: "sig", endorsements: ["skypeforbusiness"] },
    ],
  };

  // biome-ignore lint/suspicious/noExplicitAny: activities of any type
  const post = (appId: string, conversation: string, body: any): { status: number; reply: object } => {
    const stream = body.entities?.find(({ type }: { type: string }) => type === "streaminfo");
    const state = { appId, conversation, text: body.text, attachments: body.attachments, isStreaming: false };
    if (stream?.streamId) {
      const message = messages.get(stream.streamId);
      const refuse = (text: string) => ({
        status: 403,
        reply: { error: { code: "ContentStreamNotAllowed", message: text } },
      });
      if (!message?.isStreaming)
        return refuse("Content stream is not allowed on an already completed streamed message");
      if (stream.streamType === "streaming" && !body.text.startsWith(message.text)) {
        return refuse("Request streamed content should contain the previously streamed content");
      }
      Object.assign(message, { text: body.text, isStreaming: stream.streamType !== "final" });
      return { status: 202, reply: {} };
    }
    if (stream && (body.type !== "typing" || stream.streamSequence !== 1)) {
      return { status: 400, reply: { error: { code: "BadRequest", message: "Start streaming activities" } } };
    }
    const id = String(1_700_000_000_000 + ++count);
    messages.set(id, { ...state, isStreaming: Boolean(stream) });
    return { status: 201, reply: { id } };
  };

  const apply = ({ method, path, body }: TeamsCall, appId: string): { status: number; reply: object } => {
    const [, , , conversation = "", , id = ""] = path.split("/").map(decodeURIComponent);
    if (method === "PUT") {
      const message = messages.get(id);
      if (message?.conversation !== conversation) return { status: 404, reply: { error: { code: "NotFound" } } };
      Object.assign(message, { text: body.text, attachments: body.attachments });
      return { status: 200, reply: { id } };
    }
    if (conversation !== "") return post(appId, conversation, body);
    if (!body.isGroup) return { status: 201, reply: { id: `a:${body.members[0].id}` } };
    const activityId = String(1_700_000_000_000 + ++count);
    const thread = `${body.channelData.channel.id};messageid=${activityId}`;
    const { text, attachments } = body.activity;
    messages.set(activityId, { appId, conversation: thread, text, attachments, isStreaming: false });
    return { status: 201, reply: { id: thread, activityId } };
  };

  const server = createServer(async (request, response) => {
    const path = String(request.url);
    const answer = (status: number, reply: object) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(reply));
    if (path === "/openid") return answer(200, { issuer: ISSUER, jwks_uri: `${origin()}/keys` });
    if (path === "/keys") return answer(200, jwks);
    const file = files.get(path);
    if (file !== undefined) return void response.end(file);
    const text = await readText(request);
    if (path.endsWith("/oauth2/v2.0/token")) {
      const form = new URLSearchParams(text);
      const id = form.get("client_id") ?? "";
      const isValid =
        secrets.get(id) === form.get("client_secret") && form.get("scope") === "https://api.botframework.com/.default";
      if (!isValid) return answer(401, { error: "invalid_client", error_description: "AADSTS7000215" });
      return answer(200, { token_type: "Bearer", expires_in: 3_599, access_token: `token-of-${id}` });
    }
    const appId = appOf(request);
    const call = { method: String(request.method), path, token: appId, body: text === "" ? {} : JSON.parse(text) };
    calls.push(call);
    if (!secrets.has(appId)) return answer(401, { error: { code: "Unauthorized" } });
    const index = stubbed.findIndex(({ matches }) => matches(call));
    const [next] = index < 0 ? [] : stubbed.splice(index, 1);
    if (next?.answer.retryAfter !== undefined) response.setHeader("retry-after", String(next.answer.retryAfter));
    if (next) return answer(next.answer.status, { error: next.answer.error ?? { code: "Stubbed" } });
    const { status, reply } = apply(call, appId);
    answer(status, reply);
  });
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const serviceUrl = `${origin()}/`;
  return {
    serviceUrl,
    metadataUrl: `${origin()}/openid`,
    /** Private keys: one that is endorsed for Teams, and one for another channel. */
    keys: { teams: endorsed.privateKey, skype: other.privateKey },
    /** Settings of an instance that calls the stub. */
    settings: {
      TEAMS_SERVICE_HOSTS: new URL(serviceUrl).host,
      TEAMS_LOGIN_URL: origin(),
      TEAMS_OPENID_URL: `${origin()}/openid`,
    },
    calls,
    messages,
    inConversation: (conversation: string) =>
      [...messages.values()].filter((message) => message.conversation === conversation),
    /** Sets the secret of an app. */
    createApp: (id: string, secret: string) => void secrets.set(id, secret),
    /** Offers a file. @returns its address */
    upload: (name: string, content: string) => {
      files.set(`/files/${name}`, content);
      return `${origin()}/files/${name}`;
    },
    answerNext: (matches: (call: TeamsCall) => boolean, answer: StubbedAnswer) =>
      void stubbed.push({ matches, answer }),
    /** Signs a token as the Bot Connector service does, with other claims. */
    sign: (
      appId: string,
      claims: Readonly<Record<string, unknown>> = {},
      header: { alg?: string; kid?: string; key?: Parameters<SignJWT["sign"]>[0] } = {},
    ) => {
      const { alg = "RS256", kid = "teams", key = endorsed.privateKey } = header;
      const seconds = Math.floor(Date.now() / 1_000);
      const payload = { iss: ISSUER, aud: appId, nbf: seconds - 300, exp: seconds + 3_600, serviceurl: serviceUrl };
      return new SignJWT({ ...payload, ...claims }).setProtectedHeader({ alg, kid, typ: "JWT" }).sign(key);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type TeamsStub = Awaited<ReturnType<typeof startTeamsStub>>;

/** Person of Teams. */
export interface TeamsPerson {
  readonly organization: string;
  readonly id: string;
}

/** Returns an activity as Teams sends it. */
export function activityOf(
  stub: Pick<TeamsStub, "serviceUrl">,
  appId: string,
  { organization, id }: TeamsPerson,
  place: { readonly conversation: string; readonly type: "personal" | "channel" | "groupChat" },
  fields: Readonly<Record<string, unknown>>,
) {
  const [channel] = place.conversation.split(";");
  return {
    type: "message",
    timestamp: new Date().toISOString(),
    channelId: "msteams",
    serviceUrl: stub.serviceUrl,
    from: { id: `29:${id}`, name: `Ada ${id.slice(0, 4)}`, aadObjectId: id },
    conversation: {
      id: place.conversation,
      conversationType: place.type,
      tenantId: organization,
      isGroup: place.type !== "personal",
    },
    recipient: { id: `28:${appId}`, name: "Assistant" },
    channelData: {
      tenant: { id: organization },
      ...(place.type === "channel" && { channel: { id: channel }, team: { id: channel } }),
    },
    ...fields,
  };
}

/** Returns the text and entities of a message that mentions the bot. */
export const mentionOf = (appId: string, text: string) => ({
  text: `<at>Assistant</at> ${text}\n`,
  entities: [
    { type: "mention", text: "<at>Assistant</at>", mentioned: { id: `28:${appId}`, name: "Assistant" } },
    { type: "clientInfo", locale: "en-US" },
  ],
});
