import { formatBytes } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { IconButton } from "../../ui/buttons.tsx";
import { Icon } from "../../ui/icons.tsx";
import { type PendingFile, removeFile } from "./pending-files.ts";

function stateOf({ size, progress, attachment, error }: PendingFile): string {
  if (error !== null) return error;
  if (progress === null || attachment !== null) return formatBytes(size);
  return progress < 1 ? t("{percent} % sent", { percent: Math.round(progress * 100) }) : t("Being read …");
}

/** Files for the next question, with the progress of their upload. */
export function PendingFileList({
  conversationId,
  files,
}: {
  readonly conversationId: string;
  readonly files: readonly PendingFile[];
}) {
  return (
    <ul class="files" aria-label={t("Files of the question")}>
      {files.map((pending) => (
        <li key={pending.key} class={`file ${pending.error === null ? "" : "failed"}`}>
          {pending.preview && pending.error === null ? <img src={pending.preview} alt="" /> : <Icon name="document" />}
          <span class="file-text">
            <strong class="truncate">{pending.name}</strong>
            <span class="small muted" role={pending.error === null ? undefined : "alert"}>
              {stateOf(pending)}
            </span>
          </span>
          <IconButton
            icon="close"
            label={t("Remove {name}", { name: pending.name })}
            onClick={() => removeFile(conversationId, pending)}
          />
        </li>
      ))}
    </ul>
  );
}
