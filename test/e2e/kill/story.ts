import type { Attempt, Evidence, Ledger } from './evidence.ts';
import type { BilledCall } from './oracle.ts';

/** All that is known of some calls, in order, for whoever has to find out why. */
export function story(
  calls: readonly BilledCall[],
  { ledger, attempts }: { readonly ledger: Ledger; readonly attempts: readonly Attempt[] },
  { disturbances }: Pick<Evidence, 'disturbances'>,
): string {
  const tokens = new Map(calls.map((call) => [call.token, call.worker]));
  const startMs = Math.min(...calls.map(({ arrivedAtMs }) => arrivedAtMs)) - 10_000;
  const endMs = Math.max(...calls.map(({ arrivedAtMs }) => arrivedAtMs)) + 5000;
  const workers = new Set(tokens.values());
  const lines: (readonly [number, string])[] = [
    ...calls.map(({ arrivedAtMs, token, worker }) => [arrivedAtMs, `${worker} asks (${token})`] as const),
    ...calls.flatMap(({ lastByteAtMs, token }) => (lastByteAtMs === null ? [] : [[lastByteAtMs, `last byte of ${token}`] as const])),
    ...calls.flatMap(({ token }) => {
      const row = ledger.get(token);
      return row?.recordedAtMs == null ? [] : [[row.recordedAtMs, `${token} is stored; in the end ${row.state}`] as const];
    }),
    ...attempts
      .filter(({ token }) => tokens.has(token))
      .map(({ token, outcome, reason, atMs }) => [atMs, `${token} ${outcome} ${reason ?? ''}`] as const),
    ...disturbances
      .filter(({ worker, fromMs, untilMs }) => fromMs < endMs && untilMs > startMs && (worker === null || workers.has(worker)))
      .flatMap(({ worker, kind, fromMs, untilMs }) => [
        [fromMs, `${worker ?? 'all'}: ${kind}`] as const,
        [untilMs, `${worker ?? 'all'}: ${kind} is over`] as const,
      ]),
  ];
  return lines
    .sort(([a], [b]) => a - b)
    .map(([atMs, what]) => `  ${atMs - startMs} ms: ${what}`)
    .join('\n');
}
