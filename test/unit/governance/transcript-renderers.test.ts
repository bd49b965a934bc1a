import { expect, it } from "vitest";
import type { StoredMessage } from "#shared/conversations/message-store.ts";
import { transcriptRenderers } from "#shared/governance/exports/transcript-renderers.ts";

const failed = {
  message_id: "m",
  role: "assistant",
  author_id: null,
  parent_id: null,
  status: "failed",
  model: "model",
  content: [],
  error: { code: "model_error", message: "The model refused\nthe prompt." },
  created_at: "2026-01-01T00:00:00.000Z",
  edited_at: null,
} as unknown as StoredMessage;

it("transcript of a failed answer tells the reason in Markdown", () => {
  const text = transcriptRenderers.markdown.renderMessages([failed], true);
  expect(text.trim().split("\n").at(-1)).toBe("*This answer failed: The model refused the prompt.*");
});

it("transcript of a failed answer contains the error in JSON", () => {
  const text = transcriptRenderers.json.renderMessages([failed], true);
  expect(JSON.parse(text)).toMatchObject({ status: "failed", error: failed.error });
});
