import { setTimeout as sleep } from "node:timers/promises";
import { type Client, readResponse } from "../client.ts";
import { eventBody, type SlackCall, type SlackStub, signSlack, slackApp } from "../slack/slack-stub.ts";
import type { CallTwice } from "./call-twice.ts";

/** Calls each operation of Slack twice: two people of a workspace link their accounts. */
export async function callSlackOperations(client: Client, slack: SlackStub, twice: CallTwice): Promise<void> {
  const path = "/v1/slack/workspaces";
  const team = `T${client.identity.tenant.replace(/\W/g, "").toUpperCase()}`;
  const app = slack.createApp(team);
  const workspaces = await twice("createSlackWorkspace", (turn) =>
    client.post(path, { name: "Team", ...(turn === 0 && app) }),
  );
  const workspace = (turn: 0 | 1) => `${path}/${workspaces[turn].id}`;
  await twice("getSlackWorkspace", (turn) => client.get(workspace(turn)));
  await twice("listSlackWorkspaces", () => client.get(path));
  await twice("updateSlackWorkspace", (turn) => client.request("PATCH", workspace(turn), { name: "Squad" }));
  await twice("receiveSlackRequest", async (turn) => {
    const event = { type: "app_mention", user: `U${turn}`, text: "<@UBOT> Hello", ts: `180000000${turn}.000200` };
    const body = eventBody(team, { ...event, channel: "C1" }, `Ev${turn}`);
    const headers = { "content-type": "application/json", ...signSlack(app.signing_secret, body) };
    const { pathname } = new URL(workspaces[0].request_url);
    return readResponse(await fetch(client.baseUrl + pathname, { method: "POST", headers, body }));
  });
  /** Waits for the link that the app sends to a person. */
  async function tokenOf(turn: 0 | 1): Promise<string> {
    const isForPerson = ({ token, fields }: SlackCall) => token === app.bot_token && fields.user === `U${turn}`;
    for (;;) {
      const text = slack.callsOf("chat.postEphemeral").find(isForPerson)?.fields.text ?? "";
      const [, token] = /&token=([\w-]+)\|/.exec(text) ?? [];
      if (token !== undefined) return token;
      await sleep(50);
    }
  }
  const tokens = [await tokenOf(0), await tokenOf(1)];
  const links = await twice("createSlackLink", (turn) =>
    client.post("/v1/slack/links", { workspace_id: workspaces[0].id, token: tokens[turn] }),
  );
  await twice("listSlackLinks", () => client.get("/v1/slack/links"));
  await twice("deleteSlackLink", (turn) => client.delete(`/v1/slack/links/${links[turn].id}`));
  const states = await twice("createSlackInstallation", () => client.post("/v1/slack/installations", {}));
  await twice("completeSlackInstallation", (turn) => {
    const { searchParams } = new URL(states[turn].url);
    const code = slack.allow(`${team}${turn}`, searchParams.get("redirect_uri") ?? "");
    return client.put("/v1/slack/installations", { state: searchParams.get("state"), code });
  });
  await twice("receiveSlackAppRequest", async (turn) => {
    const event = { type: "app_mention", user: `U${turn}`, text: "<@UBOT> Hello", ts: `180000000${turn}.000200` };
    const body = eventBody(`${team}${turn}`, { ...event, channel: "C1" }, `Ev${turn}`);
    const headers = { "content-type": "application/json", ...signSlack(slackApp.signing_secret, body) };
    return readResponse(await fetch(`${client.baseUrl}/v1/slack/events`, { method: "POST", headers, body }));
  });
  await twice("deleteSlackWorkspace", (turn) => client.delete(workspace(turn)));
}
