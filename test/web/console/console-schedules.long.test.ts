import { expect, it } from "vitest";
import { saveScreenshot, setUpConsoleSuite } from "./console-suite.ts";

const suite = setUpConsoleSuite();

it("schedule is written with a preview of its times, runs now, and shows the run with its conversation", async () => {
  const { page, pageErrors } = await suite.visit({ path: "/console/account/schedules" });
  await page.getByRole("button", { name: "New schedule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Morning report");
  await dialog.getByLabel("Question").fill("What is new?");
  await dialog.getByLabel("Time zone").fill("Asia/Tokyo");
  await dialog.getByLabel("Times (cron)").fill("30 7 25 12 *");
  const times = dialog.getByRole("listitem");
  await times
    .first()
    .filter({ hasText: /December 25, \d{4} at 7:30/ })
    .waitFor();
  expect(await times.count()).toBe(5);
  await dialog.getByLabel("Times (cron)").fill("30 7 31 2 *");
  await dialog.getByText("No time matches yet.").waitFor();
  await saveScreenshot(page, "schedule-dialog");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("never occurs", { exact: false }).waitFor();
  await dialog.getByLabel("Times (cron)").fill("30 7 25 12 *");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Morning report" }).waitFor();
  await page.getByText("It has not run yet.").waitFor();
  await page.getByRole("button", { name: "Run now" }).click();
  const row = page.getByRole("row").nth(1);
  await expect
    .poll(async () => {
      await page.getByRole("button", { name: "Refresh" }).click();
      return row.textContent();
    })
    .toContain("Complete");
  await saveScreenshot(page, "schedule");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("The schedule is paused.").waitFor();
  await page.getByRole("heading", { name: "Next times" }).waitFor({ state: "detached" });
  await row.getByRole("link", { name: "Open" }).click();
  await page.getByText("What is new?").first().waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No schedule yet").waitFor();
  // Previews and the schedule that is refused are the only failed requests.
  expect(pageErrors.filter((text) => !/400|Service Worker/.test(text))).toEqual([]);
});
