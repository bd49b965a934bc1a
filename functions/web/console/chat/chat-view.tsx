import { useLocation, useRoute } from "preact-iso";
import { t } from "../lib/i18n.ts";
import { useTitle } from "../ui/layout.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { ConversationPanel } from "./conversation-panel.tsx";
import { NewConversation } from "./new-conversation.tsx";

const loadConversation = () => import("./conversation.tsx").then(({ ConversationView }) => ConversationView);
const ConversationView = onDemand(loadConversation);

/**
 * Chat view: the list of conversations and the selected conversation. A phone shows one of them, and first the field for a new one.
 */
export function ChatView() {
  const { id } = useRoute().params;
  const { query } = useLocation();
  useTitle(t("Chat"));
  const isList = !id && query.list !== undefined;
  // The code of a conversation is loaded while the first message is written or the pointer is on a conversation.
  const preload = () => void loadConversation().catch(() => {});
  const preloadForLink = ({ target }: Event) => (target as Element).closest("a") && preload();
  return (
    <div onInput={preload} onPointerOver={preloadForLink} class={`split ${isList ? "list" : "detail"}`}>
      <ConversationPanel current={id ?? null} isOnly={isList} />
      {id ? <ConversationView key={id} id={id} /> : <NewConversation />}
    </div>
  );
}
