import type { ExportedConversation as Transcript } from "../../../../../shared/api/governance/exports.ts";
import { selectBranch } from "../../../../../shared/client/branch.ts";
import { blocksToMarkdown } from "../../../../../shared/markdown/blocks-to-markdown.ts";
import type { ImportableConversation, ImportableMessage } from "./importable-conversation.ts";

type Conversation = Transcript["conversation"];
type Message = Transcript["messages"][number];

type ArchiveLine =
  | { readonly kind: "conversation"; readonly data: Conversation }
  | { readonly kind: "message"; readonly data: Message & { readonly conversation_id: string } }
  | { readonly kind: "archive" | "attachment" | "summary" };

/** Returns the messages of the branch that readers saw, each followed by those of its thread. */
function toReadingOrder(messages: readonly Message[], activeId: string | null | undefined): Message[] {
  const threads = Map.groupBy(messages, ({ parent_id }) => parent_id);
  const withThread = (message: Message): Message[] => [
    message,
    ...(threads.get(message.message_id) ?? []).flatMap(withThread),
  ];
  return selectBranch(threads.get(null) ?? [], activeId).flatMap(withThread);
}

function toConversation(
  { title, created_at, active_message_id }: Conversation,
  messages: readonly Message[],
): ImportableConversation {
  return {
    title,
    createdAt: created_at,
    messages: toReadingOrder(messages, active_message_id).flatMap(
      ({ role, content, created_at }): ImportableMessage[] => {
        const text = blocksToMarkdown(content).trim();
        // Alerts are imported like answers, as texts of others.
        return role === "system" || text === ""
          ? []
          : [{ role: role === "user" ? role : "assistant", text, created_at }];
      },
    ),
  };
}

/** Returns the conversations in the JSON Lines of an archive of this service. */
export function parseArchive(text: string): ImportableConversation[] {
  const lines = text.split("\n").filter(Boolean);
  const records = lines.map((line): ArchiveLine => JSON.parse(line));
  const messages = Map.groupBy(
    records.flatMap((record) => (record.kind === "message" ? [record.data] : [])),
    ({ conversation_id }) => conversation_id,
  );
  return records.flatMap((record) =>
    record.kind === "conversation" ? [toConversation(record.data, messages.get(record.data.id) ?? [])] : [],
  );
}

/** Returns the conversation that was exported as JSON. */
export const parseTranscript = ({ conversation, messages }: Transcript): ImportableConversation =>
  toConversation(conversation, messages);
