import "./lib/browser-language.ts";
import "./lib/ignore-composition.ts";
import { render } from "preact";
import { loadLanguage } from "./lib/i18n.ts";
import { acceptPendingInvitation, keepInvitation } from "./lib/invitation.ts";
import { showCutTexts } from "./lib/show-cut-texts.ts";
import { loadTheme } from "./lib/theme.ts";
import { receptor, startSession } from "./session/session.ts";
import { fitAboveKeyboard } from "./ui/fit-above-keyboard.ts";

loadTheme();
showCutTexts();
fitAboveKeyboard();

const root = document.getElementById("app");

keepInvitation();

// The first render needs the code of the views, the language and the session, which load at the same time.
const app = import("./app.tsx");
const [, session] = await Promise.allSettled([loadLanguage(), startSession()]);
const { App } = await app;
if (root) {
  root.replaceChildren();
  render(<App startError={session.status === "rejected" ? session.reason : null} />, root);
}
if (receptor.value) void acceptPendingInvitation();
