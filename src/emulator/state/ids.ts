/**
 * Returns a string that looks random and is the same for the same input on every machine. The emulator's identifiers
 * come from a counter, so that a test passes again if it passed before.
 */
export function derive(input: string, length: number, alphabet: string): string {
  let state = 0x811c9dc5;
  for (let index = 0; index < input.length; index++) state = Math.imul(state ^ input.charCodeAt(index), 0x01000193);
  let text = "";
  while (text.length < length) {
    // A step of splitmix32: one multiplication would let neighbours of the counter share digits.
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    text += alphabet.charAt(((mixed ^ (mixed >>> 15)) >>> 0) % alphabet.length);
  }
  return text;
}

const hex = "0123456789abcdef";
const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ";
const digits = "0123456789";
/** A flight token holds characters that a careless client would encode (`[ ] + / =`). */
const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The identifiers of the service, each made from a number of the emulator's counter. */
export const ids = {
  trace: (n: number) =>
    `00000000-${derive(`a${n}`, 4, hex)}-4${derive(`b${n}`, 3, hex)}-8ccc-${`${n}`.padStart(12, "0")}`,
  searchToken: (n: number) => `OB${n}[DEMO]${derive(`search${n}`, 96, base64)}==`,
  quoteToken: (n: number) => `FQ${n}[DEMO]${derive(`quote${n}`, 96, base64)}==`,
  contextToken: (n: number) => `svc_${derive(`context${n}`, 40, hex)}`,
  request: (n: number) => `req_${derive(`request${n}`, 24, hex)}`,
  message: (n: number) => `msg_${derive(`message${n}`, 24, hex)}`,
  pnr: (n: number) => derive(`pnr${n}`, 6, letters),
  transaction: (n: number) => `TXN${`${n}`.padStart(16, "0")}`,
  utr: (n: number) => derive(`utr${n}`, 12, digits),
  delivery: (n: number) => `evt_${derive(`delivery${n}`, 24, hex)}`,
  payout: (n: number) => `demo-po-${`${n}`.padStart(18, "0")}`,
};
