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

/** Money for a person. An unknown price says so and is never shown as nothing. */
export function money(nanoUsd: number | null): string {
  if (nanoUsd === null) return 'unknown';
  const usd = nanoUsd / 1e9;
  if (usd === 0) return '$0.00';
  return usd < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`;
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
