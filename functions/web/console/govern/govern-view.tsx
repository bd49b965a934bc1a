import { useEffect } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { t } from "../lib/i18n.ts";
import { governSections } from "../navigation.ts";
import { SectionPanel } from "../ui/layout.tsx";
import { NotAllowed, NotFound } from "../ui/status.tsx";
import { AccessView } from "./access.tsx";
import { Approvals } from "./approvals.tsx";
import { Audit } from "./audit/audit.tsx";
import { Budgets } from "./budgets.tsx";
import { Incidents } from "./incidents.tsx";
import { PersonalData } from "./personal-data.tsx";
import { PolicyView } from "./policy.tsx";
import { UsageView } from "./usage.tsx";

/** View with usage, approvals, policy, audit trail, access and personal data. */
export function GovernView() {
  const { section } = useRoute().params;
  const { route } = useLocation();
  const sections = governSections();
  const first = sections[0]?.path ?? "";
  const isWide = matchMedia("(min-width: 761px)").matches;
  useEffect(() => {
    if (!section && isWide) route(first, true);
  }, [section, isWide, first, route]);
  const path = section ? `/console/govern/${section}` : first;
  const views: Record<string, () => preact.JSX.Element> = {
    usage: UsageView,
    budgets: Budgets,
    approvals: Approvals,
    incidents: Incidents,
    policy: PolicyView,
    audit: Audit,
    access: AccessView,
    data: PersonalData,
  };
  const name = path.split("/").at(-1) ?? "";
  const isAllowed = sections.some((each) => each.path === path);
  const View = (isAllowed ? views[name] : name in views ? NotAllowed : undefined) ?? NotFound;
  return (
    <div class={`split ${section ? "detail" : "list"}`}>
      <SectionPanel title={t("Govern")} sections={sections} current={path} isOnly={!section} />
      <View />
    </div>
  );
}
