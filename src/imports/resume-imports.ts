import type { Ctx } from '#kit/postgres'
import { wakeFetching } from './queries.ts'

/** Continues the imports that wait for these bulk operations, which have ended. */
export function resumeImportsOfOperations(ctx: Ctx, ids: string[]): Promise<void> {
  return wakeFetching(ctx, ids)
}
