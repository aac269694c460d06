const imagePath = /\.(?:jpe?g|png|webp|gif)$/i;

/**
 * Returns whether a string is the http or https URL of an image. The extension is that of the path: a signature may
 * follow it as a query, and an extension in the query does not count.
 */
export function isImageUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text)) return false;
  return URL.canParse(text) && imagePath.test(new URL(text).pathname);
}
