import type { JSX } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { FormContext } from "./form-state.ts";
import { Icon, type IconName } from "./icons.tsx";

type ButtonProps = Omit<JSX.IntrinsicElements["button"], "icon" | "label"> & {
  readonly icon?: IconName;
  /** `danger` confirms what cannot be undone; `danger-outline` leads to its confirmation. */
  readonly kind?: "primary" | "danger" | "danger-outline" | "quiet" | "";
  readonly isSmall?: boolean;
};

/** Button with a text. The submit button of a form is disabled while the form sends its values. */
export function Button({ icon, kind = "", isSmall = false, disabled, children, ...props }: ButtonProps) {
  const form = useContext(FormContext);
  const isBusy = props.type === "submit" && form?.isPending === true;
  return (
    <button type="button" {...props} disabled={disabled || isBusy} class={`button ${kind} ${isSmall ? "small" : ""}`}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** Button with an icon only. Its label is its name and tooltip. */
export function IconButton({
  icon,
  label,
  ...props
}: Omit<JSX.IntrinsicElements["button"], "icon" | "label"> & { readonly icon: IconName; readonly label: string }) {
  return (
    <button type="button" class="icon-button" {...props} aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}

/** Copies a text to the clipboard. Returns false where the browser does not allow it. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export function CopyButton({ text, label = t("Copy") }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1_800);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <IconButton
      icon={isCopied ? "check" : "copy"}
      label={isCopied ? t("Copied") : label}
      onClick={async () => setCopied(await copyText(text))}
    />
  );
}
