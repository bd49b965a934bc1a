import { useEffect, useRef, useState } from "preact/hooks";
import type { Message } from "../../../../../shared/api/conversations/messages.ts";
import { formatBytes } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { showError } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icons.tsx";

type Attachment = NonNullable<Message["attachments"]>[number];

interface AttachmentProps {
  readonly conversationId: string;
  readonly attachment: Attachment;
}

/** Returns a download URL of a file, which is valid for five minutes; null if the file was deleted. */
async function findDownloadUrl({ conversationId, attachment }: AttachmentProps): Promise<string | null> {
  const path = { id: conversationId, attachment_id: attachment.id };
  const { download } = await api.GET("/v1/conversations/{id}/attachments/{attachment_id}", { params: { path } });
  return download?.url ?? null;
}

async function download(props: AttachmentProps): Promise<void> {
  try {
    const url = await findDownloadUrl(props);
    if (url) location.assign(url);
  } catch (error) {
    showError(error);
  }
}

/** Image in a message. It is loaded when it scrolls into view, and enlarged in a dialog. */
function ImageAttachment(props: AttachmentProps) {
  const { attachment } = props;
  const button = useRef<HTMLButtonElement>(null);
  const [url, setUrl] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [isGone, setGone] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    let loaded: string | null = null;
    const load = async () => {
      const source = await findDownloadUrl(props);
      if (!source) throw new Error("The image was deleted.");
      const response = await fetch(source, { signal: controller.signal });
      if (!response.ok) throw new Error(`The image could not be loaded (${response.status}).`);
      const image = await response.blob();
      if (controller.signal.aborted) return;
      loaded = URL.createObjectURL(image);
      setUrl(loaded);
    };
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        load().catch(() => setGone(true));
      },
      { rootMargin: "300px" },
    );
    if (button.current) observer.observe(button.current);
    return () => {
      observer.disconnect();
      controller.abort();
      if (loaded) URL.revokeObjectURL(loaded);
    };
  }, [attachment.id]);
  if (isGone) return <FileAttachment {...props} />;
  return (
    <>
      <button
        ref={button}
        type="button"
        class="file-image"
        aria-label={t("Show {name}", { name: attachment.file_name })}
        disabled={url === null}
        onClick={() => setOpen(true)}
      >
        {url && <img src={url} alt={attachment.file_name} />}
      </button>
      {isOpen && url && (
        <Dialog isWide title={attachment.file_name} onClose={() => setOpen(false)}>
          <img class="file-full" src={url} alt={attachment.file_name} />
          <Button icon="download" onClick={() => void download(props)}>
            {t("Download")}
          </Button>
        </Dialog>
      )}
    </>
  );
}

function FileAttachment(props: AttachmentProps) {
  const { file_name, size, kind } = props.attachment;
  return (
    <button
      type="button"
      class="file"
      aria-label={t("Download {name}", { name: file_name })}
      onClick={() => void download(props)}
    >
      <Icon name={kind === "image" ? "window" : "document"} />
      <span class="file-text">
        <strong class="truncate">{file_name}</strong>
        <span class="small muted">{formatBytes(size)}</span>
      </span>
    </button>
  );
}

export function AttachmentList({
  conversationId,
  attachments,
}: {
  readonly conversationId: string;
  readonly attachments: readonly Attachment[];
}) {
  return (
    <ul class="files end" aria-label={t("Files of the question")}>
      {attachments.map((attachment) => (
        <li key={attachment.id}>
          {attachment.kind === "image" ? (
            <ImageAttachment conversationId={conversationId} attachment={attachment} />
          ) : (
            <FileAttachment conversationId={conversationId} attachment={attachment} />
          )}
        </li>
      ))}
    </ul>
  );
}
