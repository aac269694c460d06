import ts from "typescript";

/**
 * Comments that stay: annotations for bundlers and minifiers, licences, and the line that says from which file of our
 * source the code below it comes, for whoever follows a stack trace.
 */
const kept = [
  /^\/\*\s*[#@]__[A-Z_]+__/,
  /^\/[*/]!|@licen[cs]e\b|@preserve\b|SPDX-/,
  /\b(?:webpack|turbopack|rspack)[A-Z]|@vite-ignore|^\/\/[#@]/,
  /^\/\/ src\//,
];

/** A comment that holds one of these ends a line for the parser: after `return` it ends the statement. */
const lineEnd = /[\n\r\u2028\u2029]/;

/** Removes the comments of a module. The doc comments that editors show are in the declarations. */
export function withoutComments(code: string): string {
  let text = "";
  let end = 0;
  for (const comment of commentsOf(code)) {
    const words = code.slice(comment.pos, comment.end);
    if (kept.some((pattern) => pattern.test(words))) continue;
    const before = text + code.slice(end, comment.pos);
    // Two words stay apart by a space, and two statements by a line.
    const breaksLine = lineEnd.test(words) && !lineEnd.test(code[comment.end] ?? "");
    const gap = breaksLine ? "\n" : " ";
    const isLine = /(?:^|\n)[ \t]*$/.test(before) && code[comment.end] === "\n";
    text = isLine
      ? before.replace(/\n?[ \t]*$/, "")
      : breaksLine || before.trimEnd() === before
        ? before + gap
        : before;
    end = comment.end;
  }
  return text + code.slice(end);
}

/** The comments between the tokens of a module, in their order. */
function commentsOf(code: string): ts.CommentRange[] {
  const source = ts.createSourceFile("module.js", code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const found = new Map<number, ts.CommentRange>();
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    for (const child of children) visit(child);
    if (children.length > 0) return;
    // The text of a template is one token, so that nothing in it is taken for a comment.
    for (const rangesAt of [ts.getLeadingCommentRanges, ts.getTrailingCommentRanges]) {
      for (const range of rangesAt(code, node.pos) ?? [])
        if (range.end <= node.getStart(source)) found.set(range.pos, range);
    }
  };
  visit(source);
  return [...found.values()].sort((a, b) => a.pos - b.pos);
}
