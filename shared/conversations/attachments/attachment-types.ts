import { attachmentFailures } from "../../api/conversations/attachments.ts";
import { documentTypes } from "../../api/knowledge/document-types.ts";
import type { MessageAttachment } from "../../api/message-attachment.ts";
import { type DocumentType, findDocumentType } from "../../files/file-types.ts";
import { findImageType } from "../../files/images/image-types.ts";
import { ServiceError } from "../../lib/errors.ts";

/** Extensions of source code and configuration, which are read as text. */
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

/** Returns the format with which the text of a file is read, by the extension of its name; null if there is none. */
export function findTextType(fileName: string): DocumentType | null {
  const type = findDocumentType(fileName);
  if (type) return type;
  const extension = fileName.slice(fileName.lastIndexOf(".") + 1).toLowerCase();
  return codeExtensions.has(extension) ? "text" : null;
}

/**
 * Returns kind and media type of a file by its name. The content is compared with both when it is read.
 * @throws ServiceError `unsupported_media_type`
 */
export function getFileType(fileName: string): Pick<MessageAttachment, "kind" | "media_type"> {
  const image = findImageType(fileName);
  if (image) return { kind: "image", media_type: image };
  const type = findTextType(fileName);
  if (!type) throw new ServiceError("unsupported_media_type", attachmentFailures.unsupported);
  return { kind: "file", media_type: documentTypes[type].mediaType };
}
