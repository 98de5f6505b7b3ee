/** Runs of before know nothing of parts, lines, absence, outputs and privacy: they get what the manifest's defaults would give. */
const CHECK = `
iif(c.value ->> '$.type' = 'evidence',
  json_set(c.value, '$.line', json('null'), '$.elided', 'accept', '$.absence', 'review'), c.value)`;

/**
 * Documents in parts: what a step asks of its document, apart from the steps, whose rows stay narrow; and what the same bytes, read in
 * the same way, gave before.
 */
export const PARTS = `
-- StepInput: a part of the document, or a prompt that was made of other steps' answers. Without a row: the whole document.
CREATE TABLE step_inputs (
  step_id INTEGER PRIMARY KEY REFERENCES steps,
  input TEXT NOT NULL CHECK (json_valid(input))
) STRICT;
-- What an earlier round of a job was reduced to is superseded.
CREATE UNIQUE INDEX steps_one_reduce ON steps (run_id, job_id) WHERE kind = 'reduce' AND outcome IS NOT 'superseded';

-- Of a job: the calls that follow from its steps' answers (LaterCall[]), as they were foreseen; NULL: none do.
ALTER TABLE jobs ADD COLUMN later TEXT CHECK (json_valid(later));

-- Each names a pair of text and structure that some document has, so that it goes with them.
CREATE TABLE extractions (
  extraction_key TEXT PRIMARY KEY,
  text_sha256 TEXT NOT NULL REFERENCES texts,
  structure_sha256 TEXT NOT NULL REFERENCES structures,
  tokens INTEGER NOT NULL CHECK (tokens >= 0),
  max_tokens INTEGER NOT NULL CHECK (max_tokens >= 0),
  -- Tokens of each stretch of the text, by which a part's are known; NULL: they were estimated.
  stretches TEXT CHECK (json_valid(stretches))
) STRICT, WITHOUT ROWID;

UPDATE structures SET structure = json_insert(structure, '$.blocks', json('[]'), '$.lostPages', json('[]'));

UPDATE runs SET manifest = json_set(manifest, '$.outputs', json('[]'), '$.privacy', json_object('evidence', 'quote'), '$.tasks', json((
  SELECT json_group_object(t.key, json_set(t.value, '$.chunk', json('null'), '$.merge', json('null'), '$.checks', json((
    SELECT json_group_array(json(${CHECK}) ORDER BY c.key) FROM json_each(t.value, '$.checks') c))))
  FROM json_each(manifest, '$.tasks') t)));
`;
