import { expect, it } from "vitest";
import { withResume } from "#shared/client/with-resume.ts";
import { streamFormat } from "#shared/runs/streams/stream-format.ts";
import { sampleMessageId as messageId, sampleEvents, toSampleFrames } from "#test/support/chat/sample-run.ts";
import { checkAgUiEvents, checkAiSdkParts, readUiParts } from "#test/support/chat/stream-checks.ts";

const frames = toSampleFrames(sampleEvents);
const address = "https://chat.example/v1/runtime/chat";
const headers = { "content-type": "text/event-stream; charset=utf-8" };

/** Responds with the events of the sample run after an id, of which each connection sends three. */
function serve(protocol: "ai-sdk" | "ag-ui", { isCut = false } = {}) {
  const requests: { readonly url: string; readonly method: string; readonly lastEventId: string | null }[] = [];
  const respond = async (input: string | URL | Request, init: RequestInit = {}) => {
    const lastEventId = new Headers(init.headers).get("last-event-id");
    requests.push({ url: String(input), method: init.method ?? "GET", lastEventId });
    const afterSeq = Number(lastEventId?.split(":")[1] ?? 0);
    if (afterSeq === frames.length) return new Response(null, { status: 204 });
    const mediaType = `text/event-stream;protocol=${protocol}` as const;
    const format = streamFormat(mediaType, { messageId, threadId: "c", afterSeq });
    const text = frames
      .slice(afterSeq, afterSeq + 3)
      .map(format.frame)
      .join("");
    // A lost connection can end within an event.
    const lost = isCut && afterSeq < 6 ? text.slice(0, -5) : text;
    return new Response(lost, { headers });
  };
  return { respond, requests };
}

it.each([true, false])(
  "withResume() continues an answer over many connections, whole events or not (%s)",
  async (isCut) => {
    const { respond, requests } = serve("ai-sdk", { isCut });
    const text = await (await withResume(respond)(address, { method: "POST", body: "{}" })).text();
    const parts = readUiParts(text);
    const answer = parts.filter(({ type }) => type === "text-delta").map(({ delta }) => delta);
    expect(answer.join("")).toBe("I cancel the order.\n\nIt is canceled [1][2].");
    checkAiSdkParts(parts);
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(requests[0]).toMatchObject({ url: address, method: "POST", lastEventId: null });
    expect(requests.at(-1)).toEqual({
      url: `${address}/${messageId}/stream`,
      method: "GET",
      lastEventId: `${messageId}:21`,
    });
  },
);

it("withResume() joins the streams of AG-UI to one run", async () => {
  const { respond } = serve("ag-ui");
  checkAgUiEvents(readUiParts(await (await withResume(respond)(address, { method: "POST", body: "{}" })).text()));
});

it("withResume() passes on errors, and fails when an answer cannot be continued", async () => {
  const problem = async () => Response.json({ code: "not_found" }, { status: 404 });
  expect((await withResume(problem)(address, { method: "POST" })).status).toBe(404);
  const { respond, requests } = serve("ai-sdk");
  const expiring = (input: string | URL | Request, init?: RequestInit) =>
    requests.length === 2 ? problem() : respond(input, init);
  const response = await withResume(expiring)(address, { method: "POST", body: "{}" });
  await expect(response.text()).rejects.toMatchObject({ status: 404 });
});

it("withResume() ends with the caller's signal", async () => {
  const controller = new AbortController();
  const silent = async (_: unknown, { signal }: RequestInit = {}) =>
    new Response(
      new ReadableStream({ start: (body) => signal?.addEventListener("abort", () => body.error(signal.reason)) }),
      { headers },
    );
  const response = await withResume(silent)(address, { method: "POST", signal: controller.signal });
  const text = response.text();
  controller.abort(new Error("stopped"));
  await expect(text).rejects.toThrow("stopped");
});
