import "../styles/console.css";
import "./components.css";
import { type ComponentChildren, render } from "preact";
import { useState } from "preact/hooks";
import { Button, IconButton } from "../ui/buttons.tsx";
import { CodeSnippet } from "../ui/code-snippet.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, SelectField, TextField } from "../ui/fields.tsx";
import { Form, FormActions } from "../ui/form.tsx";
import { Icon, iconNames } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { Badge, Empty, FailureMessage, Skeleton } from "../ui/status.tsx";
import { Tabs } from "../ui/tabs.tsx";

/** Page with the design tokens and every control of the console in every state. `npm run screens` takes screenshots of it. */

const ignore = () => {};

/** Names of the design tokens, read from the style sheet, so that none is missing. */
const tokens = [...document.styleSheets]
  .flatMap((sheet) => [...sheet.cssRules])
  .flatMap((rule) => (rule instanceof CSSStyleRule && rule.selectorText === ":root" ? [...rule.style] : []))
  .filter((name) => name.startsWith("--"));
const tokensOf = (prefix: string) => tokens.filter((name) => name.startsWith(prefix));
const rootStyle = getComputedStyle(document.documentElement);
const isColor = (token: string) => CSS.supports("color", rootStyle.getPropertyValue(token));

function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="section stack">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Tokens() {
  return (
    <>
      <Section title="Colors">
        <div class="tokens">
          {tokens.filter(isColor).map((token) => (
            <span key={token} class="token">
              <i style={{ background: `var(${token})` }} />
              <code>{token.slice(2)}</code>
            </span>
          ))}
        </div>
      </Section>
      <Section title="Type, spaces, corners">
        {tokensOf("--text-").map((token) => (
          <p key={token} style={{ fontSize: `var(${token})` }}>
            {token.slice(2)}: The reading room opens at nine. <strong>It closes at six.</strong>
          </p>
        ))}
        <div class="row wrap">
          {tokensOf("--space-").map((token) => (
            <span key={token} class="measure" style={{ width: `var(${token})` }} title={token} />
          ))}
          {tokensOf("--radius").map((token) => (
            <span key={token} class="corner" style={{ borderRadius: `var(${token})` }}>
              {token.slice(2)}
            </span>
          ))}
        </div>
      </Section>
    </>
  );
}

const kinds = ["", "primary", "danger", "danger-outline", "quiet"] as const;

function Buttons() {
  return (
    <Section title="Buttons">
      {[false, true].map((isSmall) => (
        <div key={String(isSmall)} class="row wrap">
          {kinds.map((kind) => (
            <Button key={kind} kind={kind} isSmall={isSmall}>
              {kind || "default"}
            </Button>
          ))}
          <Button icon="plus" kind="primary" isSmall={isSmall}>
            With an icon
          </Button>
          <Button isSmall={isSmall} disabled>
            Disabled
          </Button>
          <Button kind="primary" isSmall={isSmall} disabled>
            Disabled
          </Button>
        </div>
      ))}
      <div class="row wrap">
        <IconButton icon="trash" label="Delete" />
        <IconButton icon="copy" label="Copy" disabled />
        <Menu label="More" entries={[{ label: "Rename", icon: "edit", onSelect: ignore }, null]} />
        <button type="button" class="link">
          A link
        </button>
      </div>
      <div class="row wrap">
        {iconNames.map((name) => (
          <span key={name} title={name}>
            <Icon name={name} />
          </span>
        ))}
      </div>
    </Section>
  );
}

const options = [
  ["a", "First choice"],
  ["b", "Second choice"],
] as const;

function Fields() {
  return (
    <Section title="Fields">
      <Form onSubmit={async () => {}}>
        <TextField label="Empty" value="" placeholder="A placeholder" onValue={ignore} />
        <TextField label="With a hint" hint="What the value is for" value="Value" onValue={ignore} />
        <TextField label="Refused" error="Must be a name." value="?" onValue={ignore} />
        <TextField label="Disabled" value="Fixed" disabled onValue={ignore} />
        <TextField label="Secret" type="password" value="secret" onValue={ignore} />
        <TextField label="Lines" rows={3} value={"One\nTwo"} onValue={ignore} />
        <SelectField label="Choice" value="a" options={options} onValue={ignore} />
        <SelectField label="Disabled choice" value="b" options={options} disabled onValue={ignore} />
        <CheckField label="Checked" hint="with a hint" checked onValue={ignore} />
        <CheckField label="Not checked" checked={false} onValue={ignore} />
        <CheckField label="Disabled" checked disabled onValue={ignore} />
        <FormActions>
          <Button>Cancel</Button>
          <Button kind="primary" type="submit">
            Save
          </Button>
        </FormActions>
      </Form>
    </Section>
  );
}

const rows = ["Ada", "A name that is much longer than its place, and has no end in sight"];

function States() {
  return (
    <Section title="States">
      <div class="row wrap">
        {(["", "accent", "success", "warning", "danger"] as const).map((kind) => (
          <Badge key={kind} kind={kind}>
            {kind || "default"}
          </Badge>
        ))}
      </div>
      <Skeleton lines={3} />
      <FailureMessage error={new Error("The service is not available.")} onRetry={ignore} />
      {(["info", "success", "warning", "danger"] as const).map((kind) => (
        <p key={kind} class={`notice ${kind}`}>
          A notice: {kind}
        </p>
      ))}
      <Empty icon="inbox" title="Nothing here yet" action={<Button kind="primary">Create one</Button>}>
        What an entry is, and why one wants it.
      </Empty>
    </Section>
  );
}

function Content() {
  const [tab, setTab] = useState<"open" | "all">("open");
  const tabs = [
    ["open", "Open"],
    ["all", "All"],
  ] as const;
  return (
    <Section title="Lists, tables and code">
      <Tabs label="Filter" value={tab} onValue={setTab} options={tabs} />
      <div class="cards">
        {rows.map((name) => (
          <a key={name} class="card stack tight" href="#card">
            <h3 class="truncate">{name}</h3>
            <p class="muted small">A sentence about it.</p>
          </a>
        ))}
      </div>
      <DataTable
        rows={rows}
        keyOf={(name) => name}
        columns={[
          { label: "Name", cell: (name) => name },
          { label: "State", cell: () => <Badge kind="success">ready</Badge> },
          { label: null, cell: (name) => <IconButton icon="trash" label={`Delete ${name}`} /> },
        ]}
      />
      <CodeSnippet title="Code" code={`curl -s https://example.com/${"path/".repeat(40)}`} />
      <CodeSnippet title="Long code" code={Array.from({ length: 60 }, (_, line) => `line ${line}`).join("\n")} />
    </Section>
  );
}

function Showcase() {
  const [isDialogOpen, setDialogOpen] = useState(location.hash === "#dialog");
  return (
    <main class="page">
      <div class="page-inner">
        <h1>Tokens and components</h1>
        <Tokens />
        <Buttons />
        <Fields />
        <States />
        <Content />
      </div>
      {isDialogOpen && (
        <Dialog title="A dialog" onClose={() => setDialogOpen(false)}>
          <p>A question before something happens that cannot be undone.</p>
          <div class="actions">
            <Button>Cancel</Button>
            <Button kind="danger">Delete</Button>
          </div>
        </Dialog>
      )}
    </main>
  );
}

render(<Showcase />, document.body);
