export { type AttachedFile, type AttachOptions, attachFile, type UploadRequest } from "./attach-file.ts";
export type { ChatEvent, ChatOptions, ChatPosition } from "./chat.ts";
export {
  createSwitchboard,
  type EntryOf,
  type ListPath,
  type ReplyOf,
  type Switchboard,
  type SwitchboardOptions,
} from "./client.ts";
export type { ChatRequest, Paths, Problem } from "./paths.ts";
export { type ErrorCode, isProblem, ProblemError } from "./problem.ts";
export { withResume } from "./with-resume.ts";
