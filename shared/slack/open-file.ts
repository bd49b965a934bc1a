import * as v from "valibot";
import { type ReceivedFile, UnreadableFile } from "../messengers/client.ts";
import { type DownloadedFile, SlackError, type SlackReply } from "./slack-client.ts";

const MAX_NAME_CHARACTERS = 255;

/** Fields of a file that are read. Files of other services, deleted and hidden ones have no address. */
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
  too_large: "It has more than 20 MiB.",
};

/** Returns a name on one line; the end of a long one, which has the extension. */
const nameOf = ({ name, title }: SlackFile, id: string) =>
  (name || title || id)
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "")
    .slice(-MAX_NAME_CHARACTERS)
    .toWellFormed()
    .trim() || id;

/** Slack answers 200 with a web page where a person would sign in, also for files that are web pages. */
const isOtherPage = ({ mediaType, content }: DownloadedFile, expected: string, size: number) =>
  mediaType === "text/html" && (expected !== "text/html" || content.length !== size);

/** Runs a call whose failure is a reason for which a file cannot be read. @throws UnreadableFile */
async function orUnreadable<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    throw new UnreadableFile(reasons[error.code] ?? `Slack did not send it (${error.code}).`);
  }
}

/** Calls of a workspace that reading a file needs. */
interface FileCalls {
  call(this: void, method: string, fields: Readonly<Record<string, unknown>>): Promise<SlackReply>;
  download(this: void, url: string, maxBytes: number): Promise<DownloadedFile>;
}

/** Finds a file by its id, because events lack the fields of files from other organizations. @throws UnreadableFile */
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
