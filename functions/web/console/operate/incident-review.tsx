import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { t } from "../lib/i18n.ts";
import { saveFile } from "../lib/save-file.ts";
import { showError } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";

type Review = ReplyOf<"/v1/investigations/{id}/review", "get">;

/** Button that drafts the review of an incident, which a person completes and saves. */
export function IncidentReview({ id }: { readonly id: string }) {
  const [review, setReview] = useState<Review | null>(null);
  const draft = () =>
    api.GET("/v1/investigations/{id}/review", { params: { path: { id } } }).then(setReview, showError);
  return (
    <>
      <Button icon="document" onClick={draft}>
        {t("Draft the review")}
      </Button>
      {review && <ReviewDialog review={review} onClose={() => setReview(null)} />}
    </>
  );
}

function ReviewDialog({ review, onClose }: { readonly review: Review; readonly onClose: () => void }) {
  const [text, setText] = useState(review.text);
  return (
    <Dialog title={review.title} onClose={onClose} isWide>
      <div class="stack">
        <p class="muted small">
          {t("No model wrote it. Complete it, and add it to a collection, so that later investigations find it.")}
        </p>
        <TextField label={t("Review (Markdown)")} rows={16} value={text} onValue={setText} />
        <div class="actions">
          <Button onClick={onClose}>{t("Close")}</Button>
          <Button
            kind="primary"
            icon="download"
            onClick={() => saveFile("review.md", new Blob([text], { type: "text/markdown" }))}
          >
            {t("Save as a file")}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
