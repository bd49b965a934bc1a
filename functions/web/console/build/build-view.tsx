import { t } from "../lib/i18n.ts";
import { Empty } from "../ui/controls.tsx";

/** Placeholder until the view is built. */
export function BuildView() {
  return (
    <main class="page">
      <Empty icon="blocks" title={t("This view is not part of this version yet")} />
    </main>
  );
}
