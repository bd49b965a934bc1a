import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from "../../../shared/api/conversations/attachment-limits.ts";
import type { EmbedAttachment } from "../../../shared/api/embed/embed-attachments.ts";
import { MEBIBYTE } from "../../../shared/api/limits.ts";
import { ApiError } from "./api.ts";
import { h, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import { fill, type Texts } from "./texts.ts";

interface ChosenFile {
  readonly row: HTMLElement;
  readonly state: HTMLElement;
  readonly controller: AbortController;
  attachment: EmbedAttachment | null;
}

/** Uploads a file and returns it as the service has read it. */
type Attach = (file: File, signal: AbortSignal) => Promise<EmbedAttachment>;

/** Button that chooses files for the next message, and the list of them. */
export class FilePicker {
  readonly button: HTMLButtonElement;
  readonly input: HTMLInputElement;
  readonly list = h("ul", { class: "files", hidden: true });
  readonly #texts: Texts;
  readonly #attach: Attach;
  readonly #onChange: () => void;
  readonly #files = new Set<ChosenFile>();

  constructor(texts: Texts, attach: Attach, onChange: () => void) {
    this.#texts = texts;
    this.#attach = attach;
    this.#onChange = onChange;
    const onchange = () => {
      this.add([...(this.input.files ?? [])]);
      // The same file can be chosen again after it was removed.
      this.input.value = "";
    };
    this.input = h("input", { type: "file", multiple: true, hidden: true, "aria-label": texts.attach, onchange });
    const onclick = () => this.input.click();
    const attributes = {
      type: "button",
      class: "icon attach",
      "aria-label": texts.attach,
      title: texts.attach,
      onclick,
    };
    this.button = h("button", { ...attributes, hidden: true }, icon(icons.attach));
  }

  /** True if a file is being sent or was refused, so that the message cannot be sent yet. */
  get isIncomplete(): boolean {
    return [...this.#files].some(({ attachment }) => attachment?.status !== "ready");
  }

  /** Adds files to the next message, and of those beyond the limit the first as refused. */
  add(files: readonly File[]): void {
    for (const file of files.slice(0, MAX_ATTACHMENTS + 1 - this.#files.size)) void this.#upload(file);
  }

  /** Returns the files of the message that is sent now, and empties the list. */
  take(): EmbedAttachment[] {
    const taken = [...this.#files].flatMap(({ attachment }) => attachment ?? []);
    for (const file of this.#files) file.row.remove();
    this.#files.clear();
    this.#update();
    return taken;
  }

  async #upload(file: File): Promise<void> {
    const { name } = file;
    const state = h("span", { role: "status" }, fill(this.#texts.sending, { name }));
    const remove = fill(this.#texts.removeFile, { name });
    const onclick = () => this.#remove(chosen);
    const button = h(
      "button",
      { type: "button", class: "icon", "aria-label": remove, title: remove, onclick },
      icon(icons.close),
    );
    const row = h("li", { dir: "auto" }, state, button);
    const chosen: ChosenFile = { row, state, controller: new AbortController(), attachment: null };
    this.#files.add(chosen);
    this.list.append(row);
    this.#update();
    try {
      const exceeded = this.#exceededLimit(file);
      if (exceeded) return this.#refuse(chosen, name, exceeded);
      chosen.attachment = await this.#attach(file, chosen.controller.signal);
      const { status, failure } = chosen.attachment;
      if (status === "ready") state.textContent = name;
      else this.#refuse(chosen, name, failure?.message ?? this.#texts.errors.server);
    } catch (error) {
      if (chosen.controller.signal.aborted) return;
      const { network, server } = this.#texts.errors;
      // `fetch` fails with a TypeError if it has no response.
      const reason = error instanceof TypeError ? network : error instanceof ApiError ? error.detail : "";
      this.#refuse(chosen, name, reason || server);
    }
    this.#update();
  }

  #exceededLimit({ size }: File): string | undefined {
    if (this.#files.size > MAX_ATTACHMENTS) return `> ${MAX_ATTACHMENTS}`;
    if (size === 0) return "0 kB";
    return size > MAX_ATTACHMENT_BYTES ? `> ${MAX_ATTACHMENT_BYTES / MEBIBYTE} MB` : undefined;
  }

  #refuse({ row, state }: ChosenFile, name: string, reason: string): void {
    row.classList.add("refused");
    state.textContent = fill(this.#texts.notAttached, { name, reason });
  }

  #remove(chosen: ChosenFile): void {
    chosen.controller.abort();
    chosen.row.remove();
    this.#files.delete(chosen);
    this.#update();
    this.button.focus();
  }

  #update(): void {
    this.list.hidden = this.#files.size === 0;
    this.#onChange();
  }
}
