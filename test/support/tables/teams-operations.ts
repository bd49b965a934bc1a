import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, readResponse } from "../client.ts";
import { activityOf, type TeamsStub } from "../teams/teams-stub.ts";
import type { CallTwice } from "./call-twice.ts";

/** Calls each operation of Teams twice: two people of an organization link their accounts. */
export async function callTeamsOperations(client: Client, teams: TeamsStub, twice: CallTwice): Promise<void> {
  const path = "/v1/teams/workspaces";
  const [id, secret, organization] = [randomUUID(), randomUUID(), randomUUID()];
  teams.createApp(id, secret);
  const workspaces = await twice("createTeamsWorkspace", (turn) =>
    client.post(path, { name: "Team", ...(turn === 0 && { app: { id, secret } }) }),
  );
  const workspace = (turn: 0 | 1) => `${path}/${workspaces[turn].id}`;
  await twice("getTeamsWorkspace", (turn) => client.get(workspace(turn)));
  await twice("listTeamsWorkspaces", () => client.get(path));
  await twice("updateTeamsWorkspace", (turn) => client.patch(workspace(turn), { name: "Squad" }));
  const codes = await twice("createTeamsCode", (turn) => client.post(`${workspace(turn)}/codes`, undefined));
  const people = [randomUUID(), randomUUID()] as const;
  const authorization = `Bearer ${await teams.sign(id)}`;
  const write = async (person: string, text: string) => {
    const place = { conversation: `a:29:${person}`, type: "personal" } as const;
    const activity = activityOf(teams, id, { organization, id: person }, place, { id: randomUUID(), text });
    const { pathname } = new URL(workspaces[0].messaging_endpoint);
    const headers = { "content-type": "application/json", authorization };
    const body = JSON.stringify(activity);
    return readResponse(await fetch(client.baseUrl + pathname, { method: "POST", headers, body }));
  };
  await write(people[0], `connect ${codes[0].code}`);
  await twice("receiveTeamsActivity", (turn) => write(people[turn], "Hello"));
  /** Waits for the link that the bot sends to a person. */
  async function tokenOf(turn: 0 | 1): Promise<string> {
    for (;;) {
      const sent = teams.inConversation(`a:29:${people[turn]}`).map(({ text }) => /token=([\w-]+)"/.exec(text)?.[1]);
      const token = sent.find((each) => each !== undefined);
      if (token !== undefined) return token;
      await sleep(50);
    }
  }
  const tokens = [await tokenOf(0), await tokenOf(1)] as const;
  const links = await twice("createTeamsLink", (turn) =>
    client.post("/v1/teams/links", { workspace_id: workspaces[0].id, token: tokens[turn] }),
  );
  await twice("listTeamsLinks", () => client.get("/v1/teams/links"));
  await twice("deleteTeamsLink", (turn) => client.delete(`/v1/teams/links/${links[turn].id}`));
  await twice("deleteTeamsWorkspace", (turn) => client.delete(workspace(turn)));
}
