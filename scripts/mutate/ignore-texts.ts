/**
 * A plugin of Stryker: leaves texts as they are, since another wording is no other behaviour. A text is a string with a
 * space in it: a message, a piece of advice, a statement of SQL. Codes, names, keys and formats are mutated.
 */

/** The used part of a path of Babel, and of its node. */
interface NodePath {
  isStringLiteral(): boolean;
  isTemplateLiteral(): boolean;
  readonly node: {
    readonly value?: unknown;
    readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
  };
}

function shouldIgnore(path: NodePath): string | undefined {
  if (!path.isStringLiteral() && !path.isTemplateLiteral()) return undefined;
  const { value, quasis = [] } = path.node;
  const texts = typeof value === "string" ? [value] : quasis.map((quasi) => quasi.value.raw);
  return texts.some((text) => /\s/.test(text)) ? "A text, not a code." : undefined;
}

export const strykerPlugins = [{ kind: "Ignore", name: "texts", value: { shouldIgnore } }];
