import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../../lib/i18n.ts";
import { Button } from "../../ui/buttons.tsx";
import { PageLayout } from "../../ui/layout.tsx";
import { NotFound } from "../../ui/status.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Groups } from "./groups.tsx";
import { InvitationDialog, Invitations } from "./invitations.tsx";
import { Members } from "./members.tsx";
import { Roles } from "./roles.tsx";

const path = "/console/admin/people";

const tabs = ["members", "groups", "roles", "invitations"] as const;

/** People of the organization, their groups and roles, and invitations, each on a tab with a path of its own. */
export function PeopleView({ id }: { readonly id: string | null }) {
  const { route } = useLocation();
  const [isCreating, setCreating] = useState(false);
  const tab = tabs.find((name) => name === (id ?? "members"));
  if (!tab) return <NotFound />;
  const create = tab === "groups" ? t("New group") : tab === "roles" ? t("New role") : t("Invite a person");
  const state = { isCreating, onCreated: () => setCreating(false) };
  return (
    <PageLayout
      title={t("People")}
      intro={t("Roles come with the sign-in of a user. Groups give their members further roles.")}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
          {create}
        </Button>
      }
    >
      <Tabs
        label={t("People")}
        value={tab}
        onValue={(next) => route(next === "members" ? path : `${path}/${next}`)}
        options={[
          ["members", t("Members")],
          ["groups", t("Groups")],
          ["roles", t("Roles")],
          ["invitations", t("Invitations")],
        ]}
      />
      {tab === "members" && <Members />}
      {tab === "groups" && <Groups {...state} />}
      {tab === "roles" && <Roles {...state} />}
      {tab === "invitations" && <Invitations />}
      {isCreating && (tab === "members" || tab === "invitations") && <InvitationDialog onClose={state.onCreated} />}
    </PageLayout>
  );
}
