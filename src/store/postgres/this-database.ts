/** Says which store this is, so that a copy of it, on another server or under another name, is told from it: what stands in `out_dir` is one's own. */
export const THIS_DATABASE = `(SELECT c.system_identifier::text FROM pg_control_system() c) || '/' || current_database() || '/' || current_schema()`;
