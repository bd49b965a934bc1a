import { useRoute } from "preact-iso";
import { t } from "../lib/i18n.ts";
import { useTitle } from "../ui/layout.tsx";
import { Conversation } from "./conversation.tsx";
import { ConversationPanel } from "./conversation-panel.tsx";
import { NewConversation } from "./new-conversation.tsx";

/** View with the conversations and the selected one. */
export function ChatView() {
  const { id } = useRoute().params;
  useTitle(t("Chat"));
  const isList = !id && !new URLSearchParams(location.search).has("new");
  return (
    <div class={`split ${isList ? "list" : "detail"}`}>
      <ConversationPanel current={id ?? null} isOnly={isList} />
      {id ? <Conversation key={id} id={id} /> : <NewConversation />}
    </div>
  );
}
