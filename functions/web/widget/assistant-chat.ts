import { Api } from "./api.ts";
import { Chat, type ChatEvents } from "./chat.ts";
import { Memory } from "./chat-storage.ts";
import { h, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import { Panel } from "./panel.ts";
import { directionOf, localeOf, type Texts, textsFor } from "./texts.ts";
import css from "./widget.css";

/** What a page can listen to, and what it is told. */
export interface WidgetEvents extends ChatEvents {
  readonly open: undefined;
  readonly close: undefined;
}

/** Where this script came from, which is where the service is. */
const ownAddress = (document.currentScript as HTMLScriptElement | null)?.src;

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);

const fullScreen = matchMedia("(max-width: 480px)");

/**
 * A chat with the assistant of an embed key: `<assistant-chat embed-key="swe_…">`. Further attributes: `base-url`, `locale`, `dir`,
 * `theme` (`light`, `dark`), `position` (`start`), `visitor-id` and `visitor-signature`.
 */
export class AssistantChat extends HTMLElement {
  readonly #root = this.attachShadow({ mode: "open" });
  readonly #looks = new CSSStyleSheet();
  #memory: Memory | null = null;
  #chat: Chat | null = null;
  #panel: Panel | null = null;
  #launcher: HTMLButtonElement | null = null;
  /** Where the cursor was before the panel was opened. */
  #cameFrom: HTMLElement | null = null;
  #isDue = false;
  #theme: Readonly<Record<string, string>> | null = null;

  constructor() {
    super();
    this.#root.addEventListener("keydown", (event) => this.#pressed(event as KeyboardEvent));
  }

  connectedCallback(): void {
    if (this.#chat) return;
    const embedKey = this.getAttribute("embed-key") ?? "";
    const locale = localeOf(this.getAttribute("locale") || document.documentElement.lang || navigator.language);
    const visitorId = this.getAttribute("visitor-id");
    const signature = this.getAttribute("visitor-signature");
    const visitor = visitorId ? { id: visitorId, ...(signature && { signature }) } : null;
    const baseUrl = (this.getAttribute("base-url") || new URL(ownAddress ?? location.href).origin).replace(/\/$/, "");
    this.#memory = new Memory(embedKey);
    this.#chat = new Chat(new Api({ baseUrl, embedKey, visitor }), this.#memory, visitorId, {
      changed: () => this.#changed(),
      emit: (name, detail) => this.#emit(name, detail as WidgetEvents[typeof name]),
    });
    this.#build(textsFor(locale), locale);
    this.#applyTheme(this.#memory.theme);
    if (this.#memory.isOpen) this.#show();
  }

  disconnectedCallback(): void {
    this.#chat?.dispose();
    this.#chat = this.#panel = null;
    this.#root.replaceChildren();
  }

  /** Shows the conversation, and puts the cursor into it. */
  open(): void {
    if (!this.#panel?.element.hidden) return;
    this.#cameFrom = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    this.#show();
    this.#panel.focus();
    this.#emit("open", undefined);
  }

  /** Puts the conversation away, and the cursor back to where it was. */
  close(): void {
    if (!this.#panel || !this.#launcher || this.#panel.element.hidden) return;
    const hadFocus = this.#root.activeElement !== null;
    this.#panel.element.hidden = true;
    this.#launcher.setAttribute("aria-expanded", "false");
    if (this.#memory) this.#memory.isOpen = false;
    const target = this.#cameFrom?.isConnected && this.#cameFrom !== this ? this.#cameFrom : this.#launcher;
    if (hadFocus) (target === document.body ? this.#launcher : target).focus();
    this.#emit("close", undefined);
  }

  /** Says something in the visitor's name, and shows the conversation. */
  async send(text: string): Promise<void> {
    this.open();
    await this.#chat?.send(text);
  }

  /** Calls back whenever something of this name happens. @returns what ends that */
  on<Name extends keyof WidgetEvents>(name: Name, listener: (detail: WidgetEvents[Name]) => void): () => void {
    const type = `assistant-chat:${name}`;
    const heard = (event: Event) => listener((event as CustomEvent<WidgetEvents[Name]>).detail);
    this.addEventListener(type, heard);
    return () => this.removeEventListener(type, heard);
  }

  /** Takes the widget off the page. The conversation is there when it comes back. */
  destroy(): void {
    this.remove();
  }

  #emit<Name extends keyof WidgetEvents>(name: Name, detail: WidgetEvents[Name]): void {
    this.dispatchEvent(new CustomEvent(`assistant-chat:${name}`, { detail, bubbles: true, composed: true }));
  }

  #build(texts: Texts, locale: string): void {
    if (!this.dir) this.dir = directionOf(locale);
    this.#root.adoptedStyleSheets = [this.#looks, sheet];
    this.#panel = new Panel(texts, locale, {
      close: () => this.close(),
      send: (text) => void this.#chat?.send(text),
      stop: () => void this.#chat?.stop(),
      retry: () => void this.#chat?.retry(),
      restart: () => void this.#chat?.restart(),
    });
    this.#panel.element.hidden = true;
    this.#launcher = h(
      "button",
      {
        type: "button",
        class: "launcher",
        "aria-label": texts.open,
        "aria-expanded": "false",
        "aria-controls": "panel",
        onclick: () => this.#toggle(),
      },
      icon(icons.chat),
      icon(icons.close),
    );
    this.#root.append(this.#panel.element, this.#launcher);
  }

  #toggle(): void {
    if (this.#panel?.element.hidden) this.open();
    else this.close();
  }

  #show(): void {
    if (!this.#panel || !this.#memory) return;
    this.#panel.element.hidden = false;
    this.#panel.element.setAttribute("aria-modal", String(fullScreen.matches));
    this.#launcher?.setAttribute("aria-expanded", "true");
    this.#memory.isOpen = true;
    void this.#chat?.start();
  }

  #pressed(event: KeyboardEvent): void {
    if (event.key === "Escape" && !event.isComposing) {
      event.stopPropagation();
      this.close();
    }
    // Where it covers the page, the cursor must not get lost behind it.
    if (event.key === "Tab" && fullScreen.matches) this.#keepInside(event);
  }

  #keepInside(event: KeyboardEvent): void {
    const stops = [
      ...(this.#panel?.element.querySelectorAll<HTMLElement>("button, textarea, a[href], [tabindex]") ?? []),
    ];
    const reachable = stops.filter((stop) => stop.checkVisibility() && !stop.matches(":disabled"));
    const [first, last] = [reachable[0], reachable.at(-1)];
    const [from, to] = event.shiftKey ? [first, last] : [last, first];
    if (this.#root.activeElement !== from) return;
    event.preventDefault();
    to?.focus();
  }

  /** Many changes are shown at once: as often as the screen shows anything. */
  #changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const show = () => {
      this.#isDue = false;
      if (!this.#chat || !this.#panel) return;
      this.#panel.update(this.#chat);
      if (this.#chat.session) this.#applyTheme(this.#chat.session.theme);
    };
    // A page in the background shows nothing, and gets no frames.
    if (document.hidden) setTimeout(show, 200);
    else requestAnimationFrame(show);
  }

  /** The key's looks as custom properties; those that the page itself sets on the element come before. */
  #applyTheme(theme: Readonly<Record<string, string>>): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    const { mode, position, ...properties } = theme;
    if (mode && !this.hasAttribute("theme")) this.setAttribute("theme", mode);
    if (position && !this.hasAttribute("position")) this.setAttribute("position", position);
    this.#looks.replaceSync(":host{}");
    const [rule] = this.#looks.cssRules;
    for (const [name, value] of Object.entries(properties)) {
      if (rule instanceof CSSStyleRule) rule.style.setProperty(`--assistant-${name}`, value);
    }
  }
}
