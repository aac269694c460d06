import { post } from "./control.ts";
import { actionButton, find, setText, timeOf } from "./dom.ts";

const minute = 60_000;
const steps: Readonly<Record<string, number>> = {
  "+1 min": minute,
  "+15 min": 15 * minute,
  "+1 day": 24 * 60 * minute,
};

/** Adds the buttons that move the time. */
export function setUpClock(): void {
  const buttons = Object.entries(steps).map(([label, advance]) =>
    actionButton(label, async () => {
      const moved = await post("clock", { advance });
      showTime(String(Object(moved).now));
    }),
  );
  find("clock-buttons", HTMLElement).append(...buttons);
}

/** Shows the emulator's time. */
export function showTime(now: string): void {
  const time = find("now", HTMLTimeElement);
  time.dateTime = now;
  setText(time, `${now.slice(0, 10)} ${timeOf(now)} UTC`);
}
