/** Says which store this is, so that a copy of it, on another server or under another name, is told from it: what stands in `out_dir` is one's own. */
export const THIS_DATABASE = `(SELECT c.system_identifier::text FROM pg_control_system() c) || '/' || current_database() || '/' || current_schema()`;

/**
 * Whether a run was made in another database, or another schema, which is on this server still. Where that is gone, or was on another
 * server, this one may be what became of it: it was given another name, restored, or taken to a newer server.
 */
export const OF_ANOTHER_DATABASE = `
(written_from <> ${THIS_DATABASE} AND EXISTS (
  SELECT 1 FROM pg_database d CROSS JOIN pg_control_system() c
  WHERE starts_with(written_from, c.system_identifier || '/' || d.datname || '/') AND (d.datname <> current_database() OR EXISTS (
    SELECT 1 FROM pg_namespace n WHERE written_from = c.system_identifier || '/' || d.datname || '/' || n.nspname))))`;
