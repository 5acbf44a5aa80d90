import type { Ctx } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { type ClaimedRow, claimDueDeliveries, type LeaseQuotas, listTargets } from '../delivery/claim-deliveries.ts'
import { type Signers, type SigningKeys, secretPurpose, signingKeys } from '../signing/sign-delivery.ts'
import { type DeliveryResponse, INTERRUPTED } from './post-delivery.ts'
import { type RecordOptions, recordTries } from './record-tries.ts'

/** A leased delivery with all that sending it takes. */
export type LeasedDelivery = ClaimedRow & {
  target: { origin: string; path: string }
  url: string
  signers: Signers
  /** The endpoint's last try failed. */
  failing: boolean
  sandbox: boolean
  testClock: boolean
}

type Claimed = Omit<LeasedDelivery, 'signers'> & { signers: Signers | null }

export type LeaseOptions = RecordOptions & {
  vault: Vault
  leaseOwner: number
  quotas: LeaseQuotas
  /** Only those of this listener. */
  listener?: number
}

const UNSIGNABLE = {
  durationMs: 0,
  responseCode: null,
  failure: 'other' as const,
  responseText: 'Not sent: the signing secret of this endpoint cannot be read'
} satisfies DeliveryResponse

/** A try that failed before it started. */
export type UnsignableTry = Claimed & { response: typeof UNSIGNABLE; startedAtMs: number }

/**
 * Leases what is due, in the order in which it is to be sent. What a process was sending when it ended is not leased but
 * recorded as an interrupted try, and so becomes due again. `unsignable` are tries that have failed already: the caller
 * records them in another transaction, since they change their endpoints, which are locked before their deliveries.
 */
export async function leaseDueDeliveries(
  ctx: Ctx,
  options: LeaseOptions
): Promise<{ taken: LeasedDelivery[]; unsignable: UnsignableTry[]; interrupted: number }> {
  const claimed = await claimDueDeliveries(ctx, options.leaseOwner, options.quotas, {
    listener: options.listener ?? null
  })
  if (claimed.length === 0) return { taken: [], unsignable: [], interrupted: 0 }
  const targets = await targetsOf(ctx, claimed, options.vault)
  const all = claimed.map((delivery) => ({ ...delivery, ...targets.get(delivery.endpointId)! }))
  const startedAtMs = ctx.now.epochMilliseconds
  const interrupted = all.filter((delivery) => delivery.wasStarted)
  if (interrupted.length > 0) {
    await recordTries(
      ctx,
      interrupted.map((delivery) => ({
        ...delivery,
        response: INTERRUPTED,
        startedAtMs: delivery.startedBefore?.epochMilliseconds ?? startedAtMs
      })),
      options
    )
  }
  const whole = all.filter((delivery) => !delivery.wasStarted)
  const isSignable = (delivery: Claimed): delivery is LeasedDelivery => delivery.signers !== null
  const unsignable = whole
    .filter((delivery) => !isSignable(delivery))
    .map((delivery) => ({ ...delivery, response: UNSIGNABLE, startedAtMs }))
  return { taken: whole.filter(isSignable), unsignable, interrupted: interrupted.length }
}

async function targetsOf(ctx: Ctx, claimed: ClaimedRow[], vault: Vault) {
  const rows = await listTargets(ctx, [...new Set(claimed.map((c) => c.endpointId))])
  // A secret that this installation's key does not open must not hold up the store's other endpoints.
  const open = (secret: Buffer): SigningKeys | null => {
    try {
      return signingKeys(vault.open(secretPurpose(ctx.storeId), secret))
    } catch {
      return null
    }
  }
  const signersOf = (secret: Buffer, previousSecret: Buffer | null): Signers | null => {
    const current = open(secret)
    // A roll replaces an unreadable secret, which then is the previous one: it signs nothing and does no harm.
    return current && { current, previous: previousSecret && open(previousSecret) }
  }
  return new Map(
    rows.map(({ id, url, secret, previousSecret, failing, sandbox, testClock }) => {
      // An invalid row, which no use case writes, fails as a try and holds up no other endpoint.
      const { origin, pathname, search } = URL.parse(url) ?? { origin: 'null', pathname: '/', search: '' }
      const signers = signersOf(secret, previousSecret)
      return [id, { target: { origin, path: pathname + search }, url, signers, failing, sandbox, testClock }]
    })
  )
}
