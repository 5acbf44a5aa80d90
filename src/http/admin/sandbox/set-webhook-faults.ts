import { Type } from 'typebox'
import { invalidBody, invalidField } from '#kit/refusal'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { boolean } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { sandboxStoreOf } from './sandbox-store.ts'

const share = (meaning: string) =>
  Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'a share of the messages from 0 to 1',
      meaning,
      examples: [0.1]
    })
  )

const FaultsBody = Type.Object(
  {
    off: boolean('Ends all faults; only alone'),
    drop: share('How many never arrive'),
    duplicate: share('How many arrive twice'),
    late: share('How many arrive late'),
    delay_hours: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 720,
        description: 'a number of hours from 0 to 720',
        meaning: 'How late at most',
        examples: [12]
      })
    ),
    shuffle: boolean('Whether they arrive in another order'),
    seed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 31,
        description: 'a whole number',
        meaning: 'The same seed makes the same faults',
        examples: [7]
      })
    )
  },
  { examples: [{ drop: 0.1, late: 0.2, delay_hours: 12, seed: 7 }] }
)

/** POST /stores/{store}/sandbox/webhook-faults */
export function setWebhookFaultsRoute(admin: Surface, { sandbox }: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/webhook-faults',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'setSandboxWebhookFaults',
        summary: "Make the shop's webhooks faulty",
        description: "Sets what goes wrong with the sandbox shop's webhooks from now on.",
        params: StoreParams,
        body: FaultsBody,
        response: {
          200: Type.Object({
            faulty: Type.Boolean({ description: 'Whether anything goes wrong now', examples: [true] })
          })
        }
      }
    },
    async (request) => {
      const { off = false, delay_hours: delayHours, ...rest } = request.body
      const { storeId } = sandboxStoreOf(request)
      const faults = { ...rest, ...(delayHours === undefined ? {} : { delayHours }) }
      if (Object.keys(request.body).length === 0)
        throw invalidBody(`must have at least one of ${Object.keys(FaultsBody.properties).join(', ')}`, 'required')
      if (off && Object.keys(faults).length > 0) throw invalidField('off', 'must be the only field when it is true')
      await sandbox.setWebhookFaults(storeId, off ? null : faults)
      const { drop = 0, duplicate = 0, late = 0, shuffle = false } = rest
      return { faulty: drop > 0 || duplicate > 0 || late > 0 || shuffle }
    }
  )
}
