import type { Chat, ShownMessage, Trouble } from "./chat.ts";
import { h, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import { MessageView } from "./message-view.ts";
import { duration, fill, type Texts } from "./texts.ts";

/** What the panel asks of whoever holds it. */
export interface PanelActions {
  close(): void;
  send(text: string): void;
  stop(): void;
  retry(): void;
  restart(): void;
}

/** How near to its end a conversation must be scrolled to go along with what is added, in pixels. */
const nearEnd = 80;

/** The longest message that the service takes, in characters. */
const longestMessage = 32_000;

const button = (name: string, drawing: string, onclick: () => void, classes = "icon") =>
  h("button", { type: "button", class: classes, "aria-label": name, title: name, onclick }, icon(drawing));

/** The conversation on the screen: made once, and brought up to date with the chat. */
export class Panel {
  readonly element: HTMLElement;
  readonly #texts: Texts;
  readonly #locale: string;
  readonly #actions: PanelActions;
  readonly #views = new Map<ShownMessage, MessageView>();

  readonly #title: HTMLElement;
  /** Under the name of the persona; until that is known it is the title. */
  readonly #subtitle: HTMLElement;
  readonly #avatar = h("div", { class: "avatar", "aria-hidden": "true" });
  readonly #fresh: HTMLButtonElement;
  readonly #greeting = h("p", { class: "greeting", dir: "auto" });
  readonly #starters = h("ul", { class: "starters" });
  readonly #list = h("ol", { class: "messages" });
  readonly #log: HTMLElement;
  readonly #latest: HTMLButtonElement;
  readonly #notice = h("div", { class: "notice", hidden: true });
  readonly #input: HTMLTextAreaElement;
  readonly #send: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  /** Read out by screen readers: that something is going on, and answers once they are whole. */
  readonly #status = h("div", { class: "hidden", role: "status" });
  #announced: ShownMessage["status"] | null = null;
  #notified: Trouble | null = null;

  constructor(texts: Texts, locale: string, actions: PanelActions) {
    this.#texts = texts;
    this.#locale = locale;
    this.#actions = actions;
    this.#title = h("h2", { id: "title" }, texts.subtitle);
    this.#subtitle = h("p", { hidden: true }, texts.subtitle);
    this.#fresh = button(texts.startNew, icons.fresh, () => {
      actions.restart();
      // The button goes away.
      this.#input.focus();
    });
    this.#latest = button(texts.latest, icons.down, () => this.#scrollToEnd(), "icon latest");
    this.#latest.hidden = true;
    this.#log = h(
      "div",
      { class: "log", role: "log", "aria-live": "off", tabindex: "0", "aria-label": texts.conversation },
      this.#greeting,
      this.#list,
      this.#starters,
    );
    this.#log.addEventListener("scroll", () => this.#showLatest(), { passive: true });
    this.#input = h("textarea", {
      rows: "1",
      dir: "auto",
      maxlength: String(longestMessage),
      placeholder: texts.placeholder,
      "aria-label": texts.placeholder,
      enterkeyhint: "send",
    });
    this.#send = h("button", { class: "icon send", "aria-label": texts.send, title: texts.send }, icon(icons.send));
    this.#stop = button(texts.stop, icons.stop, () => actions.stop(), "icon send");
    this.element = h(
      "section",
      {
        class: "panel",
        id: "panel",
        role: "dialog",
        "aria-labelledby": "title",
        lang: locale,
      },
      h(
        "header",
        {},
        this.#avatar,
        h("div", { class: "who" }, this.#title, this.#subtitle),
        this.#fresh,
        button(texts.close, icons.close, () => actions.close()),
      ),
      h("div", { class: "middle" }, this.#log, this.#latest),
      this.#notice,
      h(
        "form",
        { onsubmit: ((event: Event) => this.#submit(event)) as EventListener },
        this.#input,
        this.#send,
        this.#stop,
      ),
      h("p", { class: "hint", dir: "auto" }, texts.hint),
      this.#status,
    );
    this.#input.addEventListener("input", () => this.#growInput());
    this.#input.addEventListener("keydown", (event) => {
      // The Enter that ends a composition belongs to the input method.
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) this.#submit(event);
    });
  }

  /** Puts the cursor where a visitor writes, or on what can be done instead. */
  focus(): void {
    const action = this.#notice.querySelector("button");
    (this.#input.disabled ? (action ?? this.#log) : this.#input).focus();
  }

  /** Shows the chat as it is now. */
  update(chat: Chat): void {
    const wasAtEnd = this.#isAtEnd();
    const { session, messages, isBusy, isLoading } = chat;
    if (session) {
      const { name, greeting, starter_prompts } = session.persona;
      this.#title.textContent = name;
      this.#subtitle.hidden = false;
      this.#avatar.textContent = [...name][0] ?? "";
      this.#greeting.textContent = greeting || this.#texts.greeting;
      this.#showStarters(messages.length === 0 && !isBusy ? starter_prompts : []);
    }
    this.#log.setAttribute("aria-busy", String(isLoading || isBusy));
    this.#log.classList.toggle("loading", isLoading && !session);
    this.#showMessages(messages);
    this.#showNotice(chat);
    const closed = !chat.isOpenForMessages;
    const hadFocus = this.#input.matches(":focus");
    this.#input.disabled = closed && !isLoading;
    if (hadFocus && this.#input.disabled) this.focus();
    this.#fresh.hidden = messages.length === 0 || chat.remedy === "restart";
    this.#swap(isBusy);
    this.#send.disabled = closed;
    this.#announce(chat);
    if (wasAtEnd) this.#scrollToEnd();
    this.#showLatest();
  }

  /** Of the two buttons in one place shows one; whoever was on the other goes on writing. */
  #swap(isBusy: boolean): void {
    const hadFocus = (isBusy ? this.#send : this.#stop).matches(":focus");
    this.#send.hidden = isBusy;
    this.#stop.hidden = !isBusy;
    if (hadFocus) this.#input.focus();
  }

  #submit(event: Event): void {
    event.preventDefault();
    if (!this.#input.value.trim() || this.#send.hidden || this.#send.disabled) return;
    this.#actions.send(this.#input.value);
    this.#input.value = "";
    this.#growInput();
    this.#scrollToEnd();
  }

  #growInput(): void {
    this.#input.style.height = "auto";
    this.#input.style.height = `${Math.min(this.#input.scrollHeight, 140)}px`;
  }

  #showStarters(prompts: readonly string[]): void {
    if (prompts.length === this.#starters.children.length) return;
    this.#starters.replaceChildren(
      ...prompts.map((prompt) => {
        const send = () => {
          this.#actions.send(prompt);
          this.#input.focus();
        };
        return h("li", {}, h("button", { type: "button", dir: "auto", onclick: send }, prompt));
      }),
    );
  }

  #showMessages(messages: readonly ShownMessage[]): void {
    for (const [message, view] of this.#views) {
      if (messages.includes(message)) continue;
      view.element.remove();
      this.#views.delete(message);
    }
    for (const message of messages) {
      let view = this.#views.get(message);
      if (!view) {
        view = new MessageView(message, this.#title.textContent ?? "", this.#texts);
        this.#views.set(message, view);
        this.#list.append(view.element);
      }
      view.update(message);
    }
  }

  #showNotice({ trouble, remedy }: Chat): void {
    if (trouble === this.#notified) return;
    this.#notified = trouble;
    this.#notice.hidden = trouble === null;
    this.#notice.replaceChildren();
    if (!trouble) return;
    const { seconds = 0, kind } = trouble;
    const text = fill(this.#texts.trouble[kind], { time: duration(seconds || 60, this.#locale) });
    this.#notice.append(h("p", {}, text));
    this.#status.textContent = text;
    if (remedy === null) return;
    const name = remedy === "retry" ? this.#texts.retry : this.#texts.startNew;
    const act = () => {
      this.#input.disabled = false;
      this.#input.focus();
      this.#actions[remedy]();
    };
    this.#notice.append(h("button", { type: "button", onclick: act }, name));
  }

  /** Says what happens without reading every word as it comes. */
  #announce({ messages, isLoading, session }: Chat): void {
    if (isLoading && !session) this.#status.textContent = this.#texts.loading;
    const answer = messages.at(-1);
    const status = answer?.role === "assistant" ? answer.status : null;
    if (status === this.#announced) return;
    const before = this.#announced;
    this.#announced = status;
    const name = this.#title.textContent ?? "";
    if (status === "streaming") this.#status.textContent = fill(this.#texts.answering, { name });
    else if (before === "streaming" && answer && status === "complete") {
      this.#status.textContent = this.#views.get(answer)?.text ?? "";
    } else if (before === "streaming" && status === "interrupted") this.#status.textContent = this.#texts.stopped;
  }

  #isAtEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#log;
    return scrollHeight - scrollTop - clientHeight < nearEnd;
  }

  #scrollToEnd(): void {
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  #showLatest(): void {
    this.#latest.hidden = this.#isAtEnd();
  }
}
