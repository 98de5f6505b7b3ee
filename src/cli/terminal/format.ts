const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Milliseconds for a person: `0.4 s`, `44 s`, `12m30s`, `3h05m`, `2d 4h`. */
export function duration(ms: number): string {
  const whole = Math.max(0, ms);
  if (whole < 10 * SECOND) return `${(whole / SECOND).toFixed(1)} s`;
  if (whole < MINUTE) return `${Math.round(whole / SECOND)} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)}m${two(Math.floor((whole % MINUTE) / SECOND))}s`;
  if (whole < DAY) return `${Math.floor(whole / HOUR)}h${two(Math.floor((whole % HOUR) / MINUTE))}m`;
  return `${Math.floor(whole / DAY)}d ${Math.floor((whole % DAY) / HOUR)}h`;
}

/** Local time of day, `13:47`. */
export function clock(atMs: number): string {
  const at = new Date(atMs);
  return `${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Local day and time, `2026-11-29 13:47`. */
export function dayAndClock(atMs: number): string {
  const at = new Date(atMs);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock(atMs)}`;
}

/** Local day and time to the second, `2026-11-29 13:47:05`. */
export function dayAndTime(atMs: number): string {
  return `${dayAndClock(atMs)}:${two(new Date(atMs).getSeconds())}`;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** A time to come, in local time, and how far off it is: `14:05 (in 12 min)`, `Tue 14:05 (in 2 days)`, `2026-12-24 14:05 (in 25 days)`. */
export function untilText(atMs: number, nowMs: number): string {
  return `${timeText(atMs, nowMs)} (in ${roughly(atMs - nowMs)})`;
}

/** The same without the distance. */
export function timeText(atMs: number, nowMs: number): string {
  if (atMs - nowMs >= 6 * DAY) return dayAndClock(atMs);
  const isToday = new Date(atMs).toDateString() === new Date(nowMs).toDateString();
  return isToday ? clock(atMs) : `${WEEKDAYS[new Date(atMs).getDay()]} ${clock(atMs)}`;
}

/** `20 s`, `18 min`, `3 h`, `2 days`. */
export function roughly(ms: number): string {
  if (ms >= 36 * HOUR) return counted(Math.round(ms / DAY), 'day');
  if (ms >= 90 * MINUTE) return `${Math.round(ms / HOUR)} h`;
  return ms >= 90 * SECOND ? `${Math.round(ms / MINUTE)} min` : `${Math.max(0, Math.round(ms / SECOND))} s`;
}

/** UTC time of day for log lines, `13:12:30Z`. */
export function utcClock(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(11, 19)}Z`;
}

/** ISO 8601 in UTC, or `null`. */
export function isoTime(atMs: number): string;
export function isoTime(atMs: number | null): string | null;
export function isoTime(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}

/** Numbers of tokens: `812`, `65k`, `2.16M`. */
export function amount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 9950) return `${(count / 1000).toFixed(1)}k`;
  return count < 999_500 ? `${Math.round(count / 1000)}k` : `${(count / 1e6).toFixed(2)}M`;
}

/** Numbers of tokens that stand beside each other: in full where different ones would look the same. `null`: unknown. */
export function amountTexts(counts: readonly (number | null)[]): string[] {
  const say = (text: (count: number) => string) => counts.map((count) => (count === null ? 'unknown' : text(count)));
  const short = say(amount);
  return areTold(counts, short) ? short : say((count) => count.toLocaleString('en-US'));
}

const FEWEST_DIGITS = 2;
const MOST_DIGITS = 6;
const NANO_DIGITS = 9;
const CENT = 0.01;

/** Money for a person. An unknown price says so and is never shown as nothing. */
export function money(nanoUsd: number | null): string {
  return moneyIn(nanoUsd, FEWEST_DIGITS);
}

/** Amounts that stand beside each other: with as many digits as it takes to tell them apart. */
export function moneyTexts(nanoUsd: readonly (number | null)[]): string[] {
  let texts: string[] = [];
  for (let digits = FEWEST_DIGITS; digits <= MOST_DIGITS; digits += 1) {
    texts = nanoUsd.map((each) => moneyIn(each, digits));
    if (areTold(nanoUsd, texts)) break;
  }
  return texts;
}

/** In so many digits that count, but whole cents from a cent on. */
function moneyIn(nanoUsd: number | null, digits: number): string {
  if (nanoUsd === null) return 'unknown';
  const usd = nanoUsd / 1e9;
  if (usd === 0) return '$0.00';
  const first = Math.floor(Math.log10(Number(usd.toPrecision(digits))));
  const decimals = digits === FEWEST_DIGITS && usd >= CENT ? 2 : Math.max(2, digits - 1 - first);
  return `$${usd.toFixed(Math.min(NANO_DIGITS, decimals))}`;
}

/** Whether different amounts look different. */
function areTold(amounts: readonly (number | null)[], texts: readonly string[]): boolean {
  return new Set(texts).size === new Set(amounts).size;
}

/** `1 job`, `2 jobs`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** `55%`; never 100 % while something is missing, never 0 % once something is there. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '0%';
  const rounded = Math.round((100 * part) / whole);
  if (part < whole && rounded === 100) return '99%';
  return part > 0 && rounded === 0 ? '1%' : `${rounded}%`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
