import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const packages = join(import.meta.dirname, "../../node_modules");
const packed = join(packages, "@sparticuz/chromium");
const { version } = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"));

/** Where the browser lies unpacked, for all runs of this version of it. */
const home = join(packages, ".cache/chromium", version);

/** Fonts of the machine, and one that came along, for machines that have none. */
const fonts = `<?xml version="1.0"?>
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>/usr/share/fonts</dir>
  <dir>${join(home, "fonts")}</dir>
  <cachedir>${join(home, "fonts-cache")}</cachedir>
</fontconfig>`;

/**
 * Unpacks the browser that npm brought, with libraries and a font for machines that have none. It goes into a directory of
 * its own first: whoever starts at the same time must not see half of it.
 */
async function unpack(): Promise<void> {
  if (existsSync(home)) return;
  await mkdir(dirname(home), { recursive: true });
  const draft = await mkdtemp(`${home}-`);
  const temporary = process.env.TMPDIR;
  // The package unpacks into the directory for temporary files.
  process.env.TMPDIR = draft;
  try {
    const { default: browser, inflate } = await import("@sparticuz/chromium");
    await browser.executablePath();
    await inflate(join(packed, "bin/al2023.tar.br"));
    await writeFile(join(draft, "fonts.conf"), fonts);
    await rename(draft, home);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  } finally {
    if (temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporary;
  }
}

/** Starts Chromium as it is on people's desks: with its rules about origins in force. What npm brings runs on Linux x64; elsewhere it is the Chrome of the machine. */
export async function startBrowser(): Promise<Browser> {
  if (process.platform !== "linux" || process.arch !== "x64") return chromium.launch({ channel: "chrome" });
  await unpack();
  return chromium.launch({
    executablePath: join(home, "chromium"),
    args: ["--no-sandbox", "--no-zygote", "--disable-gpu", "--font-render-hinting=none"],
    env: {
      ...process.env,
      FONTCONFIG_FILE: join(home, "fonts.conf"),
      LD_LIBRARY_PATH: [join(home, "al2023/lib"), process.env.LD_LIBRARY_PATH].filter(Boolean).join(":"),
    } as Record<string, string>,
  });
}
