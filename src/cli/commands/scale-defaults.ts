/** What `scale` wishes for where nothing is said, and the metric `aieval_desired_workers` always; `target` in minutes. */
export const SCALE_DEFAULTS = { target: 10, min: 0, max: 10 };
