import "../design/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/chat.css";
import "./styles/views.css";
import "./lib/browser-language.ts";
import "./lib/ignore-composition.ts";
import { render } from "preact";
import { App } from "./app.tsx";
import { loadLanguage } from "./lib/i18n.ts";
import { acceptPendingInvitation, keepInvitation } from "./lib/invitation.ts";
import { showCutTexts } from "./lib/show-cut-texts.ts";
import { loadTheme } from "./lib/theme.ts";
import { receptor, startSession } from "./session/session.ts";

loadTheme();
showCutTexts();

const root = document.getElementById("app");

keepInvitation();

// The language and the session load at the same time; the first render needs both.
const [, session] = await Promise.allSettled([loadLanguage(), startSession()]);
if (root) {
  root.replaceChildren();
  render(<App startError={session.status === "rejected" ? session.reason : null} />, root);
}
if (receptor.value) void acceptPendingInvitation();
