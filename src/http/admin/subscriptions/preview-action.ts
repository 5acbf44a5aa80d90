import { type Static, Type } from 'typebox'
import { isoOrNull } from '#kit/clock'
import { type Action, type ActionPreview, previewAction } from '#lifecycle'
import { OrNull, Timestamp } from '#resources'
import { daysAhead, futureOrNull, IsoDate } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import { oneOf } from '../fields.ts'
import { storeOf } from '../store.ts'
import { SubscriptionParams, subscriptionIdOf } from './one-subscription.ts'
import { Days } from './pause-subscription.ts'

const After = Type.Object(
  {
    status: Type.String({ description: 'Its status then' }),
    next_billing_date: OrNull(Timestamp('When it is charged next then; null for never')),
    next_cycle: OrNull(Type.Integer({ description: 'The cycle that is charged then' })),
    is_unpaid_cycle: Type.Boolean({ description: 'Whether that cycle was charged before and not paid' }),
    unpaid_cycle: OrNull(
      Type.Integer({ description: 'The unpaid cycle that is charged when it goes on another time' })
    ),
    dropped_try_date: OrNull(Timestamp('The planned try of an unpaid cycle that is not made')),
    resumes_at: OrNull(Timestamp('When it resumes by itself')),
    reactivatable_until: OrNull(Timestamp('Until when a cancellation can be taken back'))
  },
  { description: 'What the subscription would be; null when the action is refused' }
)

const PreviewBody = Type.Object(
  {
    refusal: OrNull(Type.String({ description: 'Why the action is refused now; null when it is not' })),
    after: OrNull(After)
  },
  {
    title: 'ActionPreview',
    description: 'What an action would do to a subscription as it is now.',
    examples: [
      {
        refusal: null,
        after: {
          status: 'active',
          next_billing_date: '2027-01-15T06:25:00.000Z',
          next_cycle: 5,
          is_unpaid_cycle: false,
          unpaid_cycle: null,
          dropped_try_date: null,
          resumes_at: null,
          reactivatable_until: null
        }
      }
    ]
  }
)

/** GET /stores/{store}/subscriptions/{id}/preview */
export function previewActionRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/subscriptions/:id/preview',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'previewAction',
        summary: 'Preview an action on a subscription',
        description:
          'What pausing, resuming, skipping, cancelling or taking a cancellation back would do now, or why it is refused. It changes nothing.',
        params: SubscriptionParams,
        querystring: Type.Object({
          action: oneOf(['pause', 'resume', 'skip', 'cancel', 'reactivate'], { examples: ['skip'] }),
          duration: Days,
          next_billing_date: IsoDate('Of resuming: when to charge next', '2030-01-15')
        }),
        response: { 200: PreviewBody }
      }
    },
    (request) => {
      const { action, duration, next_billing_date } = request.query
      const { timezone } = storeOf(request)
      return request.inStore(async (ctx) => {
        const at = {
          pause: () => daysAhead(ctx.now, duration, timezone),
          resume: () => futureOrNull('next_billing_date', next_billing_date, timezone, ctx.now)
        }
        const asked: Action =
          action === 'pause' || action === 'resume' ? { name: action, at: at[action]() } : { name: action }
        return presentPreview(await previewAction(ctx, subscriptionIdOf(request), asked))
      })
    }
  )
}

function presentPreview({ refusal, after }: ActionPreview): Static<typeof PreviewBody> {
  return {
    refusal,
    after: after && {
      status: after.status,
      next_billing_date: isoOrNull(after.nextBillingAt),
      next_cycle: after.nextCycle,
      is_unpaid_cycle: after.isUnpaidCycle,
      unpaid_cycle: after.unpaidCycle,
      dropped_try_date: isoOrNull(after.droppedTryAt),
      resumes_at: isoOrNull(after.resumesAt),
      reactivatable_until: isoOrNull(after.graceEndsAt)
    }
  }
}
