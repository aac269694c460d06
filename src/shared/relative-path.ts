const segments = /^(?!(?:.*\/)?\.{1,2}(?:\/|$))[\w.~%!$&'()*+,;=:@-]+(?:\/[\w.~%!$&'()*+,;=:@-]+)*\/?$/;

/**
 * Returns whether a value is a path that stays below the URL that it is appended to: no empty segment, no query, and no
 * segment of dots, which `URL` also resolves if they are percent-encoded.
 */
export function isPathBelow(value: unknown): boolean {
  return typeof value === "string" && segments.test(value) && !dots.test(value);
}

/** A segment that `URL` takes for `.` or `..`. */
const dots = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
