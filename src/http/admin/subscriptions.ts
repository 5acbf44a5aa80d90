import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { cancelSubscription, pauseSubscription, skipCycle } from '#billing'
import { internalId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { noteSubscription, reactivateSubscription, resumeSubscription } from '#lifecycle'
import { requireStore, type Store } from '#stores'
import { listActivity, MAX_NOTE_CHARACTERS } from '#subscriptions'
import { findSubscription } from '#views'
import { ActivityBody, presentActivity } from '../shared/activity.ts'
import { futureOrNull, IsoDate } from '../shared/dates.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { ChangeFields, changeSubscription } from '../shared/subscription-change.ts'
import type { Surface } from '../shared/surface.ts'
import { amount, PageLimit, StoreParams, text } from './fields.ts'
import { presentSubscription, SubscriptionBody } from './present-subscription.ts'

const BY = 'operator'

const SubscriptionParams = Type.Object({
  ...StoreParams.properties,
  id: Type.String({ description: 'a subscription id such as sub_12' })
})

const PauseBody = Type.Object({
  duration: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, description: 'an integer from 1 to 365, in days' }))
})
const ResumeBody = Type.Object({ next_billing_date: IsoDate() })
const CancelBody = Type.Object({
  reason: Type.Optional(Type.String({ ...text(200), pattern: '\\S' })),
  comment: Type.Optional(text(1024))
})
const ChangeBody = Type.Object({ ...ChangeFields, price: Type.Optional(amount()) })

/** One subscription of a store: what it is, what happened to it, and every move of its lifecycle. */
export function registerSubscriptions(admin: Surface, { db, wake }: Pick<HttpDeps, 'db' | 'wake'>): void {
  const answerOf = async (ctx: Ctx, id: number) => {
    const found = await findSubscription(ctx.tx, ctx.storeId, id)
    if (!found) throw new Refusal('not_found', `There is no subscription sub_${id}`)
    return presentSubscription(found)
  }

  admin.get(
    '/stores/:store/subscriptions/:id',
    { schema: { params: SubscriptionParams, response: { 200: SubscriptionBody } } },
    async ({ params }) => {
      const { storeId } = await requireStore(db, params.store)
      return db.inStore(storeId, (ctx) => answerOf(ctx, idOf(params.id)))
    }
  )

  admin.get(
    '/stores/:store/subscriptions/:id/activity',
    {
      schema: {
        params: SubscriptionParams,
        querystring: Type.Object({
          limit: PageLimit,
          offset: Type.Optional(
            Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'an integer from 0 to 1000000000' })
          )
        }),
        response: { 200: Type.Object({ data: Type.Array(ActivityBody), total: Type.Integer() }) }
      }
    },
    async ({ params, query: { limit = 50, offset = 0 } }) => {
      const { storeId } = await requireStore(db, params.store)
      return db.inStore(storeId, async (ctx) => {
        const id = idOf(params.id)
        await answerOf(ctx, id)
        const { rows, total } = await listActivity(ctx, id, { limit, offset })
        return { data: rows.map(presentActivity), total }
      })
    }
  )

  admin.post(
    '/stores/:store/subscriptions/:id/notes',
    {
      schema: {
        params: SubscriptionParams,
        body: Type.Object({ note: text(MAX_NOTE_CHARACTERS) }),
        response: { 201: ActivityBody }
      }
    },
    async ({ params, body }, reply) => {
      const { storeId } = await requireStore(db, params.store)
      const noted = await db.inStore(storeId, async (ctx) => {
        const id = idOf(params.id)
        await noteSubscription(ctx, id, body.note, BY)
        const { rows } = await listActivity(ctx, id, { limit: 1, offset: 0 })
        return presentActivity(rows[0]!)
      })
      return reply.code(201).send(noted)
    }
  )

  /** A move and the subscription after it. */
  const move = <Body extends TObject>(
    name: string,
    body: Body,
    act: (ctx: Ctx, id: number, body: Static<Body>, store: Store) => Promise<unknown>
  ) =>
    admin.post(
      `/stores/:store/subscriptions/:id/${name}`,
      { schema: { params: SubscriptionParams, body: body as TSchema, response: { 200: SubscriptionBody } } },
      async ({ params, body: given }) => {
        const store = await requireStore(db, params.store)
        const id = idOf(params.id)
        const changed = await db.inStore(store.storeId, async (ctx) => {
          await act(ctx, id, given as Static<Body>, store)
          return answerOf(ctx, id)
        })
        wake(store.storeId)
        return changed
      }
    )

  move('pause', PauseBody, (ctx, id, { duration }, { timezone }) => {
    const resumesAt = duration ? ctx.now.toZonedDateTimeISO(timezone).add({ days: duration }).toInstant() : null
    return pauseSubscription(ctx, id, resumesAt, BY)
  })
  move('resume', ResumeBody, (ctx, id, { next_billing_date: date }, { timezone }) =>
    resumeSubscription(ctx, id, futureOrNull('next_billing_date', date, timezone, ctx.now), BY)
  )
  move('cancel', CancelBody, (ctx, id, { reason = 'other', comment = null }) =>
    cancelSubscription(ctx, id, { reason: reason.trim(), comment, by: BY })
  )
  move('skip', Type.Object({}), (ctx, id) => skipCycle(ctx, id, BY))
  move('reactivate', Type.Object({}), (ctx, id) => reactivateSubscription(ctx, id, BY))
  move('change', ChangeBody, (ctx, id, body, store) => changeSubscription(ctx, id, body, { ...store, by: BY }))
}

function idOf(text: string): number {
  const id = internalId('sub', text)
  if (id === null) throw new Refusal('not_found', `There is no subscription ${text.slice(0, 100)}`)
  return id
}
