import type { ReactElement } from "react";
import type { AssistantChatElement, AssistantChatEvents, AssistantChatSettings } from "./index.js";

export interface AssistantChatProps extends AssistantChatSettings {
  readonly onReady?: (detail: AssistantChatEvents["ready"]) => void;
  readonly onOpen?: () => void;
  readonly onClose?: () => void;
  readonly onMessage?: (detail: AssistantChatEvents["message"]) => void;
  readonly onError?: (detail: AssistantChatEvents["error"]) => void;
  /** The visitor asks for a person. With it, the widget has a button for this. */
  readonly onHandover?: (detail: AssistantChatEvents["handover"]) => void;
  /** Gets the element when its methods work, such as `chatRef.current?.open()`. */
  readonly chatRef?: { current: AssistantChatElement | null };
}

/** Widget as a React component. Other settings start another widget, whose session is resumed. */
export function AssistantChat(props: AssistantChatProps): ReactElement;
