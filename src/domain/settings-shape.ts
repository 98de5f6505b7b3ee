import { isPrice } from './price-shape.ts';
import type { RunSettings } from './run.ts';
import type { Selection } from './selection.ts';
import { dictionaryOf, type Is, isCount, isNumber, isText, listOf, objectOf, oneOf, optional, orNull } from './shape.ts';

const ANY_NAME = /^/;

const isSelection: Is<Selection> = objectOf<Selection>({
  document: listOf(isText),
  task: listOf(isText),
  model: listOf(isText),
  first: orNull(isCount),
});

/** Whether a stored value is what rules a run, as this version has it. */
export const isRunSettings: Is<RunSettings> = objectOf<RunSettings>({
  retry: objectOf({ attempts: isCount, lostLeases: isCount, maxWaitMs: isNumber }),
  lease: objectOf({ ttlMs: isNumber, beatMs: isNumber, deadlineMs: isNumber }),
  runConcurrency: orNull(isCount),
  cacheMode: oneOf('read-write', 'read', 'refresh', 'off'),
  cacheTtlMs: orNull(isNumber),
  gate: objectOf({ minPassRate: isNumber, maxErrorRate: isNumber }),
  budget: orNull(
    objectOf({
      nanoUsd: orNull(isNumber),
      tokens: orNull(isNumber),
      activeMs: orNull(isNumber),
      warnAt: isNumber,
      group: orNull(objectOf({ name: isText, nanoUsd: isNumber, per: oneOf('month', 'total') })),
    }),
  ),
  failFast: orNull(objectOf({ afterFailures: isCount })),
  rates: dictionaryOf(ANY_NAME, objectOf({ price: isPrice, maxOutputTokens: orNull(isCount) })),
  requires: optional(dictionaryOf(ANY_NAME, listOf(isText))),
  selection: optional(isSelection),
  profile: optional(isText),
  selectedOf: optional(isCount),
  plannedJobs: optional(isCount),
  jobsOfPlan: optional(isCount),
});
