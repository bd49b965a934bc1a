import { expect, it } from "vitest";
import { writeZip } from "#test/support/knowledge/zip.ts";
import { exportFileName, parseExport } from "../../../functions/web/console/account/import/parse-export.ts";
import { readArchive } from "../../../functions/web/console/account/import/read-archive.ts";

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

it("export of ChatGPT that names no last node is read up to the latest message", () => {
  const at = (create_time: number) => ({ create_time });
  const mapping = {
    root: null,
    question: node("question", "root", say("user", "Hello", at(1))),
    answer: node("answer", "question", say("assistant", "Latest", at(3))),
    other: node("other", "question", say("assistant", "Earlier", at(2))),
    empty: node("empty", "other", null),
  };
  for (const current_node of [null, undefined, "gone"]) {
    const [exported] = parseExport(JSON.stringify([{ title: null, mapping, current_node }]));
    expect(exported?.messages.map(({ text }) => text)).toEqual(["Hello", "Latest"]);
  }
});

it("export of ChatGPT is read with transcripts of speech and with links for its citations", () => {
  const cite = (ids: string) => `\ue200cite\ue202${ids}\ue201`;
  const spoken = { content_type: "audio_transcription", text: "What is new?", direction: "in" };
  const mapping = {
    question: node("question", null, {
      ...say("user", ""),
      content: { content_type: "multimodal_text", parts: [spoken, { content_type: "audio_asset_pointer" }] },
    }),
    answer: node("answer", "question", {
      ...say("assistant", `It rains. ${cite("turn0search1")} And ${cite("turn0search2")}\nmore ${cite("x")}.`),
      metadata: {
        content_references: [null, { matched_text: cite("turn0search1"), alt: "([News](https://a.example))" }],
      },
    }),
  };
  const [exported] = parseExport(JSON.stringify([{ title: "Voice", mapping, current_node: "answer" }]));
  expect(exported?.messages.map(({ text }) => text)).toEqual([
    "What is new?",
    "It rains. ([News](https://a.example)) And\nmore.",
  ]);
});

it.each([
  ["a title that is cut within a character", { title: `${"x".repeat(199)}😀`, text: "Hello" }],
  ["half a character in the title", { title: "x\ud83d", text: "Hello" }],
  ["half a character in a message", { title: "x", text: "Hello \ude00" }],
])("parseExport() returns no unpaired surrogate, which the service refuses: %s", (_, { title, text }) => {
  const chatGpt = { title, mapping: { a: node("a", null, say("user", text)) }, current_node: "a" };
  const claude = { name: title, chat_messages: [{ sender: "human", text }] };
  const [first, second] = parseExport(JSON.stringify([chatGpt, claude]));
  for (const exported of [first, second]) {
    expect(exported?.title.length).toBeLessThanOrEqual(200);
    expect([exported?.title, exported?.messages[0]?.text].map((each) => each?.isWellFormed())).toEqual([true, true]);
  }
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

const record = (kind: string, data: object) => `${JSON.stringify({ kind, data })}\n`;

/** Message of the conversation `c` in an archive. */
const archived = (message_id: string, role: string, text: string, fields: object = {}) => ({
  ...{ conversation_id: "c", message_id, role, parent_id: null, created_at: `2026-01-01T00:00:0${message_id}Z` },
  content: [{ type: "text", text }],
  ...fields,
});

const archivedMessages = [
  archived("1", "user", "Old words"),
  archived("2", "assistant", "Discarded", { question_id: "1" }),
  archived("3", "user", "New words", { replaces_id: "1" }),
  archived("4", "assistant", "Shown", { question_id: "3" }),
  archived("5", "alert", "Disk full"),
  archived("6", "system", "Renamed"),
  archived("7", "user", "Of the thread", { parent_id: "4" }),
  archived("8", "user", "Last"),
  archived("9", "assistant", "", { question_id: "8" }),
];

const readInOrder = [
  "user: New words",
  "assistant: Shown",
  "user: Of the thread",
  "assistant: Disk full",
  "user: Last",
];

it("archive of this service is read with the branch that its user saw, threads and alerts", async () => {
  const text = [
    record("archive", { format: "switchboard.archive", version: 1 }),
    record("folder", { id: "f" }),
    record("conversation", { id: "c", title: "Plans", created_at: "2026-01-01T00:00:00Z" }),
    ...archivedMessages.map((message) => record("message", message)),
    record("summary", { conversation_id: "c", text: "Short" }),
    record("conversation", { id: "empty", title: "Empty", created_at: "2026-01-02T00:00:00Z" }),
  ];
  const zip = new Blob([new Uint8Array(writeZip({ "archive.ndjson": text.join(""), "manifest.json": "{}" }))]);
  const [file = ""] = await readArchive(zip, exportFileName);
  const [conversation, ...others] = parseExport(file);
  expect(others).toEqual([]);
  expect(conversation?.title).toBe("Plans");
  expect(conversation?.messages.map(({ role, text }) => `${role}: ${text}`)).toEqual(readInOrder);
  expect(conversation?.messages[0]?.created_at).toBe("2026-01-01T00:00:03Z");
});

it("parseExport() reads the file of one conversation that this service exported", () => {
  const conversation = { id: "c", title: "Plans", created_at: "2026-01-01T00:00:00Z", active_message_id: "2" };
  const transcript = { format: "switchboard.conversation", version: 1, conversation, messages: archivedMessages };
  const [exported] = parseExport(JSON.stringify(transcript));
  expect(exported?.messages.map(({ text }) => text)).toEqual(["Old words", "Discarded", "Disk full"]);
});

it.each(["[]", "{}", "[1]", '{"messages": []}', "no JSON"])(
  "parseExport() throws for a file that is no export of conversations: %s",
  (text) => {
    expect(() => parseExport(text)).toThrow();
  },
);

it("readArchive() reads an archive and rejects a damaged archive", async () => {
  const bytes = writeZip({ "chat.html": "x".repeat(1_000), "export/conversations.json": `[1${" ".repeat(5_000)}]` });
  const texts = await readArchive(new Blob([new Uint8Array(bytes)]), /conversations[^/]*\.json$/);
  expect(texts.map((text) => JSON.parse(text))).toEqual([[1]]);
  await expect(readArchive(new Blob(["PK no archive"]), /json/)).rejects.toThrow("no directory");
});
