/**
 * How tables of few rows are kept that every step of a job changes. None of their indexes is on what changes, so that a new version finds
 * room beside the old one and the page is cleaned by whoever reads it; what was left behind on other pages goes within a minute.
 */
export const ONE_ROW =
  'fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0';

/** How tables of many rows are kept, each of which changes a few times: by a hundredth of them at the latest, and not for each few. */
export const MANY_ROWS = 'fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500';
