/**
 * Work for some machines only. Steps of the same needs stand together in their queue, so that a worker finds the first that it may have
 * whatever number of others stands before it; steps that need no call are anybody's, and have an order of their own. And a database that
 * moved up to a server says so.
 */
export const TAGS = `
-- The tags that a worker must have to call for the step, sorted, with commas between; empty: none.
ALTER TABLE steps ADD COLUMN requires TEXT NOT NULL DEFAULT '';
DROP INDEX steps_queue;
CREATE INDEX steps_queue ON steps (run_id, gate, requires, order_ms, seq, step_id) WHERE state = 'queued' AND parked = 0;
CREATE INDEX steps_free ON steps (run_id, order_ms, seq, step_id) WHERE state = 'queued' AND parked = 0 AND gate IS NULL;

ALTER TABLE workers ADD COLUMN tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags));
-- Started with the manifest: while such a worker of a run in \`planning\` lives, more jobs of that come.
ALTER TABLE workers ADD COLUMN plans INTEGER NOT NULL DEFAULT 0 CHECK (plans IN (0, 1));

-- The server that all of it was copied to: who goes on here by mistake is told. Null: none.
ALTER TABLE store ADD COLUMN copied_to TEXT;
ALTER TABLE store ADD COLUMN copied_at_ms INTEGER;
`;
