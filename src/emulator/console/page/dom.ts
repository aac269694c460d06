/** The elements of the page. Everything that is shown comes from programs on this machine, so all of it is text. */

type Attributes = Readonly<Record<string, string | undefined>>;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) created.setAttribute(name, value);
  }
  created.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
  return created;
}

export function cell(text: string, name?: string, kind?: string): HTMLElement {
  return element("span", { class: name, "data-kind": kind }, text);
}

export function timeCell(at: number): HTMLElement {
  return element("time", { class: "dim", datetime: new Date(at).toISOString() }, timeOf(at));
}

export function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** Creates a button. A failure is shown, and it does one thing at a time. */
export function actionButton(label: string, act: () => unknown, attributes: Attributes = {}): HTMLButtonElement {
  const button = element("button", { type: "button", ...attributes }, label);
  onClick(button, act);
  return button;
}

/** Calls `act` when a button is clicked, and shows its failure. */
export function onClick(target: HTMLElement, act: () => unknown): void {
  target.addEventListener("click", async () => {
    if (target.getAttribute("aria-busy") === "true") return;
    target.setAttribute("aria-busy", "true");
    setText("problem", "");
    try {
      await act();
    } catch (error) {
      setText("problem", error instanceof Error ? error.message : "It failed.");
    } finally {
      target.removeAttribute("aria-busy");
    }
  });
}

export function find(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found !== null) return found;
  throw new Error(`The page has no ${id}.`);
}

export function setText(target: Element | string, text: string): void {
  const found = typeof target === "string" ? find(target) : target;
  const shown = visible(text);
  if (found.textContent !== shown) found.textContent = shown;
}

/**
 * Returns text in which control and format characters are shown by their code points, because they could hide or turn
 * around the text near them. The joiners of scripts and emoji stay.
 */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, (character) =>
    /[\n\t\u200c\u200d]/.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/**
 * Replaces the children of an element, unless they look the same: what is selected, chosen or focused then stays. The
 * focus moves to the new child with the same `data-key`, or to the next button.
 */
export function setChildren(parent: HTMLElement, children: readonly HTMLElement[]): void {
  const old = [...parent.children];
  if (old.length === children.length && old.every((child, index) => child.isEqualNode(children[index] ?? null))) return;
  const focused = old.findIndex((child) => child.contains(document.activeElement));
  const key = old[focused]?.getAttribute("data-key") ?? "";
  parent.replaceChildren(...children);
  if (focused === -1) return;
  const same = children.find((child) => child.dataset.key === key) ?? children[focused] ?? children.at(-1);
  const target = same?.querySelector("button") ?? parent.closest("section")?.querySelector<HTMLElement>("[tabindex]");
  target?.focus();
}

/** Replaces the rows of a list, and shows the note beside it if there is none. */
export function setRows(list: string, note: string, rows: readonly HTMLElement[]): void {
  setChildren(find(list), rows);
  find(note).hidden = rows.length > 0;
}
