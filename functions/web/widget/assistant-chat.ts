import { Api } from "./api.ts";
import { Chat, type ChatEvents } from "./chat.ts";
import { ChatStorage } from "./chat-storage.ts";
import { h, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import { Panel } from "./panel.ts";
import { directionOf, localeOf, type Texts, textsFor } from "./texts.ts";
import css from "./widget.css";

/** Events for the page, with their details. */
export interface WidgetEvents extends ChatEvents {
  readonly open: undefined;
  readonly close: undefined;
}

/** URL of this script, whose origin is the service. */
const scriptUrl = (document.currentScript as HTMLScriptElement | null)?.src;

const styleSheet = new CSSStyleSheet();
styleSheet.replaceSync(css);

const fullScreen = matchMedia("(max-width: 480px)");

/**
 * Chat element for an embed key: `<assistant-chat embed-key="swe_…">`. Optional attributes: `base-url`, `locale`, `dir`, `theme`
 * (`light`, `dark`), `position` (`start`), `visitor-id` and `visitor-signature`.
 */
export class AssistantChat extends HTMLElement {
  readonly #root = this.attachShadow({ mode: "open" });
  readonly #themeSheet = new CSSStyleSheet();
  #storage: ChatStorage | null = null;
  #chat: Chat | null = null;
  #panel: Panel | null = null;
  #launcher: HTMLButtonElement | null = null;
  /** Element that had focus before the panel was opened. */
  #previousFocus: HTMLElement | null = null;
  #updateScheduled = false;
  #theme: Readonly<Record<string, string>> | null = null;

  constructor() {
    super();
    this.#root.addEventListener("keydown", (event) => this.#onKeyDown(event as KeyboardEvent));
  }

  connectedCallback(): void {
    if (this.#chat) return;
    const embedKey = this.getAttribute("embed-key") ?? "";
    const locale = localeOf(this.getAttribute("locale") || document.documentElement.lang || navigator.language);
    const visitorId = this.getAttribute("visitor-id");
    const signature = this.getAttribute("visitor-signature");
    const visitor = visitorId ? { id: visitorId, ...(signature && { signature }) } : null;
    const baseUrl = (this.getAttribute("base-url") || new URL(scriptUrl ?? location.href).origin).replace(/\/$/, "");
    this.#storage = new ChatStorage(embedKey);
    this.#chat = new Chat(new Api({ baseUrl, embedKey, visitor }), this.#storage, visitorId, {
      onChange: () => this.#scheduleUpdate(),
      emit: (name, detail) => this.#emit(name, detail as WidgetEvents[typeof name]),
    });
    this.#build(textsFor(locale), locale);
    this.#applyTheme(this.#storage.theme);
    if (this.#storage.isOpen) this.#show();
  }

  disconnectedCallback(): void {
    this.#chat?.dispose();
    this.#chat = this.#panel = null;
    this.#root.replaceChildren();
  }

  /** Opens the panel and moves focus into it. */
  open(): void {
    if (!this.#panel?.element.hidden) return;
    this.#previousFocus = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    this.#show();
    this.#panel.focus();
    this.#emit("open", undefined);
  }

  /** Closes the panel and restores focus. */
  close(): void {
    if (!this.#panel || !this.#launcher || this.#panel.element.hidden) return;
    const hadFocus = this.#root.activeElement !== null;
    this.#panel.element.hidden = true;
    this.#launcher.setAttribute("aria-expanded", "false");
    if (this.#storage) this.#storage.isOpen = false;
    const target =
      this.#previousFocus?.isConnected && this.#previousFocus !== this ? this.#previousFocus : this.#launcher;
    if (hadFocus) (target === document.body ? this.#launcher : target).focus();
    this.#emit("close", undefined);
  }

  /** Opens the panel and sends a message as the visitor. */
  async send(text: string): Promise<void> {
    this.open();
    await this.#chat?.send(text);
  }

  /**
   * Subscribes to an event.
   * @returns a function that unsubscribes
   */
  on<Name extends keyof WidgetEvents>(name: Name, listener: (detail: WidgetEvents[Name]) => void): () => void {
    const type = `assistant-chat:${name}`;
    const forward = (event: Event) => listener((event as CustomEvent<WidgetEvents[Name]>).detail);
    this.addEventListener(type, forward);
    return () => this.removeEventListener(type, forward);
  }

  /** Removes the widget from the page. The stored session remains and is resumed by a new widget. */
  destroy(): void {
    this.remove();
  }

  #emit<Name extends keyof WidgetEvents>(name: Name, detail: WidgetEvents[Name]): void {
    this.dispatchEvent(new CustomEvent(`assistant-chat:${name}`, { detail, bubbles: true, composed: true }));
  }

  #build(texts: Texts, locale: string): void {
    if (!this.dir) this.dir = directionOf(locale);
    this.#root.adoptedStyleSheets = [this.#themeSheet, styleSheet];
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
    if (!this.#panel || !this.#storage) return;
    this.#panel.element.hidden = false;
    this.#panel.element.setAttribute("aria-modal", String(fullScreen.matches));
    this.#launcher?.setAttribute("aria-expanded", "true");
    this.#storage.isOpen = true;
    void this.#chat?.start();
  }

  #onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Escape" && !event.isComposing) {
      event.stopPropagation();
      this.close();
    }
    // In full screen, the panel covers the page, so focus must stay inside.
    if (event.key === "Tab" && fullScreen.matches) this.#trapFocus(event);
  }

  #trapFocus(event: KeyboardEvent): void {
    const focusable = [
      ...(this.#panel?.element.querySelectorAll<HTMLElement>("button, textarea, a[href], [tabindex]") ?? []),
    ];
    const reachable = focusable.filter((element) => element.checkVisibility() && !element.matches(":disabled"));
    const [first, last] = [reachable[0], reachable.at(-1)];
    const [from, to] = event.shiftKey ? [first, last] : [last, first];
    if (this.#root.activeElement !== from) return;
    event.preventDefault();
    to?.focus();
  }

  /** Batches changes into one update per animation frame. */
  #scheduleUpdate(): void {
    if (this.#updateScheduled) return;
    this.#updateScheduled = true;
    const update = () => {
      this.#updateScheduled = false;
      if (!this.#chat || !this.#panel) return;
      this.#panel.update(this.#chat);
      if (this.#chat.session) this.#applyTheme(this.#chat.session.theme);
    };
    // Background pages get no animation frames.
    if (document.hidden) setTimeout(update, 200);
    else requestAnimationFrame(update);
  }

  /** Applies the theme of the embed key as custom properties. Attributes and styles that the page sets take precedence. */
  #applyTheme(theme: Readonly<Record<string, string>>): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    const { mode, position, ...properties } = theme;
    if (mode && !this.hasAttribute("theme")) this.setAttribute("theme", mode);
    if (position && !this.hasAttribute("position")) this.setAttribute("position", position);
    this.#themeSheet.replaceSync(":host{}");
    const [rule] = this.#themeSheet.cssRules;
    for (const [name, value] of Object.entries(properties)) {
      if (rule instanceof CSSStyleRule) rule.style.setProperty(`--assistant-${name}`, value);
    }
  }
}
