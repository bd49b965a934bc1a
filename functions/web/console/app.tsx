import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from "preact-iso";
import { isProblem } from "../../../shared/client/index.ts";
import { ChatView } from "./chat/chat-view.tsx";
import { t } from "./lib/i18n.ts";
import { toasts } from "./lib/toast.ts";
import { AFTER_FIRST_VIEW_MS } from "./open-work.ts";
import { Rail } from "./rail.tsx";
import { receptor } from "./session/session.ts";
import { SignIn } from "./session/sign-in.tsx";
import { onDemand } from "./ui/on-demand.tsx";
import { FailureMessage, NotFound } from "./ui/status.tsx";

/** Returns a view whose code is loaded when the view is opened. If that fails, the view shows the error. */
const loadView = (load: () => Promise<ComponentType>) =>
  lazy(() =>
    load().catch((error: unknown) => () => (
      <main class="page">
        <FailureMessage error={error} onRetry={() => location.reload()} />
      </main>
    )),
  );

const Knowledge = loadView(() => import("./knowledge/knowledge-view.tsx").then(({ KnowledgeView }) => KnowledgeView));
const Assistants = loadView(() => import("./assistants/assistants-view.tsx").then((module) => module.AssistantsView));
const Operate = loadView(() => import("./operate/operate-view.tsx").then(({ OperateView }) => OperateView));
const Admin = loadView(() => import("./admin/admin-view.tsx").then(({ AdminView }) => AdminView));
const Account = loadView(() => import("./account/account-view.tsx").then(({ AccountView }) => AccountView));
const ToolSignIn = loadView(() =>
  import("./assistants/tools/tool-sign-in.tsx").then((module) => module.ToolSignInView),
);
const SlackInstalled = loadView(() =>
  import("./operate/messengers/slack-installed.tsx").then((module) => module.SlackInstalled),
);
const SlackLink = loadView(() =>
  import("./operate/messengers/account-link.tsx").then((module) => module.SlackLinkView),
);
const TeamsLink = loadView(() =>
  import("./operate/messengers/account-link.tsx").then((module) => module.TeamsLinkView),
);

const Operator = onDemand(() => import("./operator/operator-view.tsx").then(({ OperatorView }) => OperatorView));

const loadPalette = () => import("./palette.tsx").then(({ CommandPalette }) => CommandPalette);
const CommandPalette = onDemand(loadPalette);
const ShortcutSheet = onDemand(() => import("./shortcuts.tsx").then((module) => module.ShortcutSheet));

function Home() {
  const { route } = useLocation();
  useEffect(() => route("/console/chat", true), [route]);
  return null;
}

function Banner() {
  const banner = receptor.value?.policy.banner;
  return banner ? (
    <aside class={`banner ${banner.level}`} aria-label={t("Notice of your organization")}>
      {banner.text}
    </aside>
  ) : null;
}

/** Dialog that a key opens above any view. */
const overlay = signal<"palette" | "shortcuts" | null>(null);

const setOverlay = (next: typeof overlay.value) => {
  overlay.value = next;
};

function focusContent(): void {
  const target =
    document.querySelector<HTMLElement>(".conversation .composer textarea") ?? document.querySelector("main");
  target?.focus();
}

/** Keys that work in every view, and the dialogs that they open. */
function Shortcuts() {
  const { route } = useLocation();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isCommand = event.metaKey || event.ctrlKey;
      const key = event.key.toLowerCase();
      // The code loads with the first key of the shortcut, because typing can start right after the second one.
      if (isCommand) void loadPalette().catch(() => {});
      const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      if (isCommand && key === "k") setOverlay(overlay.value === "palette" ? null : "palette");
      else if (isCommand && event.shiftKey && key === "o") route("/console/chat");
      else if (event.shiftKey && key === "escape") focusContent();
      else if (key === "?" && !isCommand && !isTyping) setOverlay("shortcuts");
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [route]);
  if (overlay.value === "palette") return <CommandPalette onClose={() => setOverlay(null)} />;
  return overlay.value === "shortcuts" ? <ShortcutSheet onClose={() => setOverlay(null)} /> : null;
}

/** Link that moves the focus past the navigation, to the message field or the main content. */
function SkipLink() {
  const { path } = useLocation();
  const isChat = path.startsWith("/console/chat");
  return (
    <button type="button" class="skip-link" onClick={focusContent}>
      {isChat ? t("Skip to the message field") : t("Skip to the content")}
    </button>
  );
}

setTimeout(
  () =>
    import("./offline/keep-offline.ts")
      .then((module) => module.keepOffline())
      // A browser can forbid to keep anything.
      .catch(() => {}),
  AFTER_FIRST_VIEW_MS,
);

const isOffline = signal(!navigator.onLine);
for (const type of ["online", "offline"]) {
  addEventListener(type, () => {
    isOffline.value = !navigator.onLine;
  });
}

/** Notice that the browser has no network, so that nothing that is sent arrives. */
function OfflineNotice() {
  return (
    <div role="status">
      {isOffline.value && <p class="banner warning">{t("You are offline. What you send waits for the connection.")}</p>}
    </div>
  );
}

function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isError, action }) => (
        <div key={id} class={`toast ${isError ? "danger" : ""}`}>
          {text}
          {action && (
            <button type="button" class="link" onClick={action.run}>
              {action.label}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}

/** Path of the page of the operator, who signs in to no tenant. */
const operatorPath = "/console/operator";

/** Console: navigation, the view that belongs to the current URL, and toasts. */
export function App({ startError }: { readonly startError: unknown }) {
  const user = receptor.value;
  if (location.pathname === operatorPath) {
    return (
      <>
        <Operator />
        <Toasts />
      </>
    );
  }
  if (startError) {
    return (
      <main class="sign-in">
        <div class="card">
          <h1>{t("Switchboard is not available")}</h1>
          {isProblem(startError, "forbidden") && (
            <p>{t("You have no access: your account was deactivated, or the organization is suspended.")}</p>
          )}
          <FailureMessage error={startError} onRetry={() => location.reload()} />
        </div>
      </main>
    );
  }
  if (!user) {
    return (
      <>
        <SignIn />
        <Toasts />
      </>
    );
  }
  return (
    <LocationProvider scope={/^\/(console|$)/}>
      <Shortcuts />
      <SkipLink />
      <div class="shell">
        <Rail onOpenPalette={() => setOverlay("palette")} />
        <div class="workspace">
          <div>
            <Banner />
            <OfflineNotice />
          </div>
          <ErrorBoundary onError={(error) => console.error(error)}>
            <Router key={user.user.user_id}>
              <Route path="/" component={Home} />
              <Route path="/console" component={Home} />
              <Route path="/console/chat/:id?" component={ChatView} />
              <Route path="/console/knowledge/:id?/:document?" component={Knowledge} />
              <Route path="/console/tool-sign-in" component={ToolSignIn} />
              <Route path="/console/slack-installed" component={SlackInstalled} />
              <Route path="/console/slack-link" component={SlackLink} />
              <Route path="/console/teams-link" component={TeamsLink} />
              <Route path="/console/assistants/:section?/:id?" component={Assistants} />
              <Route path="/console/operate/:section?/:id?" component={Operate} />
              <Route path="/console/admin/:section?/:id?" component={Admin} />
              <Route path="/console/account/:section?/:id?" component={Account} />
              <Route default component={NotFound} />
            </Router>
          </ErrorBoundary>
        </div>
      </div>
      <Toasts />
    </LocationProvider>
  );
}
