const day = 86_400_000;
/** India has one time zone and no summer time. */
const indiaOffset = 19_800_000;
/** The day that the samples were written for. */
const sampleDay = Date.UTC(2026, 10, 20);

/** Returns a time as the service writes it: `YYYY-MM-DD HH:mm:ss`, in India. */
export function timestamp(time: number): string {
  return write(time + indiaOffset);
}

/**
 * Returns a sample with every timestamp moved by the whole days between the day that the samples were written for and
 * `now`, so that flights stay in the future. The zero value stays.
 */
export function shiftDates<T>(value: T, now: number): T {
  const days = Math.floor((now + indiaOffset - sampleDay) / day);
  return JSON.parse(JSON.stringify(value), (_, found: unknown) =>
    typeof found === "string" ? addMinutes(found, days * 1_440) : found,
  );
}

/** Returns a timestamp moved by a number of minutes. Other strings stay as they are. */
export function addMinutes(text: string, minutes: number): string {
  if (!/^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return text;
  return write(Date.parse(`${text.replace(" ", "T")}Z`) + minutes * 60_000);
}

function write(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace("T", " ");
}
