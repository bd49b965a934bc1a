import * as v from "valibot";
import { MAX_ATTACHMENT_BYTES } from "../api/conversations/attachment-limits.ts";
import { MEBIBYTE } from "../api/limits.ts";
import { type ReceivedFile, UnreadableFile } from "../messengers/client.ts";
import { type DownloadedFile, SlackError } from "./slack-client.ts";
import type { WorkspaceClient } from "./workspace-client.ts";

const MAX_NAME_CHARACTERS = 255;

/** Fields of Slack's file object. Files of other services, and deleted or hidden files, have no download URL. */
const SlackFile = v.object({
  name: v.fallback(v.string(), ""),
  title: v.fallback(v.string(), ""),
  size: v.fallback(v.number(), 0),
  mode: v.fallback(v.string(), ""),
  is_external: v.fallback(v.boolean(), false),
  url_private_download: v.fallback(v.nullable(v.string()), null),
  url_private: v.fallback(v.nullable(v.string()), null),
});
type SlackFile = v.InferOutput<typeof SlackFile>;

const reasons: Readonly<Record<string, string>> = {
  missing_scope:
    "The app may not read files. An administrator adds the scope `files:read` to the app in Slack and installs it again.",
  login_required: "Slack sent a page to sign in instead of the file. The app may not be allowed to read it.",
  file_deleted: "It was deleted.",
  file_not_found: "Slack does not find it.",
  too_large: `It has more than ${MAX_ATTACHMENT_BYTES / MEBIBYTE} MiB.`,
};

/** Returns the name of a file without control characters. Of a long name, returns the end, which has the extension. */
const nameOf = ({ name, title }: SlackFile, id: string) =>
  (name || title || id)
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "")
    .slice(-MAX_NAME_CHARACTERS)
    .toWellFormed()
    .trim() || id;

/**
 * Returns true if Slack sent its sign-in page, which has the status 200, instead of the file. A file that is itself
 * HTML is recognized by its size.
 */
const isOtherPage = ({ mediaType, content }: DownloadedFile, expected: string, size: number) =>
  mediaType === "text/html" && (expected !== "text/html" || content.length !== size);

/**
 * Awaits a call and converts its SlackError to an UnreadableFile with a reason for the user.
 * @throws UnreadableFile
 */
async function orUnreadable<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    throw new UnreadableFile(reasons[error.code] ?? `Slack did not send it (${error.code}).`);
  }
}

type FileCalls = Pick<WorkspaceClient, "call" | "download">;

/**
 * Returns name and download function of a file. Requests its data by id, because events lack them for files of other
 * organizations.
 * @throws UnreadableFile
 */
export async function openSlackFile({ call, download }: FileCalls, id: string): Promise<ReceivedFile> {
  const file = v.parse(SlackFile, (await orUnreadable(call("files.info", { file: id }))).file);
  const url = file.url_private_download ?? file.url_private;
  return {
    file_name: nameOf(file, id),
    download: async (maxBytes, mediaType) => {
      if (file.is_external) throw new UnreadableFile("It is stored in another service. Upload it to Slack.");
      if (url === null) throw new UnreadableFile("Slack does not offer it for download.");
      if (file.size > maxBytes) throw new UnreadableFile(reasons.too_large);
      const downloaded = await orUnreadable(download(url, maxBytes));
      if (isOtherPage(downloaded, mediaType, file.size)) throw new UnreadableFile(reasons.login_required);
      return downloaded.content;
    },
  };
}
