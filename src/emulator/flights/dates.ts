const day = 86_400_000;
/** India has one zone and no summer time. */
const indiaOffset = 19_800_000;
/** The day for which the samples were written. */
const sampleDay = Date.UTC(2026, 10, 20);

/** A time on the clock as the service writes it: `YYYY-MM-DD HH:mm:ss`, in India. */
export function timestamp(time: number): string {
  return write(time + indiaOffset);
}

/**
 * Every timestamp of a sample moved by whole days, as far as the clock has gone on since the samples were written, so
 * that flights stay ahead. The zero value stays.
 */
export function shiftDates<T>(value: T, now: number): T {
  const days = Math.floor((now + indiaOffset - sampleDay) / day);
  return JSON.parse(JSON.stringify(value), (_, found: unknown) =>
    typeof found === "string" ? addMinutes(found, days * 1_440) : found,
  );
}

/** A timestamp so many minutes later; other text as it is. */
export function addMinutes(text: string, minutes: number): string {
  if (!/^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return text;
  return write(Date.parse(`${text.replace(" ", "T")}Z`) + minutes * 60_000);
}

function write(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace("T", " ");
}
