/**
 * A `<` that begins no tag, such as that of "<within 24 hours" or "<ADULT>". Tags are those with the name of an element
 * of HTML that suppliers use, or with a namespace; `title` only with its end tag, because forms ask for "<SURNAME> <TITLE>".
 */
const loneBracket =
  /<(?!\/?(?:a|abbr|acronym|address|article|aside|audio|b|base|big|blockquote|body|br|button|canvas|caption|center|cite|code|col|colgroup|dd|del|details|dfn|dir|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|frame|frameset|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|legend|li|link|main|marquee|math|menu|meta|nav|nobr|noembed|noframes|noscript|object|ol|optgroup|option|p|param|picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|style|sub|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|tr|tt|u|ul|var|video|wbr|[a-z]\w*:[a-z]\w*)(?![\w:-])|title\b[^<]{0,200}<\/title|\/title\b|!--|!\[CDATA\[|!doctype\b|\?xml\b)/gi;

/** Returns HTML in which each `<` that begins no tag is an entity. */
export function escapeLoneBrackets(html: string): string {
  return html.replaceAll(loneBracket, "&lt;");
}
