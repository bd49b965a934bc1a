import { isComposing } from "../../../../shared/client/is-composing.ts";

/** Keeps keys of input methods from every handler of the console, and from dialogs, which the browser closes with Escape. */
addEventListener(
  "keydown",
  (event) => {
    if (!isComposing(event)) return;
    event.stopImmediatePropagation();
    if (event.key === "Escape") event.preventDefault();
  },
  true,
);
