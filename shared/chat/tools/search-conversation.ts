import * as v from "valibot";
import { checkRecalled } from "../context/history-messages.ts";
import { readHistory } from "../context/read-history.ts";
import { recallMessages, toRecallQuery } from "../context/recall.ts";
import { defineTool } from "./tool.ts";

/** Maximum size of one result in tokens. */
const MAX_RESULT_TOKENS = 4_000;

/**
 * Searches the conversation by words that the model chooses, also messages that the prompt leaves out. The first
 * prompt has those that `preparePrompt` recalls for the question.
 */
export const searchConversationTool = defineTool({
  name: "search_conversation",
  title: "Searching the conversation",
  description:
    "Searches the earlier messages of this conversation by words, also those that are no longer in the context. Returns the best eight.",
  input: v.object({ query: v.pipe(v.string(), v.minLength(1), v.maxLength(500)) }),
  async run({ principal, question, guardrails }, { query }) {
    // Of the main line, `readOlder` reads all but the newest message, up to its limit.
    const { main, thread, readOlder } = await readHistory(principal, question, () => true);
    const messages = [...(await readOlder()), ...main, ...(thread?.messages ?? [])];
    const found = recallMessages(toRecallQuery(query, null, []), messages, MAX_RESULT_TOKENS);
    const checked = await checkRecalled(guardrails, found);
    return { result: { messages: checked.map(({ attributes, text }) => ({ ...attributes, text })) } };
  },
});
