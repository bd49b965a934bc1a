import { t } from "../../lib/i18n.ts";
import { CodeSnippet } from "../../ui/code-snippet.tsx";
import { SidePanel } from "../side-panel.tsx";
import { Diagram } from "./diagram.tsx";
import { shownPreview } from "./preview.ts";

/** Panel that draws HTML, an SVG image or a diagram of an answer next to the text, in a frame without scripts of the answer. */
export function PreviewPanel() {
  const preview = shownPreview.value;
  if (!preview) return null;
  const { kind, language, code } = preview;
  return (
    <SidePanel
      label={t("Preview")}
      title={t("Preview")}
      details={kind === "markup" && <p class="muted small">{t("Without scripts and files of other hosts")}</p>}
      onClose={() => {
        shownPreview.value = null;
      }}
    >
      <div class="side-scroll">
        <Diagram key={code} kind={kind} title={t("Preview")} source={code}>
          <CodeSnippet title={language} language={language} code={code} />
        </Diagram>
      </div>
    </SidePanel>
  );
}
