/**
 * Renders enough Markdown for a chat. Everything becomes text nodes, never HTML: the output of a model is not trusted.
 * An unfinished text renders too, because it is rendered as it arrives.
 */
export function renderMarkdown(markdown) {
  const root = document.createDocumentFragment();
  for (const block of blocksOf(markdown)) root.append(renderBlock(block));
  return root;
}

/** Splits a text into paragraphs and fenced code blocks. */
function blocksOf(markdown) {
  return markdown
    .split(/(```[\s\S]*?(?:```|$))/)
    .flatMap((part) => (part.startsWith("```") ? [part] : paragraphs(part)));
}

const paragraphs = (text) => text.split(/\n{2,}/).filter((block) => block.trim() !== "");

const kinds = [
  [/^```/, (block) => element("pre", element("code", block.replace(/^```.*\n?|```$/g, "")))],
  [/^#{1,6} /, (block) => element(`h${block.indexOf(" ")}`, ...inline(block.replace(/^#+ /, "")))],
  [/^> /, (block) => element("blockquote", ...inline(block.replace(/^> ?/gm, "")))],
  [/^[-*] /, (block) => list("ul", block)],
  [/^\d+\. /, (block) => list("ol", block)],
  [/^\|/, (block) => table(block)],
];

function renderBlock(block) {
  const text = block.trim();
  const [, render] = kinds.find(([start]) => start.test(text)) ?? [];
  return render?.(text) ?? element("p", ...inline(text));
}

function list(name, block) {
  const items = block.split("\n").map((line) => line.replace(/^(?:[-*]|\d+\.) ?/, ""));
  return element(name, ...items.map((item) => element("li", ...inline(item))));
}

function table(block) {
  const rows = block.split("\n").filter((line) => !/^\|[\s|:-]*$/.test(line));
  const cells = (row) => row.replace(/^\||\|\s*$/g, "").split("|");
  return element(
    "table",
    ...rows.map((row, i) =>
      element("tr", ...cells(row).map((cell) => element(i === 0 ? "th" : "td", ...inline(cell.trim())))),
    ),
  );
}

const marks = { "**": "strong", "*": "em", "`": "code" };

function inline(text) {
  return text.split(/(\*\*.+?\*\*|\*.+?\*|`.+?`)/).map((part) => {
    const mark = /^(\*\*|\*|`)(.+)\1$/.exec(part);
    return mark === null ? part : element(marks[mark[1]], mark[2]);
  });
}

function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}
