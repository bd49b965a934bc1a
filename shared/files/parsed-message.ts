import type { Address } from "postal-mime";

export interface EmailAttachment {
  readonly filename: string | null;
  readonly mimeType: string;
  /** True if the body of the message embeds the file, as it does with pictures. */
  readonly related: boolean;
  getContent(): Uint8Array;
}

/** Parsed e-mail message, regardless of its file format. */
export interface ParsedMessage {
  readonly subject?: string | undefined;
  readonly from?: Address | undefined;
  readonly to?: readonly Address[] | undefined;
  readonly cc?: readonly Address[] | undefined;
  readonly date?: string | undefined;
  readonly text?: string | undefined;
  readonly html?: string | undefined;
  readonly attachments: readonly EmailAttachment[];
}
