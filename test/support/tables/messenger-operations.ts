import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Messenger } from "#shared/api/messengers/event-ref.ts";
import { type ApiResponse, type Client, readResponse } from "../client.ts";
import { eventBody, type SlackCall, type SlackStub, signSlack, slackApp } from "../slack/slack-stub.ts";
import { activityOf, type TeamsStub } from "../teams/teams-stub.ts";
import type { CallTwice } from "./call-twice.ts";

/** Two people of a messenger, and how they write to its app. */
interface People {
  readonly credentials: object;
  /** Sends what connects an organization. */
  connect?(workspace: string, requestUrl: string): Promise<void>;
  /** Sends a message of a person to the address of a workspace. */
  write(turn: 0 | 1, requestUrl: string): Promise<ApiResponse>;
  /** Returns the token in the link that the app has sent to a person, if it has. */
  findToken(turn: 0 | 1): string | undefined;
}

async function sendTo(url: string, headers: Record<string, string>, body: string): Promise<ApiResponse> {
  const json = { "content-type": "application/json" };
  return readResponse(await fetch(url, { method: "POST", headers: { ...json, ...headers }, body }));
}

const toTeam = ({ identity }: Client) => `T${identity.tenant.replace(/\W/g, "").toUpperCase()}`;

/** Returns the signed mention of the app by a person of a team. */
function createMention(team: string, turn: 0 | 1, secret: string) {
  const event = { type: "app_mention", user: `U${turn}`, text: "<@UBOT> Hello", ts: `180000000${turn}.000200` };
  const body = eventBody(team, { ...event, channel: "C1" }, `Ev${turn}`);
  return [signSlack(secret, body), body] as const;
}

function createSlackPeople(client: Client, slack: SlackStub): People {
  const team = toTeam(client);
  const app = slack.createApp(team);
  return {
    credentials: app,
    write: (turn, url) => sendTo(url, ...createMention(team, turn, app.signing_secret)),
    findToken(turn) {
      const isForPerson = ({ token, fields }: SlackCall) => token === app.bot_token && fields.user === `U${turn}`;
      const text = slack.callsOf("chat.postEphemeral").find(isForPerson)?.fields.text ?? "";
      return /&token=([\w-]+)\|/.exec(text)?.[1];
    },
  };
}

async function createTeamsPeople(client: Client, teams: TeamsStub, twice: CallTwice): Promise<People> {
  const [id, secret, organization] = [randomUUID(), randomUUID(), randomUUID()];
  teams.createApp(id, secret);
  const people = [randomUUID(), randomUUID()] as const;
  const authorization = `Bearer ${await teams.sign(id)}`;
  const say = (person: string, text: string, url: string) => {
    const place = { conversation: `a:29:${person}`, type: "personal" } as const;
    const activity = activityOf(teams, id, { organization, id: person }, place, { id: randomUUID(), text });
    return sendTo(url, { authorization }, JSON.stringify(activity));
  };
  return {
    credentials: { app: { id, secret } },
    async connect(workspace, url) {
      const codes = await twice("createMessengerCode", () => client.post(`${workspace}/codes`, undefined));
      await say(people[0], `connect ${codes[1].code}`, url);
    },
    write: (turn, url) => say(people[turn], "Hello", url),
    findToken: (turn) =>
      teams
        .inConversation(`a:29:${people[turn]}`)
        .map(({ text }) => /token=([\w-]+)"/.exec(text)?.[1])
        .find((token) => token !== undefined),
  };
}

/** Calls each operation on the workspaces of a messenger twice: two people link their accounts. */
async function callWorkspaceOperations(
  client: Client,
  messenger: Messenger,
  { credentials, connect, write, findToken }: People,
  twice: CallTwice,
): Promise<void> {
  const path = `/v1/messengers/${messenger}`;
  const workspaces = await twice("createMessengerWorkspace", (turn) =>
    client.post(`${path}/workspaces`, { name: "Team", ...(turn === 0 && credentials) }),
  );
  const workspace = (turn: 0 | 1) => `${path}/workspaces/${workspaces[turn].id}`;
  await twice("getMessengerWorkspace", (turn) => client.get(workspace(turn)));
  await twice("listMessengerWorkspaces", () => client.get(`${path}/workspaces`));
  await twice("updateMessengerWorkspace", (turn) => client.patch(workspace(turn), { name: "Squad" }));
  const url = client.baseUrl + new URL(workspaces[0].request_url).pathname;
  await connect?.(workspace(0), url);
  const receive = { slack: "receiveSlackRequest", teams: "receiveTeamsActivity" }[messenger];
  await twice(receive, (turn) => write(turn, url));
  async function waitForToken(turn: 0 | 1): Promise<string> {
    for (;;) {
      const token = findToken(turn);
      if (token !== undefined) return token;
      await sleep(50);
    }
  }
  const tokens = [await waitForToken(0), await waitForToken(1)] as const;
  const links = await twice("createMessengerLink", (turn) =>
    client.post(`${path}/links`, { workspace_id: workspaces[0].id, token: tokens[turn] }),
  );
  await twice("listMessengerLinks", () => client.get(`${path}/links`));
  await twice("deleteMessengerLink", (turn) => client.delete(`${path}/links/${links[turn].id}`));
  await twice("deleteMessengerWorkspace", (turn) => client.delete(workspace(turn)));
}

/** Calls each operation of the deployment's Slack app twice, for two teams. */
async function callInstallationOperations(client: Client, slack: SlackStub, twice: CallTwice): Promise<void> {
  const path = "/v1/messengers/slack/installations";
  const states = await twice("createMessengerInstallation", () => client.post(path, {}));
  await twice("completeMessengerInstallation", (turn) => {
    const { searchParams } = new URL(states[turn].url);
    const code = slack.allow(`${toTeam(client)}${turn}`, searchParams.get("redirect_uri") ?? "");
    return client.put(path, { state: searchParams.get("state"), code });
  });
  await twice("receiveSlackAppRequest", (turn) =>
    sendTo(
      `${client.baseUrl}/v1/slack/events`,
      ...createMention(`${toTeam(client)}${turn}`, turn, slackApp.signing_secret),
    ),
  );
}

/** Calls each operation of messengers twice in each messenger that has it, first in Slack. */
export async function callMessengerOperations(
  client: Client,
  { slack, teams }: { readonly slack: SlackStub; readonly teams: TeamsStub },
  twice: CallTwice,
): Promise<void> {
  await callWorkspaceOperations(client, "slack", createSlackPeople(client, slack), twice);
  await callInstallationOperations(client, slack, twice);
  await callWorkspaceOperations(client, "teams", await createTeamsPeople(client, teams, twice), twice);
}
