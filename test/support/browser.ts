import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const packages = join(import.meta.dirname, "../../node_modules");
const chromiumPackage = join(packages, "@sparticuz/chromium");
const { version } = JSON.parse(readFileSync(join(chromiumPackage, "package.json"), "utf8"));

/** Directory with the unpacked browser, shared by all runs with this version. */
const browserDirectory = join(packages, ".cache/chromium", version);

/** Font configuration: the machine's fonts plus the packaged font, for machines without any. */
const fonts = `<?xml version="1.0"?>
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>/usr/share/fonts</dir>
  <dir>${join(browserDirectory, "fonts")}</dir>
  <cachedir>${join(browserDirectory, "fonts-cache")}</cachedir>
</fontconfig>`;

/**
 * Unpacks the browser of the npm package, with libraries and a font for machines without them. Unpacks into a temporary
 * directory and renames it, because a concurrent run must not see a partial copy.
 */
async function unpack(): Promise<void> {
  if (existsSync(browserDirectory)) return;
  await mkdir(dirname(browserDirectory), { recursive: true });
  const draft = await mkdtemp(`${browserDirectory}-`);
  const originalTmpdir = process.env.TMPDIR;
  // The package unpacks into `TMPDIR`.
  process.env.TMPDIR = draft;
  try {
    const { default: browser, inflate } = await import("@sparticuz/chromium");
    await browser.executablePath();
    await inflate(join(chromiumPackage, "bin/al2023.tar.br"));
    await writeFile(join(draft, "fonts.conf"), fonts);
    await rename(draft, browserDirectory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(browserDirectory)) throw error;
  } finally {
    if (originalTmpdir === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = originalTmpdir;
  }
}

/**
 * Starts Chromium with default flags, so that the same-origin policy applies. The packaged browser runs on Linux x64 only;
 * other platforms use the installed Chrome.
 */
export async function startBrowser(): Promise<Browser> {
  if (process.platform !== "linux" || process.arch !== "x64") return chromium.launch({ channel: "chrome" });
  await unpack();
  return chromium.launch({
    executablePath: join(browserDirectory, "chromium"),
    args: ["--no-sandbox", "--no-zygote", "--disable-gpu", "--font-render-hinting=none"],
    env: {
      ...process.env,
      FONTCONFIG_FILE: join(browserDirectory, "fonts.conf"),
      LD_LIBRARY_PATH: [join(browserDirectory, "al2023/lib"), process.env.LD_LIBRARY_PATH].filter(Boolean).join(":"),
    } as Record<string, string>,
  });
}
