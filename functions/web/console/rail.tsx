import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { consoleLanguages, language, languageCodes, setLanguage, t } from "./lib/i18n.ts";
import { setTheme, theme } from "./lib/theme.ts";
import { showError, showToast } from "./lib/toast.ts";
import { getArea, mainDestinations } from "./navigation.ts";
import { formatCount, useOpenWork, useOpenWorkUpdates } from "./open-work.ts";
import { localIdentities, localIdentity, receptor, signOut, siteConfig, switchIdentity } from "./session/session.ts";
import { Icon } from "./ui/icons.tsx";
import { Menu, type MenuEntry } from "./ui/menu.tsx";
import { onDemand } from "./ui/on-demand.tsx";
import { CountBadge } from "./ui/status.tsx";

/** Dialog of the local mode, in which users are chosen instead of signing in. */
const IdentityDialog = onDemand(() => import("./session/identity-dialog.tsx").then((module) => module.IdentityDialog));

/** Navigation between the views, and the user's menu. */
export function Rail({ onOpenPalette }: { readonly onOpenPalette: () => void }) {
  const { path } = useLocation();
  const counts = useOpenWork();
  useOpenWorkUpdates();
  const countOf = (area: string) =>
    [...counts].reduce((sum, [section, count]) => (section.startsWith(`${area}/`) ? sum + count : sum), 0);
  return (
    <header class="rail">
      <a class="logo" href="/console/chat" aria-label="Switchboard">
        <img src="/favicon.svg" alt="" width="34" height="34" />
      </a>
      <nav aria-label={t("Main navigation")}>
        {mainDestinations().map((destination) => (
          <a
            key={destination.path}
            class="rail-item"
            href={destination.path}
            aria-current={path.startsWith(destination.path) ? "page" : undefined}
          >
            <Icon name={destination.icon} />
            {destination.label}
            <CountBadge count={formatCount(countOf(destination.path))} />
          </a>
        ))}
      </nav>
      <span class="spacer" />
      <button type="button" class="rail-item wide" onClick={onOpenPalette} title={t("Search and commands (Ctrl K)")}>
        <Icon name="search" />
        {t("Search")}
      </button>
      <a class="rail-item wide" href="/docs" target="_blank" rel="noreferrer">
        <Icon name="help" />
        {t("Docs")}
      </a>
      <UserMenu />
    </header>
  );
}

function UserMenu() {
  const { route } = useLocation();
  const [isDialogOpen, setDialogOpen] = useState(false);
  const user = receptor.value?.user;
  const name = user?.name ?? user?.external_id ?? "";
  const current = localIdentity.value;
  const choose = (identity: (typeof localIdentities)[number]) => async () => {
    try {
      await switchIdentity(identity);
      showToast(t("You are now {user} ({roles}).", { user: identity.user, roles: identity.roles }));
    } catch (error) {
      showError(error);
    }
  };
  const known =
    current && !localIdentities.some(({ user, roles }) => user === current.user && roles === current.roles)
      ? [...localIdentities, current]
      : localIdentities;
  const identities: MenuEntry[] =
    siteConfig.value?.provider === "local"
      ? [
          ...known.map((identity) => ({
            label: `${identity.user} (${identity.roles})`,
            icon: "person" as const,
            isChecked: identity.user === current?.user && identity.roles === current.roles,
            onSelect: choose(identity),
          })),
          { label: t("Another user…"), icon: "plus", onSelect: () => setDialogOpen(true) },
          null,
        ]
      : [];
  const entries: MenuEntry[] = [
    ...getArea("account").sections.map(({ path, label, icon }) => ({ label, icon, onSelect: () => route(path) })),
    null,
    ...identities,
    {
      label: t("Light"),
      icon: "sun",
      isChecked: theme.value === "light",
      onSelect: () => setTheme("light"),
    },
    { label: t("Dark"), icon: "moon", isChecked: theme.value === "dark", onSelect: () => setTheme("dark") },
    {
      label: t("Like the system"),
      icon: "window",
      isChecked: theme.value === "system",
      onSelect: () => setTheme("system"),
    },
    null,
    ...languageCodes.map((code) => ({
      label: consoleLanguages[code].name,
      icon: "globe" as const,
      isChecked: language.value === code,
      onSelect: () => void setLanguage(code),
    })),
    null,
    { label: t("Documentation"), icon: "help", onSelect: () => window.open("/docs", "_blank", "noreferrer") },
    ...(siteConfig.value?.provider === "oidc"
      ? [{ label: t("Sign out"), icon: "exit" as const, onSelect: () => void signOut() }]
      : []),
  ];
  return (
    <>
      <Menu
        label={t("Menu of {user}", { user: name })}
        className="up start"
        entries={entries}
        trigger={
          <>
            <span class="avatar" aria-hidden="true">
              {name.slice(0, 2)}
            </span>
            <span class="visually-hidden">{t("Menu of {user}", { user: name })}</span>
          </>
        }
      />
      {isDialogOpen && <IdentityDialog onClose={() => setDialogOpen(false)} />}
    </>
  );
}
