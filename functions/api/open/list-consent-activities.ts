import { listConsentActivitiesRoute } from "#shared/api/platform/open.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { consentActivities } from "#shared/tenancy/consent-activities.ts";

export const handler = endpoint(listConsentActivitiesRoute, async () => ({
  activities: consentActivities.map((activity) => ({ ...activity })),
}));
