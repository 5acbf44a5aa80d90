import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import type { Database } from '#kit/postgres'
import { requireStore, storeDisconnected } from '#stores'
import { listReconciliations, reconcileNow } from '#sync'
import type { HttpDeps } from '../shared/deps.ts'
import { OrNull } from '../shared/response-fields.ts'
import type { Surface } from '../shared/surface.ts'
import { StoreParams } from './fields.ts'

const ReconciliationBody = Type.Object({
  kind: Type.String(),
  next_at: Type.String(),
  known_until: Type.String(),
  seen: Type.Integer(),
  changed: Type.Integer(),
  failures: Type.Integer(),
  last_error: OrNull(Type.String()),
  finished_at: OrNull(Type.String())
})

const ReconciliationsBody = Type.Object({ data: Type.Array(ReconciliationBody) })

/** Looks at the platform that make up for messages that were lost: where they stand, and all of them now. */
export function registerReconcile(
  admin: Surface,
  { db, settle, wake }: Pick<HttpDeps, 'db' | 'settle' | 'wake'>
): void {
  admin.get(
    '/stores/:store/reconcile',
    { schema: { params: StoreParams, response: { 200: ReconciliationsBody } } },
    async (request) => presentReconciliations(db, (await requireStore(db, request.params.store)).storeId)
  )

  // In a sandbox store the answer comes when all is looked at; a live one is looked at in the background.
  admin.post(
    '/stores/:store/reconcile',
    { schema: { params: StoreParams, response: { 202: ReconciliationsBody } } },
    async (request, reply) => {
      const { storeId, sandbox, status, domain } = await requireStore(db, request.params.store)
      if (status !== 'active') throw storeDisconnected(domain)
      await db.inStore(storeId, reconcileNow)
      if (sandbox) await settle(storeId)
      else wake(storeId)
      return reply.code(202).send(await presentReconciliations(db, storeId))
    }
  )
}

async function presentReconciliations(db: Database, storeId: number): Promise<Static<typeof ReconciliationsBody>> {
  const all = await db.inStore(storeId, listReconciliations)
  return {
    data: all.map(({ kind, nextAt, cursorAt, seen, changed, failures, lastError, finishedAt }) => ({
      kind,
      next_at: isoOf(nextAt),
      known_until: isoOf(cursorAt),
      seen,
      changed,
      failures,
      last_error: lastError,
      finished_at: isoOrNull(finishedAt)
    }))
  }
}
