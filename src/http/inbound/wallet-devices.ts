import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { internalId } from '#kit/ids'
import { type Ctx, UnknownStore } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import {
  authenticatePass,
  listUpdatedPasses,
  readPass,
  registerDevice,
  unregisterDevice,
  walletServicePath
} from '#wallet'
import type { CountAddress } from '../rate-limits/address-limiter.ts'
import { RateLimited } from '../rate-limits/rate-limited.ts'
import { answerInTime, inTime } from '../shared/deadline.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { authenticationFailed } from '../shared/errors.ts'

/** Bodies of phones are a token, or a few lines of a log. */
const MAX_BODY_BYTES = 16 * 1024
const ARRIVES_WITHIN_MS = 10_000
/** Far more than a phone asks for one pass, or of itself, in a minute. */
const BUDGET = { perMinute: 60, perDay: null }
const MAX_LOG_LINES = 20
const MAX_LOG_CHARACTERS = 500

/** What a phone calls itself, and where Apple reaches it: hexadecimal digits in practice. */
const DEVICE = /^[A-Za-z0-9_-]{1,100}$/
const PUSH_TOKEN = /^[0-9A-Fa-f]{8,200}$/
/** What we gave a phone as `lastUpdated`. */
const TAG = /^[0-9]{1,15}$/

type PassPath = { store: string; passType: string; serial: string }
type DevicePath = { store: string; device: string; passType: string }
type RegistrationPath = PassPath & DevicePath

/**
 * The web service by which phones of Apple keep passes up to date, as Apple describes it. A phone authenticates by the token in the pass;
 * the question what has changed has no token, and names the phone instead. Each store has its own address, which is in its passes.
 */
export function registerWalletDevices(app: FastifyInstance, deps: HttpDeps, countAddress: CountAddress): void {
  const { db, vault, limiter, install } = deps
  const passDeps = () => ({ vault, publicUrl: install.publicUrl() })

  /** A request that proves nothing counts for its address. */
  const countUnproven = ({ ip }: FastifyRequest) => {
    const status = countAddress(ip)
    if (!status.admitted) throw new RateLimited(status)
  }
  const count = async (storeId: number, family: string) => {
    const status = await limiter.count(storeId, family, BUDGET)
    if (!status.admitted) throw new RateLimited(status)
  }
  const inStore = async <T>(request: FastifyRequest, work: (ctx: Ctx) => Promise<T>): Promise<T> => {
    const storeId = internalId('store', (request.params as { store: string }).store)
    if (storeId === null) throw unproven()
    try {
      return await inTime(request, db.inStore(storeId, work))
    } catch (err) {
      if (err instanceof UnknownStore) throw unproven()
      throw err
    }
  }
  /** Counts a request that proves nothing, and lets it fail as that. */
  const counting = async <T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (err) {
      if (err instanceof Refusal && err.code === 'authentication_failed') countUnproven(request)
      throw err
    }
  }
  /** Carries out a request for a pass, once its token is found to be right. */
  const withPass = <T>(
    request: FastifyRequest,
    work: (ctx: Ctx, pass: NonNullable<Awaited<ReturnType<typeof authenticatePass>>>) => Promise<T>
  ): Promise<T> =>
    counting(request, async () => {
      const { passType, serial } = request.params as PassPath
      const token = /^ApplePass ([0-9A-Za-z]{16,64})$/.exec(request.headers.authorization ?? '')?.[1]
      if (!token || !/^[0-9a-f]{32}$/.test(serial)) throw unproven()
      const found = await inStore(request, async (ctx) => {
        const pass = await authenticatePass(ctx, { passTypeId: passType, serial, token }, vault)
        return pass && { pass, storeId: ctx.storeId }
      })
      if (!found) throw unproven()
      await count(found.storeId, `pass:${found.pass.id}`)
      return inStore(request, (ctx) => work(ctx, found.pass))
    })

  app.register(
    async (devices) => {
      answerInTime(devices)
      const options = {
        config: { allow: 'pass' as const, arrivesWithinMs: ARRIVES_WITHIN_MS },
        bodyLimit: MAX_BODY_BYTES
      }

      devices.post<{ Params: RegistrationPath; Body: unknown }>(
        '/v1/devices/:device/registrations/:passType/:serial',
        options,
        async (request, reply) => {
          const { device } = request.params
          const { pushToken } = (request.body ?? {}) as { pushToken?: unknown }
          const { isNew } = await withPass(request, async (ctx, pass) => {
            if (!DEVICE.test(device)) throw invalidField('device', 'must be the library identifier of a device')
            if (typeof pushToken !== 'string' || !PUSH_TOKEN.test(pushToken))
              throw invalidField('pushToken', 'must be a push token: 8 to 200 hexadecimal digits')
            return registerDevice(ctx, { passId: pass.id, device, pushToken })
          })
          return reply.code(isNew ? 201 : 200).send({})
        }
      )

      devices.delete<{ Params: RegistrationPath }>(
        '/v1/devices/:device/registrations/:passType/:serial',
        options,
        async (request) => {
          const { device } = request.params
          await withPass(request, (ctx, pass) => unregisterDevice(ctx, { passId: pass.id, device }))
          return {}
        }
      )

      devices.get<{ Params: DevicePath; Querystring: { passesUpdatedSince?: unknown } }>(
        '/v1/devices/:device/registrations/:passType',
        options,
        async (request, reply) => {
          const { device } = request.params
          const { passesUpdatedSince: given } = request.query
          if (given !== undefined && (typeof given !== 'string' || !TAG.test(given)))
            throw invalidField('passesUpdatedSince', 'must be a lastUpdated that was returned here')
          const since = given === undefined ? 0 : Number(given)
          const found = await counting(request, async () => {
            if (!DEVICE.test(device)) throw unproven()
            return inStore(request, async (ctx) => ({
              storeId: ctx.storeId,
              updated: await listUpdatedPasses(ctx, { device, since })
            }))
          })
          const { storeId, updated } = found
          if (!updated) countUnproven(request)
          else await count(storeId, `device:${device}`)
          if (!updated || updated.serials.length === 0) return reply.code(204).send()
          return { serialNumbers: updated.serials, lastUpdated: String(updated.tag) }
        }
      )

      devices.get<{ Params: PassPath }>('/v1/passes/:passType/:serial', options, async (request, reply) => {
        const found = await withPass(request, async (ctx, pass) =>
          isUnchanged(request, pass.changedAt) ? 'unchanged' : readPass(ctx, pass, passDeps())
        )
        if (found === null) throw new Refusal('not_found', 'The pass is not given out any more')
        if (found === 'unchanged') return reply.code(304).send()
        const { bytes, changedAt } = found.sign()
        return sendPass(reply, bytes, changedAt)
      })

      devices.post<{ Params: { store: string }; Body: unknown }>('/v1/log', options, async (request) => {
        countUnproven(request)
        const { logs } = (request.body ?? {}) as { logs?: unknown }
        const lines = Array.isArray(logs) ? logs.filter((one) => typeof one === 'string').slice(0, MAX_LOG_LINES) : []
        const storeId = await inStore(request, async (ctx) => ctx.storeId)
        for (const line of lines) {
          request.log.info({ store: { id: storeId }, message: withoutPasses(line) }, 'A phone reports of its passes')
        }
        return {}
      })
    },
    { prefix: walletServicePath(':store') }
  )
}

const sendPass = (reply: FastifyReply, bytes: Buffer, changedAt: Temporal.Instant) =>
  reply
    .type('application/vnd.apple.pkpass')
    .header('last-modified', new Date(changedAt.epochMilliseconds).toUTCString())
    .header('cache-control', 'private, no-cache')
    .send(bytes)

function isUnchanged({ headers }: FastifyRequest, changedAt: Temporal.Instant): boolean {
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return !Number.isNaN(since) && changedAt.epochMilliseconds <= since
}

/** Names of passes and phones, and tokens, are taken out of what is logged. */
const withoutPasses = (line: string) => line.slice(0, MAX_LOG_CHARACTERS).replaceAll(/[0-9A-Za-z]{24,}/g, '…')

/** One answer for an unknown store, pass and token, so that it does not reveal which there are. */
const unproven = () => authenticationFailed('The token is not that of a pass that is known here')
