import type { Address } from "postal-mime";

export interface AttachedFile {
  readonly filename: string | null;
  readonly mimeType: string;
  /** The text of the message shows the file, which is a picture then. */
  readonly related: boolean;
  getContent(): Uint8Array;
}

/** Message in any format. */
export interface ParsedMessage {
  readonly subject?: string | undefined;
  readonly from?: Address | undefined;
  readonly to?: readonly Address[] | undefined;
  readonly cc?: readonly Address[] | undefined;
  readonly date?: string | undefined;
  readonly text?: string | undefined;
  readonly html?: string | undefined;
  readonly attachments: readonly AttachedFile[];
}
