import type { Inspection } from './maintenance.ts';

export function ok(check: string, message: string): Inspection {
  return { check, status: 'ok', message, next: [] };
}

export function warning(check: string, message: string, next: readonly string[] = []): Inspection {
  return { check, status: 'warning', message, next };
}

export function problem(check: string, message: string, next: readonly string[] = []): Inspection {
  return { check, status: 'problem', message, next };
}
