import { POLL_MS } from './work-loop.ts';

const LONGEST_MS = 10_000;
const GROWTH = 1.5;
/** Of the pause: workers that were started together look at different times before long. */
const SPREAD = 0.25;

/**
 * How long a process without work waits before it looks again: one second at first, then half as long again each time, up to ten, a quarter
 * more or less. `looks`: how often it found nothing, from 1. `random`: from 0 to 1.
 */
export function idlePauseMs(looks: number, random: number): number {
  const pauseMs = Math.min(LONGEST_MS, POLL_MS * GROWTH ** (looks - 1));
  return Math.round(pauseMs * (1 - SPREAD + 2 * SPREAD * random));
}
