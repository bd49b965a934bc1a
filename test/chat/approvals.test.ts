import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity, type ReceivedFrame, readFrames, streamedText } from "#test/support/client.ts";
import { waitForResult } from "#test/support/governance/approvals.ts";
import { type Script, streamText, streamToolCalls, type Upstream } from "#test/support/models/upstream.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

describe("tools that need somebody's word", () => {
  let upstream: Upstream;
  let service: ScriptedService;
  let asker: Client;
  let decider: Client;

  beforeAll(async () => {
    service = await startScriptedService();
    ({ upstream } = service);
    asker = new Client(newIdentity(), service.baseUrl);
    decider = await createColleague(asker, "admin");
    const { body: policy, headers } = await decider.get("/v1/policy");
    const { version: _, updated_at: __, updated_by: ___, ...rules } = policy;
    const approvals = { ...rules.approvals, tool_execution: "always", risk_level: "high" };
    await decider.put("/v1/policy", { ...rules, approvals }, { "if-match": headers.get("etag") ?? "" });
  });

  afterAll(() => service?.stop());

  const answersOf = (...scripts: readonly Script[]) => {
    upstream.requests.length = 0;
    const waiting = [streamText(["note"]), ...scripts];
    upstream.script = (response, request) => (waiting.shift() ?? streamText(["Enough."]))(response, request);
  };

  const outcomes = (): string[] =>
    upstream.requests
      .at(-1)
      ?.body.messages.filter(({ role }: { role: string }) => role === "tool")
      .map(({ content }: { content: string }) => content) ?? [];

  const noting = (title: string) => streamToolCalls(["create_note", JSON.stringify({ title, body: "", tags: [] })]);

  /** Asks, and reads until the run waits; the connection stays open. */
  async function askUntilHeld({ content = "Note this, please", who = asker, where = "" } = {}) {
    const conversation_id = where || (await asker.createConversation());
    const response = await who.fetch("/v1/runtime/chat", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ conversation_id, content, tier: "THOUGHT_PARTNER" }),
    });
    const frames = readFrames(response);
    const seen: ReceivedFrame[] = [];
    for (let next = await frames.next(); !next.done; next = await frames.next()) {
      seen.push(next.value);
      if (next.value.data.code === "approval_required") break;
    }
    const { approval_id } = seen.at(-1)?.data ?? {};
    return { conversation_id, approval_id, message_id: seen[0]?.data.message_id, seen, frames };
  }

  const decide = (id: string, decision: object) => decider.post(`/v1/approvals/${id}/decide`, decision);
  const titles = async () => (await asker.get("/v1/notes")).body.notes.map(({ title }: { title: string }) => title);

  async function resumed(message_id: string): Promise<ReceivedFrame[]> {
    return Array.fromAsync(readFrames(await asker.fetch(`/v1/runtime/chat/${message_id}/stream`)));
  }

  it("wait for it, and go on into the same log, on the same connection", async () => {
    answersOf(noting("Approved"), streamText(["I noted ", "it."]));
    const { approval_id, message_id, conversation_id, seen, frames } = await askUntilHeld();
    expect(await titles()).not.toContain("Approved");
    const { body: approval } = await decider.get(`/v1/approvals/${approval_id}`);
    expect(approval).toMatchObject({
      type: "tool_execution",
      risk_level: "high",
      status: "pending",
      requested_by: asker.identity.user,
      action: { operation: "create_note", params: { title: "Approved" } },
    });
    const { body: waiting } = await asker.get(`/v1/conversations/${conversation_id}/messages`);
    expect(waiting.messages.at(-1)).toMatchObject({ message_id, status: "streaming" });
    expect((await decide(approval_id, { decision: "approve" })).status).toBe(200);
    seen.push(...(await Array.fromAsync(frames)));
    expect(seen.map(({ id }) => id)).toEqual(seen.map((_, index) => `${message_id}:${index + 1}`));
    expect(seen.at(-1)?.event).toBe("done");
    expect(streamedText(seen)).toBe("I noted it.");
    expect(await titles()).toContain("Approved");
    expect(await resumed(message_id)).toEqual(seen);
    const { body } = await asker.get(`/v1/conversations/${conversation_id}/messages`);
    expect(body.messages.at(-1)).toMatchObject({ message_id, status: "complete" });
    const { body: after } = await asker.get(`/v1/approvals/${approval_id}`);
    expect(after.result).toEqual({ status: "done" });
  });

  it("are done as the decider edited them, or not at all where it was denied or is not wanted any more", async () => {
    answersOf(noting("Raw"), streamText(["Done."]));
    const edited = await askUntilHeld();
    await decide(edited.approval_id, { decision: "edit", params: { title: "Refined" } });
    expect((await resumed(edited.message_id)).at(-1)?.event).toBe("done");
    expect(await titles()).toContain("Refined");
    expect(await titles()).not.toContain("Raw");

    answersOf(noting("Denied"), streamText(["I may not."]));
    const denied = await askUntilHeld();
    await decide(denied.approval_id, { decision: "deny", note: "Not in writing" });
    expect(streamedText(await resumed(denied.message_id))).toBe("I may not.");
    expect(outcomes().join()).toMatch(/did not allow.*Not in writing/);

    answersOf(noting("Cancelled"), streamText(["Never mind."]));
    const cancelled = await askUntilHeld();
    await asker.post(`/v1/approvals/${cancelled.approval_id}/cancel`, {});
    expect(streamedText(await resumed(cancelled.message_id))).toBe("Never mind.");
    expect((await titles()).filter((title: string) => /Denied|Cancelled/.test(title))).toEqual([]);
  });

  it("are asked for one by one", async () => {
    answersOf(
      streamToolCalls(["create_note", '{"title":"One"}'], ["create_note", '{"title":"Two"}']),
      streamText(["Both noted."]),
    );
    const { approval_id, message_id } = await askUntilHeld();
    await decide(approval_id, { decision: "approve" });
    let second: string | undefined;
    while (!second) {
      await sleep(100);
      const { body } = await decider.get("/v1/approvals?to_decide=true");
      second = body.approvals.find(
        ({ action }: { action: { params: { title: string } } }) => action.params.title === "Two",
      )?.id;
    }
    await decide(second, { decision: "approve" });
    expect(streamedText(await resumed(message_id))).toBe("Both noted.");
    expect(outcomes()).toHaveLength(2);
    expect(await titles()).toEqual(expect.arrayContaining(["One", "Two"]));
  });

  it("do not keep a run from being stopped while it waits", async () => {
    answersOf(noting("Stopped"));
    const { approval_id, message_id, conversation_id, seen, frames } = await askUntilHeld();
    expect((await asker.post(`/v1/runtime/chat/${message_id}/stop`, {})).status).toBe(202);
    seen.push(...(await Array.fromAsync(frames)));
    expect(seen.at(-1)).toMatchObject({ event: "interrupted", data: { reason: "stopped" } });
    const { body } = await asker.get(`/v1/conversations/${conversation_id}/messages`);
    expect(body.messages.at(-1)).toMatchObject({ message_id, status: "interrupted" });
    // What the model took before it was stopped is counted.
    expect(body.messages.at(-1).usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
    expect((await decide(approval_id, { decision: "approve" })).status).toBe(409);
    expect((await asker.get(`/v1/approvals/${approval_id}`)).body.status).toBe("cancelled");
    await sleep(1_000);
    expect(await titles()).not.toContain("Stopped");
    expect((await resumed(message_id)).at(-1)?.event).toBe("interrupted");
  });

  it("are not used for who may not speak in the conversation any more", async () => {
    answersOf(noting("Revoked"), streamText(["I noted it."]));
    const colleague = await createColleague(asker);
    const where = await asker.createConversation();
    await shareConversation(asker, where, colleague, "WRITE");
    const { approval_id, message_id } = await askUntilHeld({ who: colleague, where });
    await asker.delete(`/v1/chat/${where}/share/${colleague.identity.user}`);
    expect((await decide(approval_id, { decision: "approve" })).status).toBe(200);
    expect((await resumed(message_id)).at(-1)).toMatchObject({ event: "interrupted", data: { reason: "stopped" } });
    expect((await waitForResult(decider, approval_id)).result).toMatchObject({ status: "failed" });
    expect((await colleague.get("/v1/notes")).body.notes).toEqual([]);
  });

  it("tell that nothing came of it where the conversation was deleted", async () => {
    answersOf(noting("Deleted"), streamText(["I noted it."]));
    const { approval_id, conversation_id } = await askUntilHeld();
    expect((await asker.delete(`/v1/conversations/${conversation_id}`)).status).toBe(204);
    expect((await decide(approval_id, { decision: "approve" })).status).toBe(200);
    expect((await waitForResult(decider, approval_id)).result).toMatchObject({ status: "failed" });
    expect(await titles()).not.toContain("Deleted");
  });

  it("are done once, however many decide at once, and whoever requested it does not", async () => {
    answersOf(noting("Once"), streamText(["Done."]));
    const { approval_id, message_id } = await askUntilHeld();
    expect((await asker.post(`/v1/approvals/${approval_id}/decide`, { decision: "approve" })).status).toBe(403);
    const answers = await Promise.all(Array.from({ length: 10 }, () => decide(approval_id, { decision: "approve" })));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect((await resumed(message_id)).at(-1)?.event).toBe("done");
    expect((await titles()).filter((title: string) => title === "Once")).toEqual(["Once"]);
    expect(upstream.requests).toHaveLength(3);
  });
});
