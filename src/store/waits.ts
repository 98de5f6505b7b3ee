/** Time of a step that waits for a person: it never comes. */
export const UNTIL_A_PERSON_ACTS_MS = Number.MAX_SAFE_INTEGER;

/** For so long after its last use a server is taken to have a prompt's beginning in its cache. */
export const WARM_MS = 5 * 60_000;

/** How soon to look again where the first token of another call is waited for. */
export const WARMING_PAUSE_MS = 1000;

/** A planner is still adding jobs: look again soon. */
export const PLANNING_PAUSE_MS = 1000;

/** Whoever opened a run is known as its planner after less than this. */
export const PLANNER_STARTS_MS = 5000;

/** Place of a re-ask, before everything else in the queue: while it is open, its twins wait, in all processes. */
export const REASK_ORDER_MS = 0;

/** A worker that has not beaten for so long, and for ten lease times, is dead or will start anew. */
export const GONE_MS = 10 * 60_000;
