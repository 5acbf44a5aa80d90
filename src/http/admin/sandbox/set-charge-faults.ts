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
      description: 'a share of the charges from 0 to 1',
      meaning,
      examples: [0.05]
    })
  )

const ChargeFaultsBody = Type.Object(
  {
    off: boolean('Ends all faults; only alone'),
    pays_again: boolean('Whether a paid cycle is paid again under another idempotency key'),
    key_minutes: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 525_600,
        description: 'a number of minutes from 0 to 525600',
        meaning: 'After how long idempotency keys are forgotten',
        examples: [5]
      })
    ),
    renumbers: boolean('Whether each edit of a contract numbers its cycles anew'),
    never: share('How many never have a result'),
    late: share('How many have their result 26 hours late'),
    reversed: share('How many are reported as paid, and an hour later as failed; the order stays paid'),
    corrected: share('How many are reported as failed, and an hour later as paid'),
    reported_failed: share('How many are reported as failed although they are paid, without another message'),
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
  { examples: [{ pays_again: true, key_minutes: 5, renumbers: true, late: 0.05, seed: 7 }] }
)

/** POST /stores/{store}/sandbox/charge-faults */
export function setChargeFaultsRoute(admin: Surface, { sandbox }: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/charge-faults',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'setSandboxChargeFaults',
        summary: "Make the shop's charges faulty",
        description:
          "Sets what goes wrong with the sandbox shop's charges from now on: what a platform may do that protects nobody. " +
          'The call replaces the faults that were set before.',
        params: StoreParams,
        body: ChargeFaultsBody,
        response: {
          200: Type.Object({
            faulty: Type.Boolean({ description: 'Whether anything goes wrong now', examples: [true] })
          })
        }
      }
    },
    async (request) => {
      const { off = false, seed, ...given } = request.body
      const { storeId } = sandboxStoreOf(request)
      if (Object.keys(request.body).length === 0)
        throw invalidBody(
          `must have at least one of ${Object.keys(ChargeFaultsBody.properties).join(', ')}`,
          'required'
        )
      const isAlone = Object.keys(given).length === 0 && seed === undefined
      if (off && !isAlone) throw invalidField('off', 'must be the only field when it is true')
      const { pays_again: paysAgain, key_minutes: keyMinutes, reported_failed: reportedFailed, ...shares } = given
      const sum = [shares.never, shares.late, shares.reversed, shares.corrected, reportedFailed].reduce<number>(
        (total, one) => total + (one ?? 0),
        0
      )
      if (sum > 1) throw invalidField('never', 'must not be more than 1 together with the other shares')
      await sandbox.setChargeFaults(storeId, off ? null : { ...shares, paysAgain, keyMinutes, reportedFailed, seed })
      return { faulty: !off && (sum > 0 || Boolean(paysAgain || shares.renumbers) || keyMinutes !== undefined) }
    }
  )
}
