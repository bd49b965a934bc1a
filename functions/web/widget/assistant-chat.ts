import type { VisitorForm } from "../../../shared/api/embed/visitor-form.ts";
import { isComposing } from "../../../shared/client/is-composing.ts";
import type { Visitor } from "./api.ts";
import type { MarkdownModule } from "./blocks.ts";
import type { ChatEvents, TranscriptEntry } from "./chat.ts";
import { ChatStorage } from "./chat-storage.ts";
import { h, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import css from "./launcher.css";
import type { ChatApp, ChatAppOptions } from "./panel.ts";
import { directionOf, languageOf, launcherLabelOf, localeOf, type Texts } from "./texts.ts";

/** Events for the page, with their details. */
interface WidgetEvents extends ChatEvents {
  readonly open: undefined;
  readonly close: undefined;
  /** The visitor asks for a person. The button for this is shown only if the page listens to this event. */
  readonly handover: { readonly transcript: readonly TranscriptEntry[] };
}

interface EmbedConfig {
  readonly theme: Readonly<Record<string, string>>;
  readonly form?: VisitorForm;
}

/** Module with the panel, which the service serves next to this script. */
interface PanelModule {
  createChatApp(options: ChatAppOptions): ChatApp;
}

/** URL of this script, whose origin is the service. */
const scriptUrl = (document.currentScript as HTMLScriptElement | null)?.src;

/** Matches the fragment of a link that opens the chat, with a question to write into the field. */
const deepLink = /^#assistant-chat(?:=(.*))?$/;

/** Decodes percent signs; a text with others is returned as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Removes the fragment from the address of the page, so that the same link works again. */
function clearFragment(): void {
  // A path would be relative to the `<base>` of the page, and one that starts with `//` to a host.
  const address = new URL(location.href);
  address.hash = "";
  try {
    history.replaceState(history.state, "", address);
  } catch {
    // Documents without an address of their own, such as `srcdoc`, and browsers after many calls refuse it.
  }
}

/** Time after which the launcher appears with the default theme, if the theme of the key has not arrived. */
const themeTimeoutMs = 2_000;

/** Time after which a proactive message appears, unless the theme says otherwise. */
const proactiveSeconds = 8;

/** Events that the page must not see: its shortcuts would act on a visitor's letters, or take them away. */
const privateEvents = [
  "keydown",
  "keypress",
  "keyup",
  "compositionstart",
  "compositionupdate",
  "compositionend",
  "copy",
  "cut",
  "paste",
];

const styleSheet = new CSSStyleSheet();
styleSheet.replaceSync(css);

const fullScreen = matchMedia("(max-width: 480px)");

/**
 * Chat element for an embed key: `<assistant-chat embed-key="swe_…">`. Optional attributes: `base-url`, `locale`, `dir`, `theme`
 * (`light`, `dark`), `position` (`start`), `visitor-id`, and `visitor-signature` or `visitor-token`. The element itself only shows the
 * launcher; the panel and its texts are loaded when it is first opened.
 */
export class AssistantChatElement extends HTMLElement {
  readonly #root = this.attachShadow({ mode: "open" });
  readonly #themeSheet = new CSSStyleSheet();
  #storage: ChatStorage | null = null;
  #app: Promise<ChatApp | null> | null = null;
  #loadedApp: ChatApp | null = null;
  #launcher: HTMLButtonElement | null = null;
  /** Proactive message above the launcher, or the timer that shows it. */
  #proactive: HTMLElement | null = null;
  #proactiveTimer: ReturnType<typeof setTimeout> | undefined;
  #isOpen = false;
  #hasHandover = false;
  #locale = "en";
  #baseUrl = "";
  /** Element that had focus before the panel was opened. */
  #previousFocus: HTMLElement | null = null;
  #theme = "";

  connectedCallback(): void {
    if (this.#launcher) return;
    for (const type of privateEvents) addEventListener(type, this.#keepInside, true);
    this.#locale = localeOf(this.getAttribute("locale") || document.documentElement.lang || navigator.language);
    this.#baseUrl = (this.getAttribute("base-url") || new URL(scriptUrl ?? location.href).origin).replace(/\/$/, "");
    this.#storage = new ChatStorage(this.#embedKey);
    if (!this.dir) this.dir = directionOf(this.#locale);
    this.#root.adoptedStyleSheets = [this.#themeSheet, styleSheet];
    this.#launcher = h(
      "button",
      {
        type: "button",
        class: "launcher",
        lang: this.#locale,
        "aria-label": launcherLabelOf(languageOf(this.#locale)),
        "aria-expanded": "false",
        onclick: () => this.open(),
      },
      icon(icons.chat),
    );
    this.#root.append(this.#launcher);
    void this.#showThemedLauncher(this.#launcher, this.#storage);
    if (this.#storage.isOpen) this.#show(false);
    addEventListener("hashchange", this.#followLink);
    this.#followLink();
  }

  disconnectedCallback(): void {
    for (const type of privateEvents) removeEventListener(type, this.#keepInside, true);
    removeEventListener("hashchange", this.#followLink);
    clearTimeout(this.#proactiveTimer);
    this.#unload();
    this.#launcher = null;
    this.#root.replaceChildren();
  }

  /** Removes the panel. */
  #unload(): void {
    this.#loadedApp?.dispose();
    this.#loadedApp?.element.remove();
    this.#app = this.#loadedApp = null;
    this.#isOpen = false;
  }

  /** Opens the panel and moves focus into it. */
  open(): void {
    if (this.#isOpen || !this.#launcher) return;
    this.#previousFocus = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    this.#show(true);
    this.#emit("open", undefined);
  }

  /** Closes the panel and restores focus. */
  close(): void {
    if (!this.#isOpen || !this.#launcher) return;
    const hadFocus = this.#root.activeElement !== null;
    this.#isOpen = false;
    if (this.#loadedApp) this.#loadedApp.element.hidden = true;
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
    await (await this.#app)?.send(text);
  }

  /** Continues as another visitor, who signed in to the website; null for one who signed out. An open panel stays open. */
  identify(visitor: Visitor | null): void {
    const { id, signature, token } = visitor ?? {};
    for (const [name, value] of Object.entries({ id, signature, token })) {
      if (value) this.setAttribute(`visitor-${name}`, value);
      else this.removeAttribute(`visitor-${name}`);
    }
    const wasOpen = this.#isOpen;
    this.#unload();
    if (wasOpen) void this.#show(false);
  }

  /**
   * Subscribes to an event.
   * @returns a function that unsubscribes
   */
  on<Name extends keyof WidgetEvents>(name: Name, listener: (detail: WidgetEvents[Name]) => void): () => void {
    const type = `assistant-chat:${name}`;
    const forward = (event: Event) => listener((event as CustomEvent<WidgetEvents[Name]>).detail);
    this.addEventListener(type, forward);
    if (name === "handover") {
      this.#hasHandover = true;
      this.#loadedApp?.offerHandover();
    }
    return () => this.removeEventListener(type, forward);
  }

  /** Removes the widget from the page. The stored session remains and is resumed by a new widget. */
  destroy(): void {
    this.remove();
  }

  get #embedKey(): string {
    return this.getAttribute("embed-key") ?? "";
  }

  #emit<Name extends keyof WidgetEvents>(name: Name, detail: WidgetEvents[Name]): void {
    this.dispatchEvent(new CustomEvent(`assistant-chat:${name}`, { detail, bubbles: true, composed: true }));
  }

  /** Shows the launcher once its theme is known, so that the color does not change after it has appeared. */
  async #showThemedLauncher(launcher: HTMLButtonElement, storage: ChatStorage): Promise<void> {
    const { theme } = storage;
    launcher.hidden = theme === null;
    if (theme) this.#applyTheme(theme);
    const timer = setTimeout(() => {
      launcher.hidden = false;
    }, themeTimeoutMs);
    try {
      const response = await fetch(`${this.#baseUrl}/v1/embed/config`, {
        headers: { "x-embed-key": this.#embedKey },
        credentials: "omit",
        referrerPolicy: "no-referrer",
      });
      if (response.ok) {
        const { theme: current, form } = (await response.json()) as EmbedConfig;
        storage.update({ theme: current, form });
        this.#applyTheme(current);
      }
    } catch {
      // The panel reports what is wrong when the visitor opens it.
    }
    clearTimeout(timer);
    launcher.hidden = false;
    const { "proactive-message": message, "proactive-seconds": seconds = proactiveSeconds } = storage.theme ?? {};
    if (!message || !storage.isNew(message) || this.#launcher !== launcher) return;
    this.#proactiveTimer = setTimeout(() => void this.#offer(message), Number(seconds) * 1_000);
  }

  /** Shows a message above the launcher, which opens the chat. It is shown until the visitor closes it or opens the chat. */
  async #offer(message: string): Promise<void> {
    const texts = await this.#loadTexts().catch(() => null);
    if (!texts || this.#isOpen || !this.#launcher) return;
    this.#proactive = h(
      "div",
      { class: "proactive", role: "status", lang: this.#locale },
      h("button", { type: "button", class: "message", onclick: () => this.open() }, message),
      h(
        "button",
        { type: "button", class: "dismiss", "aria-label": texts.close, onclick: () => this.#endOffer() },
        icon(icons.close),
      ),
    );
    this.#root.prepend(this.#proactive);
  }

  #endOffer(): void {
    clearTimeout(this.#proactiveTimer);
    const message = this.#storage?.theme?.["proactive-message"];
    if (this.#proactive && message) this.#storage?.update({ seen: message });
    this.#proactive?.remove();
    this.#proactive = null;
  }

  async #loadTexts(): Promise<Texts> {
    const module = (await this.#load(`texts-${languageOf(this.#locale)}`)) as { default: Texts };
    return module.default;
  }

  #load(part: string): Promise<unknown> {
    return import(`${this.#baseUrl}/v1/embed/widget/${part}.js`);
  }

  /** Loads the panel; null if it cannot be loaded, so that the next attempt loads it again. */
  #loadApp(): Promise<ChatApp | null> {
    this.#app ??= this.#importApp().catch(() => {
      this.#app = null;
      return null;
    });
    return this.#app;
  }

  async #importApp(): Promise<ChatApp> {
    const [module, texts] = (await Promise.all([this.#load("panel"), this.#loadTexts()])) as [PanelModule, Texts];
    const visitorId = this.getAttribute("visitor-id");
    const signature = this.getAttribute("visitor-signature");
    const token = this.getAttribute("visitor-token");
    const app = module.createChatApp({
      baseUrl: this.#baseUrl,
      embedKey: this.#embedKey,
      visitor: visitorId ? { id: visitorId, ...(signature && { signature }), ...(token && { token }) } : null,
      storage: this.#storage ?? new ChatStorage(this.#embedKey),
      locale: this.#locale,
      texts,
      emit: (name, detail) => this.#emit(name, detail as WidgetEvents[typeof name]),
      close: () => this.close(),
      requestHandover: (transcript) => this.#emit("handover", { transcript }),
    });
    if (this.#hasHandover) app.offerHandover();
    this.#root.adoptedStyleSheets = [...this.#root.adoptedStyleSheets, app.styleSheet];
    this.#root.prepend(app.element);
    this.#loadedApp = app;
    // Without this part, answers are plain text.
    this.#load("markdown").then(
      (part) => app.useMarkdown(part as MarkdownModule),
      () => {},
    );
    return app;
  }

  async #show(movesFocus: boolean): Promise<void> {
    this.#isOpen = true;
    this.#endOffer();
    if (this.#storage) this.#storage.isOpen = true;
    const app = await this.#loadApp();
    if (!this.#isOpen) return;
    if (!app) {
      this.#isOpen = false;
      this.#emit("error", { kind: "network" });
      return;
    }
    app.element.hidden = false;
    app.element.setAttribute("aria-modal", String(fullScreen.matches));
    this.#launcher?.setAttribute("aria-expanded", "true");
    void app.start();
    if (movesFocus) app.focus();
  }

  /** Handles an event of the widget before any listener of the page can, and hides it from them. */
  readonly #keepInside = (event: Event): void => {
    if (!event.composedPath().includes(this.#root)) return;
    event.stopImmediatePropagation();
    if (event instanceof KeyboardEvent) {
      if (isComposing(event)) return;
      if (event.type === "keydown" && event.key === "Escape") this.close();
      // In full screen, the panel covers the page, so focus must stay inside.
      if (event.type === "keydown" && event.key === "Tab" && fullScreen.matches) this.#trapFocus(event);
    }
    this.#loadedApp?.handle(event);
  };

  /** Opens the chat for a link to `#assistant-chat=<question>`, in the first widget of the page. */
  readonly #followLink = async (): Promise<void> => {
    const [fragment, question = ""] = deepLink.exec(location.hash) ?? [];
    if (fragment === undefined || document.querySelector(this.localName) !== this) return;
    clearFragment();
    this.open();
    const app = await this.#loadApp();
    if (question) app?.prefill(decode(question));
  };

  #trapFocus(event: KeyboardEvent): void {
    const focusable = [
      ...(this.#loadedApp?.element.querySelectorAll<HTMLElement>("button, textarea, a[href], summary, [tabindex]") ??
        []),
    ];
    const reachable = focusable.filter((element) => element.checkVisibility() && !element.matches(":disabled"));
    const [first, last] = [reachable[0], reachable.at(-1)];
    const [from, to] = event.shiftKey ? [first, last] : [last, first];
    if (this.#root.activeElement !== from) return;
    event.preventDefault();
    to?.focus();
  }

  /** Applies the theme of the embed key as custom properties. Attributes and styles that the page sets take precedence. */
  #applyTheme(theme: Readonly<Record<string, string>>): void {
    const serialized = JSON.stringify(theme);
    if (serialized === this.#theme) return;
    this.#theme = serialized;
    const { mode, position, "proactive-message": _message, "proactive-seconds": _seconds, ...properties } = theme;
    if (mode && mode !== "auto" && !this.hasAttribute("theme")) this.setAttribute("theme", mode);
    if (position && !this.hasAttribute("position")) this.setAttribute("position", position);
    this.#themeSheet.replaceSync(":host{}");
    const [rule] = this.#themeSheet.cssRules;
    for (const [name, value] of Object.entries(properties)) {
      // Colors derived from the key's accent must not mix with an accent that the page sets.
      const prefix = name.includes("accent") ? "key" : "assistant";
      if (rule instanceof CSSStyleRule) rule.style.setProperty(`--${prefix}-${name}`, value);
    }
  }
}
