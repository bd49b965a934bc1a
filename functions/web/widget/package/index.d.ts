/** Events of the widget, with their details. */
export interface AssistantChatEvents {
  readonly ready: { readonly persona: { readonly name: string } | null };
  readonly open: undefined;
  readonly close: undefined;
  readonly message: { readonly role: "user" | "assistant"; readonly text: string };
  readonly error: { readonly kind: string };
  /** The visitor asks for a person. The button for this is shown only if the page listens to this event. */
  readonly handover: { readonly transcript: readonly { readonly role: "user" | "assistant"; readonly text: string }[] };
}

/** Element of the widget. */
export interface AssistantChatElement extends HTMLElement {
  open(): void;
  close(): void;
  /** Opens the panel and sends a message as the visitor. */
  send(text: string): Promise<void>;
  /** Subscribes to an event. Returns a function that unsubscribes. */
  on<Name extends keyof AssistantChatEvents>(
    name: Name,
    listener: (detail: AssistantChatEvents[Name]) => void,
  ): () => void;
  /** Continues as another visitor, who signed in to your site; null for one who signed out. */
  identify(visitor: { readonly id: string; readonly signature?: string; readonly token?: string } | null): void;
  destroy(): void;
}

/** Settings for `mountAssistantChat`. Only `baseUrl` and `embedKey` are required. */
export interface AssistantChatSettings {
  /** Address of the service, such as `https://assistant.example.com`. */
  readonly baseUrl: string;
  /** Embed key, which starts with `swe_`. */
  readonly embedKey: string;
  /** Language, such as `de-AT`; by default, that of the page, or else of the browser. */
  readonly locale?: string;
  /** Writing direction; by default, that of the language. */
  readonly dir?: "ltr" | "rtl";
  /** Color scheme; by default, that of the embed key, or else of the visitor's system. */
  readonly theme?: "light" | "dark";
  /** Lower corner of the page, in the writing direction; by default, that of the embed key, or else `end`. */
  readonly position?: "start" | "end";
  /** Id of a visitor whom your site knows; by default, the visitor is anonymous. */
  readonly visitorId?: string;
  /** Hex HMAC-SHA256 of the visitor id, keyed with the visitor secret of the embed key. Sign on your server. */
  readonly visitorSignature?: string;
  /** Token of the website, instead of the signature. */
  readonly visitorToken?: string;
}

/**
 * Loads the widget from a service once, so that its version is always that of the service. Resolves when `assistant-chat` elements
 * work, and rejects if the script cannot be loaded; the next call loads it again.
 */
export function loadAssistantChat(baseUrl: string): Promise<void>;

/** Adds the widget to the page. Returns its element, whose methods work when `loadAssistantChat` has resolved. */
export function mountAssistantChat(settings: AssistantChatSettings): AssistantChatElement;

declare global {
  interface HTMLElementTagNameMap {
    "assistant-chat": AssistantChatElement;
  }
}
