import { attachmentFailures } from "../../api/conversations/attachments.ts";
import { documentTypes } from "../../api/knowledge/document-types.ts";
import type { MessageAttachment } from "../../api/message-attachment.ts";
import { type DocumentType, findDocumentType } from "../../files/file-types.ts";
import { findImageType } from "../../files/images/image-types.ts";
import { ServiceError } from "../../lib/errors.ts";

/** File extensions of source code and configuration files, which are read as plain text. */
const codeExtensions: ReadonlySet<string> = new Set(
  [
    "bash bat c cc cfg clj cmake conf cpp cs css csproj cxx dart diff dockerfile env erl ex exs fs gitignore go gradle",
    "graphql groovy h hpp hs http ini ipynb java js json json5 jsonc jsonl jsx kt kts less lock lua m mjs cjs mk mm nix",
    "patch php pl plist pm properties proto ps1 py pyi r rb rs rst sass scala scss sh sql srt swift tcl tex tf toml ts",
    "tsx vb vim vtt vue xml yaml yml zig zsh",
  ]
    .join(" ")
    .split(" "),
);

/** Returns the format of a file by the extension of its name, or null if its text cannot be extracted. */
export function findTextType(fileName: string): DocumentType | null {
  const type = findDocumentType(fileName);
  if (type) return type;
  const extension = fileName.slice(fileName.lastIndexOf(".") + 1).toLowerCase();
  return codeExtensions.has(extension) ? "text" : null;
}

/**
 * Returns kind and media type of a file by its name. `processAttachment` later compares them with the content.
 * @throws ServiceError `unsupported_media_type`
 */
export function getFileType(fileName: string): Pick<MessageAttachment, "kind" | "media_type"> {
  const image = findImageType(fileName);
  if (image) return { kind: "image", media_type: image };
  const type = findTextType(fileName);
  if (!type) throw new ServiceError("unsupported_media_type", attachmentFailures.unsupported);
  return { kind: "file", media_type: documentTypes[type].mediaType };
}
