import { AreaView, type SectionViews } from "../area-view.tsx";
import { ToolConsents } from "./consents.tsx";
import { Memories } from "./memories.tsx";
import { Notes } from "./notes.tsx";
import { PersonalData } from "./personal-data.tsx";
import { Schedules } from "./schedules.tsx";

const views: SectionViews = {
  schedules: Schedules,
  memories: Memories,
  notes: Notes,
  consents: ToolConsents,
  data: PersonalData,
};

/** Area with what belongs to the user: schedules, memories, notes, consents and exports. */
export const AccountView = () => <AreaView name="account" views={views} />;
