import type { Ctx } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { type ClaimedRow, claimDueDeliveries, listTargets } from './delivery-queries.ts'
import { INTERRUPTED } from './post-delivery.ts'
import { type RecordOptions, recordTries } from './record-tries.ts'
import { type Signers, secretPurpose, signingKeys } from './sign-delivery.ts'

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

export type TakeOptions = RecordOptions & {
  vault: Vault
  leaseOwner: number
  /** How many to take per endpoint, and where none is given. */
  room: Map<number, number>
  roomElsewhere: number
  /** One terminal's alone. */
  listener?: number
}

/**
 * Leases what is due, in the order in which it is to be sent. What a process was sending when it ended is not taken but
 * written down as an interrupted try, and so becomes due anew.
 */
export async function takeDueDeliveries(
  ctx: Ctx,
  options: TakeOptions
): Promise<{ taken: TakenDelivery[]; interrupted: number }> {
  const claimed = await claimDueDeliveries(ctx, options.leaseOwner, options)
  if (claimed.length === 0) return { taken: [], interrupted: 0 }
  const targets = await targetsOf(ctx, claimed, options.vault)
  const taken = claimed.map((delivery) => ({ ...delivery, ...targets.get(delivery.endpointId)! }))

  const interrupted = taken.filter((delivery) => delivery.wasBegun)
  if (interrupted.length === 0) return { taken, interrupted: 0 }
  await recordTries(
    ctx,
    interrupted.map((delivery) => ({ ...delivery, answer: INTERRUPTED, startedAtMs: ctx.now.epochMilliseconds })),
    options
  )
  return { taken: taken.filter((delivery) => !delivery.wasBegun), interrupted: interrupted.length }
}

async function targetsOf(ctx: Ctx, claimed: ClaimedRow[], vault: Vault) {
  const rows = await listTargets(ctx, [...new Set(claimed.map((c) => c.endpointId))])
  const open = (secret: Buffer) => signingKeys(vault.open(secretPurpose(ctx.storeId), secret))
  return new Map(
    rows.map(({ id, url, secret, previousSecret, failing, sandbox, testClock }) => {
      // A row that is none, which no use case writes, fails as what it is and holds up no other endpoint.
      const { origin, pathname, search } = URL.parse(url) ?? { origin: 'null', pathname: '/', search: '' }
      const signers = { current: open(secret), previous: previousSecret && open(previousSecret) }
      return [id, { target: { origin, path: pathname + search }, url, signers, failing, sandbox, testClock }]
    })
  )
}
