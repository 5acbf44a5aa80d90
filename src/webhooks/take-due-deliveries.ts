import type { Ctx } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { type ClaimedRow, claimDueDeliveries, listTargets } from './delivery-queries.ts'
import { type Answer, INTERRUPTED } from './post-delivery.ts'
import { type RecordOptions, recordTries } from './record-tries.ts'
import { type Signers, type SigningKeys, secretPurpose, signingKeys } from './sign-delivery.ts'

/** A leased delivery with all that sending it takes. */
export type TakenDelivery = ClaimedRow & {
  target: { origin: string; path: string }
  url: string
  signers: Signers
  /** The endpoint's last try failed. */
  failing: boolean
  sandbox: boolean
  testClock: boolean
}

type Claimed = Omit<TakenDelivery, 'signers'> & { signers: Signers | null }

export type TakeOptions = RecordOptions & {
  vault: Vault
  leaseOwner: number
  /** How many to take per endpoint, and where none is given. */
  room: Map<number, number>
  roomElsewhere: number
  /** One terminal's alone. */
  listener?: number
}

const UNSIGNABLE: Answer = {
  durationMs: 0,
  responseCode: null,
  failure: 'other',
  responseText: 'Not sent: the signing secret of this endpoint cannot be read'
}

/**
 * Leases what is due, in the order in which it is to be sent. Not taken but written down as a try is what a process was
 * sending when it ended (interrupted, and so due anew), and what nothing can sign. `writtenDown` counts those.
 */
export async function takeDueDeliveries(
  ctx: Ctx,
  options: TakeOptions
): Promise<{ taken: TakenDelivery[]; writtenDown: number }> {
  const claimed = await claimDueDeliveries(ctx, options.leaseOwner, options)
  if (claimed.length === 0) return { taken: [], writtenDown: 0 }
  const targets = await targetsOf(ctx, claimed, options.vault)
  const claimedOnes = claimed.map((delivery) => ({ ...delivery, ...targets.get(delivery.endpointId)! }))
  const isToSend = (delivery: Claimed): delivery is TakenDelivery => !delivery.wasBegun && delivery.signers !== null
  const rest = claimedOnes.filter((delivery) => !isToSend(delivery))
  if (rest.length > 0) {
    const startedAtMs = ctx.now.epochMilliseconds
    const answerOf = (delivery: Claimed) => (delivery.wasBegun ? INTERRUPTED : UNSIGNABLE)
    await recordTries(
      ctx,
      rest.map((delivery) => ({ ...delivery, answer: answerOf(delivery), startedAtMs })),
      options
    )
  }
  return { taken: claimedOnes.filter(isToSend), writtenDown: rest.length }
}

async function targetsOf(ctx: Ctx, claimed: ClaimedRow[], vault: Vault) {
  const rows = await listTargets(ctx, [...new Set(claimed.map((c) => c.endpointId))])
  // One that this installation's key does not open must not hold up the store's other endpoints.
  const open = (secret: Buffer): SigningKeys | null => {
    try {
      return signingKeys(vault.open(secretPurpose(ctx.storeId), secret))
    } catch {
      return null
    }
  }
  const signersOf = (secret: Buffer, previousSecret: Buffer | null): Signers | null => {
    const current = open(secret)
    // Rolling mends an unreadable secret, which then is the previous one: it signs nothing, and is in nobody's way.
    return current && { current, previous: previousSecret && open(previousSecret) }
  }
  return new Map(
    rows.map(({ id, url, secret, previousSecret, failing, sandbox, testClock }) => {
      // A row that is none, which no use case writes, fails as what it is and holds up no other endpoint.
      const { origin, pathname, search } = URL.parse(url) ?? { origin: 'null', pathname: '/', search: '' }
      const signers = signersOf(secret, previousSecret)
      return [id, { target: { origin, path: pathname + search }, url, signers, failing, sandbox, testClock }]
    })
  )
}
