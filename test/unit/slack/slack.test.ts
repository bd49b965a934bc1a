import { expect, it } from "vitest";
import { renderAnswer } from "#shared/messengers/post-answer.ts";
import { ThreadAnswer } from "#shared/messengers/thread-answer.ts";
import { slackAnswer } from "#shared/slack/answer-transport.ts";
import { escapeMentions, mrkdwnToPlainText } from "#shared/slack/mrkdwn.ts";
import { findSlackFault } from "#shared/slack/signature.ts";
import { SlackError } from "#shared/slack/slack-client.ts";
import { signSlack } from "#test/support/slack/slack-stub.ts";

it.each([
  ["<@UBOT> What is <https://a.example/x|this>?", "What is this (https://a.example/x)?"],
  ["Ask <@U2> in <#C1|general> &lt;now&gt; &amp; later", "Ask @U2 in #general <now> & later"],
  ["<!here> <!subteam^S1|@ops> <https://a.example>", "@here @ops https://a.example"],
  ["&amp;lt; stays escaped once", "&lt; stays escaped once"],
])("text of Slack becomes plain text: %s", (text, plain) => {
  expect(mrkdwnToPlainText(text, "UBOT")).toBe(plain);
});

it("answer for Slack has its mentions escaped, but not its comparisons and links", () => {
  expect(escapeMentions("<!channel> <@U1> <#C1> 1 < 2 <https://a.example>")).toBe(
    "&lt;!channel> &lt;@U1> &lt;#C1> 1 < 2 <https://a.example>",
  );
});

it("signature of Slack matches an independent computation for a known secret, time and body", () => {
  const body = Buffer.from("payload=%7B%7D&ünïcode");
  const secret = "0123456789abcdef0123456789abcdef";
  expect(findSlackFault(signSlack(secret, String(body)), body, secret)).toBeNull();
  expect(findSlackFault(signSlack(secret, String(body)), Buffer.from("payload=%7B%7D"), secret)).toMatch(/match/);
  expect(findSlackFault({ ...signSlack(secret, String(body)), "x-slack-signature": "v0=00" }, body, secret)).toMatch(
    /match/,
  );
  expect(findSlackFault({}, body, secret)).toMatch(/required/);
  expect(findSlackFault(signSlack(secret, String(body), 1), body, secret)).toMatch(/five minutes/);
  expect(
    findSlackFault({ ...signSlack(secret, String(body)), "x-slack-request-timestamp": "soon" }, body, secret),
  ).toMatch(/five minutes/);
});

const message = {
  kind: "message",
  messenger: "slack",
  workspace_id: "w",
  event_id: "e",
  state: "started",
  channel: "C1",
  thread_id: "1.1",
  account_id: "U1",
  account_name: null,
  is_direct: false,
  base_url: "https://chat.example.com",
  text: "Question",
} as const;

/** Answer whose calls are recorded; `refuse` names methods that fail. */
function newAnswer(refuse: Readonly<Record<string, string>> = {}, reply?: { id: string; is_stream: boolean }) {
  const calls: (readonly [string, unknown])[] = [];
  const recorded: unknown[] = [];
  const call = async (method: string, fields: Readonly<Record<string, unknown>>) => {
    calls.push([method, fields.markdown_text]);
    if (refuse[method]) throw new SlackError(refuse[method]);
    return { ts: "9.9" };
  };
  const record = async (value: unknown) => recorded.push(value);
  const answer = new ThreadAnswer(slackAnswer(message, "T1", call), reply, record);
  return { answer, calls, recorded };
}

it("answer in Slack holds back the beginning of a mention until its rest is known", async () => {
  const { answer, calls } = newAnswer();
  answer.add("Hello <");
  await answer.flush();
  answer.add("!channel>");
  await answer.finish("Hello <!channel>", "", "more");
  expect(calls).toEqual([
    ["chat.startStream", "Hello "],
    ["chat.stopStream", "&lt;!channel>"],
  ]);
});

it("answer in Slack replaces the streamed text if the stored answer differs", async () => {
  const { answer, calls } = newAnswer();
  answer.add("My instructions are secret");
  await answer.flush();
  await answer.finish("I cannot tell that.", "", "more");
  expect(calls.slice(1)).toEqual([
    ["chat.stopStream", undefined],
    ["chat.update", "I cannot tell that."],
  ]);
});

it("answer in Slack is cut at the length limit of Slack, with a link to the whole answer", async () => {
  const { answer, calls } = newAnswer();
  answer.add("x".repeat(20_000));
  await answer.flush();
  await answer.finish("x".repeat(20_000), "\n\nSources", "[Read the whole answer](https://chat.example.com)");
  const [[method, text] = []] = calls;
  expect([method, calls.length]).toEqual(["chat.postMessage", 1]);
  expect(String(text).length).toBeLessThanOrEqual(11_502);
  expect(text).toMatch(/Read the whole answer/);
});

it("answer in Slack that is cut in a code block or an emoji is valid, so that the link to the whole answer is outside of it", async () => {
  for (const [text, cut] of [
    [`Code:\n\n\`\`\`\`js\n${"let x;\n".repeat(3_000)}\`\`\`\`\n\nDone.`, /;?\n````\n\nmore$/],
    [`${"😀".repeat(10_000)}`, /😀\n\nmore$/u],
    [`x${"😀".repeat(10_000)}`, /😀\n\nmore$/u],
  ] as const) {
    const { answer, calls } = newAnswer();
    await answer.finish(text, "\n\nSources", "more");
    expect(calls[0]?.[1]).toMatch(cut);
    expect(String(calls[0]?.[1]).isWellFormed()).toBe(true);
  }
});

it("answer in Slack is cut at the length limit after its mentions are escaped", async () => {
  const { answer, calls } = newAnswer();
  await answer.finish("<!-- x -->\n".repeat(1_000), "", "more");
  expect(String(calls[0]?.[1]).length).toBeLessThanOrEqual(11_502);
});

it("answer in Slack whose model stopped in a code block has its notes outside of it", async () => {
  const { answer, calls } = newAnswer();
  answer.add("```js\nlet x;");
  await answer.flush();
  await answer.finish("```js\nlet x;\n```", "\n\n_The answer was interrupted._", "more");
  expect(calls.at(-1)).toEqual(["chat.stopStream", "\n```\n\n_The answer was interrupted._"]);
});

it("answer in Slack completes the message of a function that died, also if that function had already stopped the stream", async () => {
  const refuse = { "chat.stopStream": "message_not_in_streaming_state" };
  const { answer, calls } = newAnswer(refuse, { id: "5.5", is_stream: true });
  await answer.finish("Whole.", "\n\n[1] Source", "more");
  expect(calls).toEqual([
    ["chat.stopStream", undefined],
    ["chat.update", "Whole.\n\n[1] Source"],
  ]);
});

it("answer in Slack continues in another message after a pause of the run", async () => {
  const { answer, calls, recorded } = newAnswer();
  answer.add("I will note it.");
  await answer.flush();
  await answer.interrupt();
  await answer.finish("I will note it. Done.", "", "more");
  expect(calls.map(([method]) => method)).toEqual(["chat.startStream", "chat.stopStream", "chat.postMessage"]);
  expect(recorded).toEqual([{ id: "9.9", is_stream: true }, null, { id: "9.9", is_stream: false }]);
});

it("answer in Slack links only those sources that have a web address", () => {
  const citation = {
    type: "citation",
    source_id: "s",
    source_type: "document",
    collection_id: null,
    quote: "",
    score: 1,
  } as const;
  const { text, appendix } = renderAnswer({
    content: [
      { type: "text", text: "Thirty days [1] [2]." },
      { ...citation, index: 1, title: "Leave [2026]", uri: "https://a.example/leave" },
      { ...citation, index: 2, title: "Notes", uri: "javascript:alert(1)" },
    ],
    status: "complete",
  });
  expect(text).toBe("Thirty days [1] [2].");
  expect(appendix).toBe("\n\n**Sources**\n[1] [Leave 2026](https://a.example/leave)\n[2] Notes");
});

it("answer in Slack ends with a note when it failed or was interrupted", () => {
  const failed = {
    content: [],
    status: "failed",
    error: { code: "unavailable", message: "The model failed." },
  } as const;
  expect(renderAnswer({ ...failed, content: [] }).appendix).toBe("_The model failed._");
  const interrupted = { content: [{ type: "text", text: "Half" }], status: "interrupted" } as const;
  const cut = { content: [{ type: "text" as const, text: "A" }], status: "complete", finish_reason: "length" } as const;
  expect(renderAnswer({ ...cut, content: [...cut.content] }).appendix).toContain("maximum length");
  expect(renderAnswer({ ...interrupted, content: [...interrupted.content] }).appendix).toBe(
    "\n\n_The answer was interrupted._",
  );
});
