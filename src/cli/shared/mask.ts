/**
 * Masks of personal data, which a terminal shows unless `--show-pii` is set. They keep what tells two values apart: the
 * ends of a number, the initials of a name, the bank of a VPA.
 */

/** Masks a mobile number or another identifier: `98••••••01`. */
export function maskNumber(text: string): string {
  return text.length <= 4 ? dots(text.length) : `${text.slice(0, 2)}${dots(text.length - 4)}${text.slice(-2)}`;
}

/** Masks a VPA or an e-mail address before the `@`: `98••••••01@ybl`. */
export function maskAddress(text: string): string {
  const at = text.lastIndexOf("@");
  return at === -1 ? maskNumber(text) : `${maskNumber(text.slice(0, at))}${text.slice(at)}`;
}

/** Masks a name except for its initials: `A•••• S•••••`. */
export function maskName(text: string): string {
  return text.replaceAll(/\S+/gu, (word) => {
    const [initial = ""] = word;
    return initial + dots([...word].length - 1);
  });
}

/** Masks whatever looks like a number or an address in a message of the service. Amounts and times stay. */
export function maskMessage(text: string): string {
  return text
    .replaceAll(/[\w.+-]{1,100}@[\w.-]{1,100}/g, maskAddress)
    .replaceAll(
      /(?<![\w-]|\b(?:INR|USD|EUR|GBP|AED|SGD) )(?!\d{4}-\d\d-\d\d \d\d:)\+?\d[\d -]{4,20}\d(?![\w-])/g,
      maskNumber,
    );
}

/** A fixed limit: the length of a long value is nobody's business. */
function dots(count: number): string {
  return "•".repeat(Math.min(Math.max(count, 0), 12));
}
