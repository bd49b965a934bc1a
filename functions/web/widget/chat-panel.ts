import type { EmbedAttachment } from "../../../shared/api/embed/embed-attachments.ts";
import type { VisitorInput } from "../../../shared/api/embed/visitor-form.ts";
import { pastedFiles } from "../../../shared/client/pasted-files.ts";
import { type MarkdownModule, markdownElements } from "./blocks.ts";
import type { Chat, ChatError, WidgetMessage } from "./chat.ts";
import { h, icon } from "./dom.ts";
import { FilePicker } from "./file-picker.ts";
import { FormView } from "./form-view.ts";
import { HandoverBar } from "./handover-bar.ts";
import { icons } from "./icons.ts";
import { MessageView } from "./message-view.ts";
import { duration, fill, type Texts } from "./texts.ts";
import { type Decide, describeCard } from "./tool-cards.ts";
import { TranscriptBar } from "./transcript-bar.ts";

/** Actions of the panel, implemented by its owner. */
interface PanelActions {
  close(): void;
  send(text: string, files?: readonly EmbedAttachment[]): void;
  /** Uploads a file for the next message. */
  attach(file: File, signal: AbortSignal): Promise<EmbedAttachment>;
  stop(): void;
  retry(): void;
  restart(): void;
  /** Rates a reply; returns true if the rating was stored. */
  rate(messageId: string, rating: "up" | "down"): Promise<boolean>;
  /** Answers whether the assistant may call a tool. */
  decide: Decide;
  requestHandover(): void;
  /** Starts the chat with what the visitor entered before. */
  submitForm(input: VisitorInput): void;
  /** Goes back to the assistant. */
  endHandover(): void;
  /** Leaves an address for an answer; returns true if it was stored. */
  leaveContact(email: string): Promise<boolean>;
  /** Asks for the conversation by e-mail; returns true if the address was stored. */
  requestTranscript(email: string): Promise<boolean>;
}

/** Distance from the end of the log within which it follows new content. */
const autoScrollDistancePx = 80;

/** Message length limit of the service, in characters. */
const maxMessageLength = 32_000;

const iconButton = (name: string, path: string, onclick: () => void, classes = "icon") =>
  h("button", { type: "button", class: classes, "aria-label": name, title: name, onclick }, icon(path));

/** Chat panel. Its elements are created once and updated from the state of the chat. */
export class ChatPanel {
  readonly element: HTMLElement;
  readonly #texts: Texts;
  readonly #locale: string;
  readonly #actions: PanelActions;
  readonly #views = new Map<WidgetMessage, MessageView>();

  readonly #title: HTMLElement;
  /** Line below the persona name; hidden until the name is known, because the title shows the same text until then. */
  readonly #subtitle: HTMLElement;
  readonly #avatar = h("div", { class: "avatar", "aria-hidden": "true" });
  readonly #newButton: HTMLButtonElement;
  readonly #handoverButton: HTMLButtonElement;
  readonly #transcriptButton: HTMLButtonElement;
  readonly #greeting = h("div", { class: "greeting", dir: "auto" });
  #greetingText = "";
  #markdown: MarkdownModule = null;
  readonly #starters = h("ul", { class: "starters" });
  readonly #list = h("ol", { class: "messages" });
  readonly #log: HTMLElement;
  readonly #latestButton: HTMLButtonElement;
  readonly #notice = h("div", { class: "notice", hidden: true });
  readonly #input: HTMLTextAreaElement;
  readonly #send: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #files: FilePicker;
  readonly #form: FormView;
  readonly #conversation: HTMLElement;
  readonly #handover: HandoverBar;
  readonly #transcript: TranscriptBar;
  /** True if the page listens to the event `handover`. */
  #offersHandover = false;
  #isClosed = true;
  /** True until the session has started or failed to start. */
  #isStarting = true;
  /** True if the visitor sent a message while the session was starting. */
  #isSubmitted = false;
  /** Live region for screen readers: announces progress, and replies when they are complete. */
  readonly #status = h("div", { class: "hidden", role: "status" });
  #announcedStatus: WidgetMessage["status"] | null = null;
  #announcedPerson: WidgetMessage | null = null;
  #announcedCard = "";
  #shownError: ChatError | null = null;

  constructor(texts: Texts, locale: string, actions: PanelActions) {
    this.#texts = texts;
    this.#locale = locale;
    this.#actions = actions;
    this.#title = h("h2", { id: "title" }, texts.subtitle);
    this.#subtitle = h("p", { hidden: true }, texts.subtitle);
    this.#newButton = iconButton(texts.startNew, icons.fresh, () => {
      actions.restart();
      // The restart hides this button, which has the focus.
      this.#input.focus();
    });
    this.#handoverButton = iconButton(texts.handover, icons.person, () => actions.requestHandover());
    this.#handoverButton.hidden = true;
    this.#transcriptButton = iconButton(texts.transcript, icons.mail, () => this.#transcript.toggle());
    this.#transcriptButton.hidden = true;
    this.#latestButton = iconButton(texts.latest, icons.down, () => this.#scrollToEnd(), "icon latest");
    this.#latestButton.hidden = true;
    this.#log = h(
      "div",
      { class: "log", role: "log", "aria-live": "off", tabindex: "0", "aria-label": texts.conversation },
      this.#greeting,
      this.#list,
      this.#starters,
    );
    this.#log.addEventListener("scroll", () => this.#updateLatestButton(), { passive: true });
    this.#input = h("textarea", {
      rows: "1",
      dir: "auto",
      maxlength: String(maxMessageLength),
      placeholder: texts.placeholder,
      "aria-label": texts.placeholder,
      enterkeyhint: "send",
    });
    this.#send = h("button", { class: "icon send", "aria-label": texts.send, title: texts.send }, icon(icons.send));
    this.#stop = iconButton(texts.stop, icons.stop, () => actions.stop(), "icon send");
    this.#form = new FormView(texts, actions.submitForm);
    this.#handover = new HandoverBar(texts, { back: actions.endHandover, leave: actions.leaveContact });
    this.#transcript = new TranscriptBar(texts, actions.requestTranscript, (text) => {
      this.#status.textContent = text;
    });
    this.#files = new FilePicker(texts, actions.attach, () => this.#updateSend());
    this.#conversation = h(
      "form",
      { onsubmit: ((event: Event) => this.#submit(event)) as EventListener },
      this.#files.button,
      this.#files.input,
      this.#input,
      this.#send,
      this.#stop,
    );
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
        "div",
        { class: "header" },
        this.#avatar,
        h("div", { class: "who" }, this.#title, this.#subtitle),
        this.#handoverButton,
        this.#transcriptButton,
        this.#newButton,
        iconButton(texts.close, icons.close, () => actions.close()),
      ),
      h("div", { class: "middle" }, this.#log, this.#form.element, this.#latestButton),
      this.#notice,
      this.#handover.element,
      this.#transcript.element,
      this.#files.list,
      this.#conversation,
      h("p", { class: "hint", dir: "auto" }, texts.hint),
      this.#status,
    );
    this.#input.addEventListener("input", () => this.#growInput());
  }

  /** Sends the message with Enter, and attaches pasted files. */
  handle(event: Event): void {
    if (event.composedPath()[0] !== this.#input) return;
    if (event instanceof KeyboardEvent) {
      if (event.type === "keydown" && event.key === "Enter" && !event.shiftKey) this.#submit(event);
    } else if (event instanceof ClipboardEvent && event.type === "paste" && !this.#files.button.hidden) {
      const files = pastedFiles(event.clipboardData);
      if (files.length === 0) return;
      event.preventDefault();
      this.#files.add(files);
    }
  }

  /** Writes a text into the field, which the visitor can change before sending it. */
  prefill(text: string): void {
    this.#input.value = text;
    this.#growInput();
  }

  /** Moves focus to the input, or to the recovery action if the input is disabled. */
  focus(): void {
    const action = this.#notice.querySelector("button");
    const target = this.#conversation.hidden ? this.#form : this.#input.disabled ? (action ?? this.#log) : this.#input;
    target.focus();
  }

  /** Renders Markdown from the next update on. */
  useMarkdown(markdown: MarkdownModule): void {
    this.#markdown = markdown;
    this.#greetingText = "";
  }

  /** Shows the button with which visitors ask for a person. */
  offerHandover(): void {
    this.#offersHandover = true;
    this.#handoverButton.hidden = false;
  }

  /** Shows the logo of the website, or the first letter of the persona's name if there is none or it cannot be loaded. */
  #showLogo(logo: string | undefined, name: string): void {
    const letter = [...name][0] ?? "";
    if (!logo) this.#avatar.textContent = letter;
    else if (!this.#avatar.hasChildNodes()) {
      const image = h("img", { src: logo, alt: "", referrerpolicy: "no-referrer" });
      image.addEventListener("error", () => this.#avatar.replaceChildren(letter));
      this.#avatar.append(image);
    }
  }

  #showGreeting(markdown: string): void {
    if (markdown === this.#greetingText) return;
    this.#greetingText = markdown;
    this.#greeting.replaceChildren(
      ...markdownElements(markdown, this.#texts, this.#markdown).map((element) => element.render()),
    );
  }

  update(chat: Chat): void {
    const wasAsked = this.#conversation.hidden;
    this.#form.update(chat.form);
    this.#log.hidden = this.#conversation.hidden = chat.form !== null;
    if (wasAsked && !this.#conversation.hidden) this.#input.focus();
    const wasAtEnd = this.#isAtEnd();
    const { session, messages, isBusy, isLoading } = chat;
    if (session) {
      const { name, greeting, starter_prompts } = session.persona;
      this.#title.textContent = name;
      this.#subtitle.hidden = false;
      this.#showLogo(session.theme.logo, name);
      this.#showGreeting(greeting || this.#texts.greeting);
      this.#showStarters(messages.length === 0 && !isBusy ? starter_prompts : []);
    }
    this.#log.setAttribute("aria-busy", String(isLoading || (isBusy && !chat.isAsking)));
    this.#log.classList.toggle("loading", isLoading && !session);
    const hadQuestion = this.#list.querySelector(".ask:focus-within");
    this.#showMessages(messages);
    if (hadQuestion && !hadQuestion.isConnected) this.#input.focus();
    this.#showNotice(chat);
    this.#showHandover(chat);
    const closed = !chat.isOpenForMessages;
    const hadFocus = this.#input.matches(":focus");
    this.#input.disabled = closed && !isLoading;
    if (hadFocus && this.#input.disabled) this.focus();
    this.#transcriptButton.hidden = !session?.transcripts || messages.length === 0;
    if (this.#transcriptButton.hidden) this.#transcript.hide();
    this.#newButton.hidden = messages.length === 0 || chat.recoveryAction === "restart";
    this.#swapButtons(isBusy);
    this.#isClosed = closed;
    this.#isStarting = isLoading && !session;
    this.#files.button.hidden = !session?.attachments || this.#input.disabled;
    this.#updateSend();
    if (this.#isSubmitted && !this.#isStarting) this.#submit();
    this.#announce(chat);
    if (wasAtEnd) this.#scrollToEnd();
    this.#updateLatestButton();
  }

  /** Shows either the send or the stop button. If the hidden one had focus, moves focus to the input. */
  #swapButtons(isBusy: boolean): void {
    const hadFocus = (isBusy ? this.#send : this.#stop).matches(":focus");
    this.#send.hidden = isBusy;
    this.#stop.hidden = !isBusy;
    if (hadFocus) this.#input.focus();
  }

  #updateSend(): void {
    this.#send.disabled = this.#isClosed || this.#files.isIncomplete;
  }

  #submit(event?: Event): void {
    event?.preventDefault();
    if (!this.#input.value.trim() || this.#send.hidden) return;
    // The session is still starting: the message is sent when it has started.
    this.#isSubmitted = this.#isStarting;
    if (this.#send.disabled) return;
    this.#actions.send(this.#input.value, this.#files.take());
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

  #showMessages(messages: readonly WidgetMessage[]): void {
    for (const [message, view] of this.#views) {
      if (messages.includes(message)) continue;
      view.element.remove();
      this.#views.delete(message);
    }
    for (const message of messages) {
      let view = this.#views.get(message);
      if (!view) {
        view = new MessageView(message, this.#title.textContent ?? "", this.#texts, this.#actions);
        this.#views.set(message, view);
        this.#list.append(view.element);
      }
      view.update(message, this.#markdown);
    }
  }

  #showNotice({ error, recoveryAction }: Chat): void {
    if (error === this.#shownError) return;
    this.#shownError = error;
    this.#notice.hidden = error === null;
    this.#notice.replaceChildren();
    if (!error) return;
    const { seconds = 0, kind } = error;
    const text = fill(this.#texts.errors[kind], { time: duration(seconds || 60, this.#locale) });
    this.#notice.append(h("p", {}, text));
    this.#status.textContent = text;
    if (recoveryAction === null) return;
    const name = recoveryAction === "retry" ? this.#texts.retry : this.#texts.startNew;
    const act = () => {
      this.#input.disabled = false;
      this.#input.focus();
      this.#actions[recoveryAction]();
    };
    this.#notice.append(h("button", { type: "button", onclick: act }, name));
  }

  #showHandover({ handover, session }: Chat): void {
    this.#handoverButton.hidden = handover.isHeld || !(this.#offersHandover || session?.handover);
    const text = this.#handover.update(handover);
    if (text) this.#status.textContent = text;
  }

  /** Announces status changes to screen readers, without reading each chunk. */
  #announce({ messages, isLoading, session }: Chat): void {
    if (isLoading && !session) this.#status.textContent = this.#texts.loading;
    const answer = messages.at(-1);
    const status = answer?.role === "assistant" ? answer.status : null;
    if (answer?.person && answer !== this.#announcedPerson) {
      this.#announcedPerson = answer;
      this.#status.textContent = this.#views.get(answer)?.text ?? "";
    }
    const card = answer?.cards.at(-1);
    const cardText = card ? describeCard(card, this.#texts) : "";
    if (status === "streaming" && cardText !== this.#announcedCard) this.#status.textContent = cardText;
    this.#announcedCard = cardText;
    if (status === this.#announcedStatus) return;
    const previousStatus = this.#announcedStatus;
    this.#announcedStatus = status;
    const name = this.#title.textContent ?? "";
    if (status === "streaming") this.#status.textContent = cardText || fill(this.#texts.answering, { name });
    else if (previousStatus === "streaming" && answer && status === "complete") {
      this.#status.textContent = this.#views.get(answer)?.text ?? "";
    } else if (previousStatus === "streaming" && status === "interrupted") {
      this.#status.textContent = this.#texts.stopped;
    }
  }

  #isAtEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#log;
    return scrollHeight - scrollTop - clientHeight < autoScrollDistancePx;
  }

  #scrollToEnd(): void {
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  #updateLatestButton(): void {
    this.#latestButton.hidden = this.#isAtEnd();
  }
}
