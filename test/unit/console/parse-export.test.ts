import { expect, it } from "vitest";
import { writeZip } from "#test/support/knowledge/zip.ts";
import { parseExport } from "../../../functions/web/console/govern/import/parse-export.ts";
import { readArchive } from "../../../functions/web/console/govern/import/read-archive.ts";

const node = (id: string, parent: string | null, message: object | null) => ({ id, parent, message });
const say = (role: string, text: string, fields: object = {}) => ({
  author: { role },
  create_time: 1_700_000_000.5,
  content: { content_type: "text", parts: [text] },
  ...fields,
});

it("export of ChatGPT is read along the branch that its user saw, without tools and hidden messages", () => {
  const mapping = {
    root: node("root", null, null),
    system: node("system", "root", say("system", "")),
    hidden: node(
      "hidden",
      "system",
      say("user", "About me", { metadata: { is_visually_hidden_from_conversation: true } }),
    ),
    question: node("question", "hidden", say("user", "Hello")),
    first: node("first", "question", say("assistant", "Discarded")),
    call: node("call", "question", say("assistant", "search()", { recipient: "browser" })),
    image: node("image", "call", {
      ...say("user", ""),
      content: { content_type: "multimodal_text", parts: [{ content_type: "image_asset_pointer" }, "Look"] },
    }),
    answer: node("answer", "image", say("assistant", "Hi there")),
  };
  const conversation = { title: "Greeting\n", create_time: 1_700_000_000, mapping, current_node: "answer" };
  const empty = { title: "Empty", mapping: {}, current_node: "x" };
  const cycle = { title: "Cycle", mapping: { a: node("a", "a", say("user", "Again")) }, current_node: "a" };
  const exported = parseExport(JSON.stringify([conversation, empty, cycle]));
  expect(exported.map(({ title }) => title)).toEqual(["Cycle", "Greeting"]);
  expect(exported[1]?.messages.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    "user: Hello",
    "user: Look",
    "assistant: Hi there",
  ]);
  expect(exported[1]?.messages[0]?.created_at).toBe("2023-11-14T22:13:20.500Z");
});

it("export of Claude is read with the text of its blocks, or the text of older exports", () => {
  const conversation = {
    name: "Plans",
    created_at: "2026-01-02T03:04:05.678901Z",
    chat_messages: [
      { sender: "human", text: "Old text", created_at: "2026-01-02T03:04:05Z" },
      {
        sender: "assistant",
        text: "",
        content: [
          { type: "thinking", thinking: "…" },
          { type: "text", text: "New" },
        ],
      },
      { sender: "assistant", text: "", content: [] },
    ],
  };
  expect(parseExport(JSON.stringify([conversation]))).toEqual([
    {
      title: "Plans",
      createdAt: "2026-01-02T03:04:05.678Z",
      messages: [
        { role: "user", text: "Old text", created_at: "2026-01-02T03:04:05.000Z" },
        { role: "assistant", text: "New" },
      ],
    },
  ]);
});

it.each(["[]", "{}", "[1]", '{"messages": []}', "no JSON"])("export %s is refused", (text) => {
  expect(() => parseExport(text)).toThrow();
});

it("archive is read, and a damaged one is refused", async () => {
  const bytes = writeZip({ "chat.html": "x".repeat(1_000), "export/conversations.json": `[1${" ".repeat(5_000)}]` });
  const texts = await readArchive(new Blob([new Uint8Array(bytes)]), /conversations[^/]*\.json$/);
  expect(texts.map((text) => JSON.parse(text))).toEqual([[1]]);
  await expect(readArchive(new Blob(["PK no archive"]), /json/)).rejects.toThrow("no directory");
});
