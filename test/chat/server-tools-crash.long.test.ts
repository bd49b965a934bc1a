import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { Client, newIdentity, type ReceivedFrame, readFrames } from "#test/support/client.ts";
import { startUpstream, streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { isFullRun, sized } from "#test/support/run-size.ts";
import { seededRandom } from "#test/support/seeded-random.ts";
import { startSwitchboard } from "#test/support/switchboard.ts";
import { startMcpServer } from "#test/support/tools/mcp-server.ts";

// Two starts of an instance take ten seconds.
it.runIf(isFullRun)(
  "tool call on a server is not repeated after the function that made it was killed, and the next turn asks before another call",
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
      await expect.poll(() => calls().length).toBe(2);
    } finally {
      await Promise.all([service.stop(), mcp.stop(), upstream.stop()]);
      await rm(stateDir, { recursive: true, force: true });
    }
  },
  90_000,
);

/** Number of random points of a run at which the instance is killed. */
const KILLS = sized({ usual: 0, full: 12, soak: 50 });

it.runIf(isFullRun)(
  "calls of a server's tool are executed at most once when the instance is killed at random points",
  async () => {
    const mcp = await startMcpServer();
    const upstream = await startUpstream();
    const stateDir = await mkdtemp(join(tmpdir(), "switchboard-tools-"));
    const env = { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: upstream.baseUrl, MODEL_ID: "gpt-4o" };
    const start = () => startSwitchboard({ stateDir, env });
    const identity = newIdentity();
    const random = seededRandom(7);
    // Two rounds, each with two calls at the same time, whose arguments name the question.
    upstream.script = (response, { body: { messages, tools } }) => {
      if (!tools) return streamText([""])(response, { body: {} } as never);
      const question = messages.findLast(({ role }: { role: string }) => role === "user").content;
      const rounds = messages.filter(({ role }: { role: string }) => role === "tool").length / 2;
      const calls = [1, 2].map((n) => ["pay__echo", JSON.stringify({ text: `${question} ${rounds} ${n}` })] as const);
      return (rounds < 2 ? streamToolCalls(...calls) : streamText(["Done."]))(response, { body: {} } as never);
    };
    let service = await start();
    try {
      const client = () => new Client(identity, service.baseUrl);
      const server = { name: "Pay", url: mcp.url, mode: "auto", trusted_tools: ["echo"] };
      const { body: added } = await client().post("/v1/tools/servers", server);
      const tool_servers = [{ server_id: added.id }];
      const { body: persona } = await client().post("/v1/personas", { name: "Clerk", tool_servers });
      const ask = async (content: string) => {
        const { body } = await client().post("/v1/conversations", { title: content, persona_id: persona.id });
        return client().chat({ conversation_id: body.id, content, tier: "RESEARCH" });
      };
      // Every later run is the first one of its instance, too.
      await service.stop();
      service = await start();
      const countRequests = () => upstream.requests.length + mcp.requests.length;
      const requestsBefore = countRequests();
      await ask("whole");
      const requestsOfRun = countRequests() - requestsBefore;
      for (let kill = 0; kill < KILLS; kill++) {
        let isAnswered = false;
        const killsAt = countRequests() + Math.floor(random() * requestsOfRun);
        const asked = ask(`kill${kill}`)
          .catch(() => null)
          .then(() => {
            isAnswered = true;
          });
        while (countRequests() < killsAt && !isAnswered) await sleep(1);
        await sleep(random() * 20);
        await service.stop("SIGKILL");
        await asked;
        service = await start();
      }
      // Time in which a watchdog or a queue would repeat a run.
      await sleep(25_000);
      const counts = Map.groupBy(
        mcp.requests.filter(({ message }) => message?.method === "tools/call"),
        ({ message }) => message.params.arguments.text,
      );
      const kinds = [...counts.values()].map(({ length }) => length);
      console.log(`${KILLS} kills within ${requestsOfRun} requests of a run: ${kinds.length} calls, each once`);
      expect(kinds.filter((count) => count !== 1)).toEqual([]);
      expect(kinds.length).toBeGreaterThan(KILLS / 2);
    } finally {
      await Promise.all([service.stop(), mcp.stop(), upstream.stop()]);
      await rm(stateDir, { recursive: true, force: true });
    }
  },
  540_000,
);
