import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Client, newIdentity, type ReceivedFrame, readFrames } from "#test/support/client.ts";
import { startUpstream, streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { startSwitchboard } from "#test/support/switchboard.ts";
import { startMcpServer } from "#test/support/tools/mcp-server.ts";

// Two starts of an instance take ten seconds.
it.runIf(process.env.SWITCHBOARD_FULL)(
  "a call of a server's tool whose function was killed is not repeated, and asked about in the next turn",
  async () => {
    const mcp = await startMcpServer();
    const upstream = await startUpstream();
    const stateDir = await mkdtemp(join(tmpdir(), "switchboard-tools-"));
    const env = { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: upstream.baseUrl, MODEL_ID: "gpt-4o" };
    const start = () => startSwitchboard({ stateDir, env });
    let service = await start();
    const identity = newIdentity();
    let client = new Client(identity, service.baseUrl);
    const calls = () => mcp.requests.filter(({ message }) => message?.method === "tools/call");
    upstream.script = (response, request) => {
      if (!request.body.tools) return streamText([""])(response, request);
      const isDone = request.body.messages.some(({ role }: { role: string }) => role === "tool");
      return (isDone ? streamText(["Done."]) : streamToolCalls(["pay__echo", "{}"]))(response, request);
    };
    try {
      const { body: server } = await client.post("/v1/tools/servers", { name: "Pay", url: mcp.url, mode: "auto" });
      const tool_servers = [{ server_id: server.id }];
      const { body: persona } = await client.post("/v1/personas", { name: "Clerk", tool_servers });
      const { body: conversation } = await client.post("/v1/conversations", { title: "Pay", persona_id: persona.id });
      const ask = () =>
        client.fetch("/v1/runtime/chat", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ conversation_id: conversation.id, content: "Pay the bill" }),
        });
      // The server receives the call, and the instance is killed before the response.
      const received = new Promise<void>((resolve) => {
        mcp.intercept = ({ message }) => {
          if (message?.method === "tools/call") resolve();
          return message?.method === "tools/call";
        };
      });
      const first = ask()
        .then((response) => response.text())
        .catch(() => "");
      await received;
      await service.stop("SIGKILL");
      await first;
      mcp.intercept = () => false;

      service = await start();
      client = new Client(identity, service.baseUrl);
      const frames: ReceivedFrame[] = [];
      for await (const frame of readFrames(await ask())) {
        frames.push(frame);
        if (frame.data.code === "approval_required") break;
      }
      expect(frames.at(-1)?.data.message).toContain("may have taken effect");
      expect(calls()).toHaveLength(1);
      const prompt = JSON.stringify(upstream.requests.findLast(({ body }) => body.tools)?.body.messages);
      expect(prompt).toContain("The outcome of these earlier tool calls is unknown");
      const { approval_id } = frames.at(-1)?.data ?? {};
      await client.post(`/v1/approvals/${approval_id}/confirm`, { decision: "approve" });
      await expect.poll(() => calls().length, { timeout: 15_000 }).toBe(2);
    } finally {
      await Promise.all([service.stop(), mcp.stop(), upstream.stop()]);
      await rm(stateDir, { recursive: true, force: true });
    }
  },
  90_000,
);
