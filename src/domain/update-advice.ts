/** What to type where a newer aieval wrote something: true of a clone, and of whatever else it was installed from. */
export const UPDATE_ADVICE = 'update aieval; in a clone of it: git pull && npm ci';
