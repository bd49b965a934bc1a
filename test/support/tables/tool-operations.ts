import type { Client } from "../client.ts";
import { startAuthorizationServer } from "../tools/authorization-server.ts";
import { startMcpServer } from "../tools/mcp-server.ts";
import { startProtectedServer } from "../tools/protected-server.ts";
import type { CallTwice } from "./call-twice.ts";

const path = "/v1/tools/servers";

/** Calls each operation of tools and of the MCP server twice. */
export async function callToolOperations(client: Client, twice: CallTwice): Promise<void> {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_notes" } };
  await twice("callMcp", () => client.post("/mcp", call));
  const mcp = await startMcpServer();
  await twice("listToolConsents", () => client.get("/v1/tools/consents"));
  await twice("deleteToolConsents", () => client.delete("/v1/tools/consents"));
  const servers = await twice("createToolServer", () => client.post(path, { name: "Echo", url: mcp.url }));
  const server = (turn: 0 | 1) => `${path}/${servers[turn].id}`;
  await twice("getToolServer", (turn) => client.get(server(turn)));
  await twice("listToolServers", () => client.get(path));
  await twice("updateToolServer", (turn) =>
    client.request("PATCH", server(turn), { mode: "auto" }, { "if-match": "*" }),
  );
  await twice("checkToolServer", (turn) => client.post(`${server(turn)}/check`, undefined));
  await twice("callToolServer", (turn) => client.post(`${server(turn)}/call`, { tool: "echo" }));
  await twice("deleteToolServer", (turn) => client.delete(server(turn)));
  await mcp.stop();
  await twice("getMcpMetadata", () => client.get("/.well-known/oauth-protected-resource/mcp"));
  await twice("getResourceMetadata", () => client.get("/.well-known/oauth-protected-resource"));
  await twice("getToolClient", () => client.get("/v1/tools/oauth-client"));
  await callSignInOperations(client, twice);
}

/** Signs a user in to two servers. */
async function callSignInOperations(client: Client, twice: CallTwice): Promise<void> {
  const issuer = await startAuthorizationServer();
  const mcp = await startProtectedServer(issuer);
  const add = async (name: string) =>
    (await client.post(path, { name, url: mcp.url, auth: { type: "oauth_user" } })).body.id;
  const ids = [await add("Mail"), await add("Post")] as const;
  const started = await twice("startToolSignIn", (turn) => client.post(`${path}/${ids[turn]}/sign-in`, {}));
  const answers = [await issuer.signIn(started[0].url, "ada"), await issuer.signIn(started[1].url, "ada")] as const;
  await twice("completeToolSignIn", (turn) => client.post("/v1/tools/sign-ins", answers[turn]));
  await twice("listToolSignIns", () => client.get("/v1/tools/sign-ins"));
  await twice("deleteToolSignIn", (turn) => client.delete(`${path}/${ids[turn]}/sign-in`));
  await Promise.all([issuer.stop(), mcp.stop()]);
}
