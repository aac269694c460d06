import { get, post } from "./control.ts";
import { actionButton, element, find, setChildren, setText } from "./dom.ts";

/** The searches that are listed; older ones stay valid. */
const maxRows = 5;

/** Adds a button for each search that the emulator knows. */
export async function loadSearches(): Promise<void> {
  const names = (await get("searches")) as string[];
  const buttons = names.map((name) => actionButton(name, () => seed(name)));
  setChildren(find("search-names", HTMLElement), buttons);
}

async function seed(name: string): Promise<void> {
  const { trace_id, token } = (await post("searches", { name })) as Record<"trace_id" | "token", string>;
  const list = find("seeded", HTMLElement);
  list.prepend(
    element(
      "li",
      {},
      element("strong", {}, name),
      copyButton("trace_id", trace_id),
      copyButton("token", token),
      copyButton("both as JSON", JSON.stringify({ trace_id, token })),
      element("dl", {}, ...field("trace_id", trace_id), ...field("token", token)),
    ),
  );
  while (list.childElementCount > maxRows) list.lastElementChild?.remove();
}

function field(name: string, value: string): readonly HTMLElement[] {
  return [element("dt", {}, name), element("dd", {}, value)];
}

function copyButton(what: string, value: string): HTMLButtonElement {
  const button = actionButton(`Copy ${what}`, async () => {
    await navigator.clipboard.writeText(value).catch(() => {
      throw new Error("The browser does not allow copying. Select the value instead.");
    });
    setText(button, `Copied ${what}`);
  });
  return button;
}
