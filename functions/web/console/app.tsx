import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from "preact-iso";
import { t } from "./lib/i18n.ts";
import { toasts } from "./lib/toast.ts";
import { CommandPalette } from "./palette.tsx";
import { Rail } from "./rail.tsx";
import { receptor } from "./session/session.ts";
import { SignIn } from "./session/sign-in.tsx";
import { Empty, Failure } from "./ui/controls.tsx";

/** Returns a view whose code is loaded when the view is opened. If that fails, the view shows the error. */
const loadView = (load: () => Promise<ComponentType>) =>
  lazy(() =>
    load().catch((error: unknown) => () => (
      <main class="page">
        <Failure error={error} onRetry={() => location.reload()} />
      </main>
    )),
  );

const Chat = loadView(() => import("./chat/chat-view.tsx").then(({ ChatView }) => ChatView));
const Knowledge = loadView(() => import("./knowledge/knowledge-view.tsx").then(({ KnowledgeView }) => KnowledgeView));
const Build = loadView(() => import("./build/build-view.tsx").then(({ BuildView }) => BuildView));
const Govern = loadView(() => import("./govern/govern-view.tsx").then(({ GovernView }) => GovernView));

function Home() {
  const { route } = useLocation();
  useEffect(() => route("/console/chat", true), [route]);
  return null;
}

function NotFound() {
  return (
    <main class="page">
      <Empty isPage icon="warning" title={t("This page does not exist")}>
        <a href="/console/chat">{t("Go to your conversations")}</a>
      </Empty>
    </main>
  );
}

function Banner() {
  const banner = receptor.value?.policy.banner;
  return banner ? (
    <aside class={`banner ${banner.level}`} aria-label={t("Notice of your organization")}>
      {banner.text}
    </aside>
  ) : null;
}

function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isError }) => (
        <div key={id} class={`toast ${isError ? "danger" : ""}`}>
          {text}
        </div>
      ))}
    </div>
  );
}

/** Console: navigation, the view that belongs to the current URL, and toasts. */
export function App({ startError }: { readonly startError: unknown }) {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const user = receptor.value;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      setPaletteOpen((isOpen) => !isOpen);
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
  if (startError) {
    return (
      <main class="sign-in">
        <div class="card">
          <h1>{t("Switchboard is not available")}</h1>
          <Failure error={startError} onRetry={() => location.reload()} />
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
      <div class="shell">
        <Rail onOpenPalette={() => setPaletteOpen(true)} />
        <div class="workspace">
          <Banner />
          <ErrorBoundary onError={(error) => console.error(error)}>
            <Router key={user.user.user_id}>
              <Route path="/" component={Home} />
              <Route path="/console" component={Home} />
              <Route path="/console/chat/:id?" component={Chat} />
              <Route path="/console/knowledge/:id?/:document?" component={Knowledge} />
              <Route path="/console/build/:section?/:id?" component={Build} />
              <Route path="/console/govern/:section?" component={Govern} />
              <Route default component={NotFound} />
            </Router>
          </ErrorBoundary>
        </div>
      </div>
      {isPaletteOpen && <CommandPalette onClose={() => setPaletteOpen(false)} />}
      <Toasts />
    </LocationProvider>
  );
}
