import { MISSED_BEATS, SLOWEST_BEAT_MS } from '../../../domain/lease.ts';
import type { Liveness } from '../../machine/liveness.ts';
import type { WorkerRow } from '../../rows.ts';
import type { Sql } from '../sql.ts';
import { workers } from './workers.ts';

/** A registered worker; `here`: on this boot of this machine, so that its process id means something. */
export type SeenWorker = WorkerRow & { readonly here: boolean };

export type Watcher = { readonly liveness: Liveness; readonly hostId: string; readonly nowMs: number };

/** By its lock on this machine, by its beats on another. */
export function seeWorkers(sql: Sql, { liveness, hostId, nowMs }: Watcher): readonly SeenWorker[] {
  return workers(sql).map((worker) => {
    const here = worker.hostId === hostId;
    const alive = here ? liveness.isAlive(worker.workerId) : nowMs - worker.beatAtMs < MISSED_BEATS * SLOWEST_BEAT_MS;
    return { ...worker, here, alive, certain: here, takeover: null };
  });
}
