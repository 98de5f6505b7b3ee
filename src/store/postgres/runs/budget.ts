import { type BudgetUse, type GroupBudget, monthOf } from '../../../domain/budget.ts';
import type { GroupMonth } from '../../rows.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { Sql } from '../sql.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx, View } from '../transactor.ts';
import { hintAtWork } from '../work-hint.ts';

// A call whose price or tokens nobody knows counts with the most that they can be.
const SELECT_USE = `
SELECT r.nano_usd, r.tokens, g.nano_usd AS group_nano_usd, g.reserved_nano_usd AS group_reserved_nano_usd FROM (
  SELECT coalesce(sum(spent_nano_usd + reserved_nano_usd + uncertain_nano_usd + assumed_nano_usd), 0) AS nano_usd,
    coalesce(sum(input_tokens + output_tokens + reserved_tokens), 0) AS tokens
  FROM run_totals WHERE run_id = :runId) r, (
  SELECT coalesce(sum(spent_nano_usd + reserved_nano_usd + uncertain_nano_usd), 0) AS nano_usd,
    coalesce(sum(reserved_nano_usd), 0) AS reserved_nano_usd
  FROM group_totals WHERE group_name = :group::text AND (:month::text IS NULL OR month = :month)) g`;

type Use = {
  readonly nanoUsd: number;
  readonly tokens: number;
  readonly groupNanoUsd: number;
  readonly groupReservedNanoUsd: number;
};

/** What counts against the run's budget, but for its time; `null` without one. `inFlight`: calls of the group are running. */
export async function budgetUse(view: View, run: RunFacts): Promise<Omit<BudgetUse, 'activeMs'> | null> {
  const { budget } = run.settings;
  if (budget === null) return null;
  const month = budget.group?.per === 'month' ? monthOf(view.nowMs) : null;
  const use = await view.sql.one<Use>(SELECT_USE, { runId: run.runId, group: budget.group?.name ?? null, month });
  if (use === undefined) throw new Error(`Run ${run.runId} has no sums`);
  const { nanoUsd, tokens, groupNanoUsd, groupReservedNanoUsd } = use;
  return { budget, nanoUsd, tokens, groupNanoUsd, inFlight: groupReservedNanoUsd > 0 };
}

const NAME_GROUP = `
WITH named AS (INSERT INTO budget_groups (group_name) VALUES (:name) ON CONFLICT DO NOTHING)
INSERT INTO group_totals (group_name, month) VALUES (:name, :month) ON CONFLICT DO NOTHING`;

/** From now on the group is known, though nothing is spent in it. */
export function nameGroup(tx: Tx, { name }: GroupBudget): void {
  tx.sql.send(NAME_GROUP, { name, month: monthOf(tx.nowMs) });
}

const SELECT_GROUPS = `
SELECT group_name AS "group", month, spent_nano_usd, reserved_nano_usd, uncertain_nano_usd FROM group_totals
ORDER BY group_name COLLATE "C", month DESC`;

/** What groups of runs spent, by group and month; newest month first. */
export function budgetGroups(sql: Sql): Promise<readonly GroupMonth[]> {
  return sql.all<GroupMonth>(SELECT_GROUPS);
}

// Their true cost may come after the reset, and must not be taken from what the group spends then.
const LEAVE_ESTIMATED = `UPDATE calls SET budget_group = NULL, budget_month = NULL WHERE estimated AND budget_group = :group`;
const RESET_GROUP = `UPDATE group_totals SET spent_nano_usd = 0 WHERE group_name = :group`;

/** What the group spent so far counts no more. False: no run ever named it. */
export async function resetBudgetGroup(tx: Tx, group: string): Promise<boolean> {
  tx.sql.send(LEAVE_ESTIMATED, { group });
  hintAtWork(tx);
  return (await tx.sql.run(RESET_GROUP, { group })) > 0;
}

export const BUDGET_STATEMENTS: StoredTexts = { rows: { SELECT_USE } };
