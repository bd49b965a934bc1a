import { t } from "./lib/i18n.ts";
import { Dialog } from "./ui/dialog.tsx";

export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const shortcuts: readonly (readonly [keys: readonly string[], text: string])[] = [
    [[t("Ctrl"), "K"], t("Search and commands")],
    [[t("Ctrl"), t("Shift"), "O"], t("New conversation")],
    [[t("Shift"), "Esc"], t("Skip to the message field")],
    [["Enter"], t("Send the message; while an answer is written, after its end")],
    [[t("Shift"), "Enter"], t("New line in the message")],
    [["/"], t("Choose a template, at the beginning of a message")],
    [["@"], t("Choose a persona, or a document that the answer is limited to")],
    [["Esc"], t("Close a dialog, a menu or the side panel")],
    [["?"], t("Show these shortcuts")],
  ];
  return (
    <Dialog title={t("Keyboard shortcuts")} onClose={onClose}>
      <dl class="shortcuts">
        {shortcuts.map(([keys, text]) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
