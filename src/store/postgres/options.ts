import type { ServerPatience } from '../server-news.ts';
import type { UserId } from '../spool/spool-folder.ts';
import type { OnSpool } from '../spool/spool-intake.ts';

/** What a store on PostgreSQL must know of its process. */
export type PostgresOptions = {
  /** `postgres://user@host:port/database?schema=aieval`. */
  readonly location: string;
  /** This boot of this machine; without it no worker is known to be of this one, and only leases say who is gone. */
  readonly hostId?: string;
  /** Milliseconds since 1970, read inside transactions; `null`: the server's clock, the only one that all machines share. */
  readonly clock: (() => number) | null;
  /** Milliseconds from any start, never going back: for how long something was seen does not depend on the clock. */
  readonly monotonic: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** A value never given before, in any process. */
  readonly newToken: () => string;
  /** Compiled `heartbeat-thread` file; `null` renews no leases. */
  readonly heartbeatThread: URL | null;
  /** Rows were locked elsewhere, and are tried again. */
  readonly onLockRetry?: () => void;
  /** The thread that renews leases died: the worker must stop. Claims are refused from then on, with or without this. */
  readonly onHeartbeatLost?: (error: Error) => void;
  /** How long the server is waited for once the store is open; by default `IN_SILENCE`. */
  readonly patience?: ServerPatience;
  /** Folders of this machine that hold paid answers while the server does not take them; best first. Without any nothing is kept. */
  readonly spoolFolders?: readonly string[];
  /** Who must own those folders; `null`, the default, where the system knows no users. */
  readonly userId?: UserId;
  /** Hears of answers that an earlier process left behind. */
  readonly onSpool?: OnSpool;
};
