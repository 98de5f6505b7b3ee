import { type BudgetUse, type GroupBudget, monthOf } from '../../../domain/budget.ts';
import type { GroupMonth } from '../../rows.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { Sql } from '../sql.ts';
import type { Tx, View } from '../transactor.ts';
import { activeMs } from './progress.ts';

// A call whose price or tokens nobody knows counts with the most that they can be.
const SELECT_USE = `
SELECT coalesce(sum(spent_nano_usd + reserved_nano_usd + uncertain_nano_usd + assumed_nano_usd), 0) AS nanoUsd,
  coalesce(sum(input_tokens + output_tokens + reserved_tokens), 0) AS tokens
FROM run_totals WHERE run_id = :runId`;

/** What counts against the run's budget; `null` without one. `inFlight`: calls of the run are running. */
export function budgetUse(view: View, run: RunFacts, inFlight: boolean): BudgetUse | null {
  const { budget } = run.settings;
  if (budget === null) return null;
  const { nanoUsd = 0, tokens = 0 } = view.sql.one<{ nanoUsd: number; tokens: number }>(SELECT_USE, { runId: run.runId }) ?? {};
  const group = budget.group === null ? NO_GROUP : groupUse(view, budget.group);
  return {
    budget,
    nanoUsd,
    tokens,
    activeMs: activeMs(view, run.runId),
    groupNanoUsd: group.nanoUsd,
    inFlight: inFlight || group.reservedNanoUsd > 0,
  };
}

type GroupUse = { readonly nanoUsd: number; readonly reservedNanoUsd: number };

const NO_GROUP: GroupUse = { nanoUsd: 0, reservedNanoUsd: 0 };

const SELECT_GROUP = `
SELECT coalesce(sum(spent_nano_usd + reserved_nano_usd + uncertain_nano_usd), 0) AS nanoUsd,
  coalesce(sum(reserved_nano_usd), 0) AS reservedNanoUsd
FROM group_totals WHERE group_name = :name AND (:month IS NULL OR month = :month)`;

function groupUse({ sql, nowMs }: View, { name, per }: GroupBudget): GroupUse {
  return sql.one<GroupUse>(SELECT_GROUP, { name, month: per === 'month' ? monthOf(nowMs) : null }) ?? NO_GROUP;
}

const NAME_GROUP = `INSERT INTO group_totals (group_name, month) VALUES (:name, :month) ON CONFLICT DO NOTHING`;

/** From now on the group is known, though nothing is spent in it. */
export function nameGroup(tx: Tx, { name }: GroupBudget): void {
  tx.sql.run(NAME_GROUP, { name, month: monthOf(tx.nowMs) });
}

const SELECT_GROUPS = `
SELECT group_name AS "group", month, spent_nano_usd AS spentNanoUsd, reserved_nano_usd AS reservedNanoUsd,
  uncertain_nano_usd AS uncertainNanoUsd
FROM group_totals ORDER BY group_name, month DESC`;

/** What groups of runs spent, by group and month; newest month first. */
export function budgetGroups(sql: Sql): readonly GroupMonth[] {
  return sql.all<GroupMonth>(SELECT_GROUPS);
}

// Their true cost may come after the reset, and must not be taken from what the group spends then.
const LEAVE_ESTIMATED = `UPDATE calls SET budget_group = NULL, budget_month = NULL WHERE estimated = 1 AND budget_group = :group`;
const RESET_GROUP = `UPDATE group_totals SET spent_nano_usd = 0 WHERE group_name = :group`;

/** What the group spent so far counts no more. False: no run ever named it. */
export function resetBudgetGroup(tx: Tx, group: string): boolean {
  tx.sql.run(LEAVE_ESTIMATED, { group });
  return tx.sql.run(RESET_GROUP, { group }) > 0;
}
