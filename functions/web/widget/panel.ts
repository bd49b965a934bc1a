import { Api, type Visitor } from "./api.ts";
import type { MarkdownModule } from "./blocks.ts";
import { Chat, type ChatEvents, type TranscriptEntry } from "./chat.ts";
import { ChatPanel } from "./chat-panel.ts";
import type { ChatStorage } from "./chat-storage.ts";
import css from "./panel.css";
import type { Texts } from "./texts.ts";

/** Options that the element of the widget passes to the panel that it loads. */
export interface ChatAppOptions {
  readonly baseUrl: string;
  readonly embedKey: string;
  readonly visitor: Visitor | null;
  readonly storage: ChatStorage;
  readonly locale: string;
  readonly texts: Texts;
  emit<Name extends keyof ChatEvents>(name: Name, detail: ChatEvents[Name]): void;
  close(): void;
  requestHandover(transcript: readonly TranscriptEntry[]): void;
}

/** The loaded panel with its chat. */
export interface ChatApp {
  readonly element: HTMLElement;
  readonly styleSheet: CSSStyleSheet;
  start(): Promise<void>;
  send(text: string): Promise<void>;
  focus(): void;
  /** Writes a text into the field. */
  prefill(text: string): void;
  useMarkdown(markdown: MarkdownModule): void;
  /** Handles an event of the keyboard or clipboard in the panel. */
  handle(event: Event): void;
  /** Shows the button with which visitors ask for a person. */
  offerHandover(): void;
  dispose(): void;
}

const styleSheet = new CSSStyleSheet();
styleSheet.replaceSync(css);

/** Calls `update` at most once per animation frame. */
function batchUpdates(update: () => void): () => void {
  let isScheduled = false;
  const run = () => {
    isScheduled = false;
    update();
  };
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    // Background pages get no animation frames.
    if (document.hidden) setTimeout(run, 200);
    else requestAnimationFrame(run);
  };
}

/** Creates the panel and its chat. The element is hidden at first. */
export function createChatApp(options: ChatAppOptions): ChatApp {
  const { baseUrl, embedKey, visitor, storage, locale, texts } = options;
  const chat = new Chat(new Api({ baseUrl, embedKey, visitor }), storage, visitor?.id ?? null, {
    onChange: batchUpdates(() => panel.update(chat)),
    emit: options.emit,
  });
  const panel = new ChatPanel(texts, locale, {
    close: () => options.close(),
    send: (text, files) => void chat.send(text, files),
    attach: (file, signal) => chat.attach(file, signal),
    stop: () => void chat.stop(),
    retry: () => void chat.retry(),
    restart: () => void chat.restart(),
    rate: (messageId, rating) => chat.rate(messageId, rating),
    decide: (card, decision) => void chat.decide(card, decision),
    requestHandover: () => {
      options.requestHandover(chat.transcript());
      if (chat.session?.handover) void chat.handover.request();
    },
    submitForm: (input) => void chat.submitForm(input),
    endHandover: () => void chat.handover.end(),
    leaveContact: (email) => chat.handover.request(email),
    requestTranscript: (email) => chat.requestTranscript(email),
  });
  panel.element.hidden = true;
  return {
    element: panel.element,
    styleSheet,
    start: () => chat.start(),
    send: (text) => chat.send(text),
    focus: () => panel.focus(),
    prefill: (text) => panel.prefill(text),
    useMarkdown: (markdown) => {
      panel.useMarkdown(markdown);
      panel.update(chat);
    },
    handle: (event) => panel.handle(event),
    offerHandover: () => panel.offerHandover(),
    dispose: () => chat.dispose(),
  };
}
