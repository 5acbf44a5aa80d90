import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { AdminApi, Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { isYes, matching, needed, optional, orWord, secret, text, toggle, wholeNumber, yesOrNo } from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'

const LOOK_AFTER_MS = { first: 300, growth: 1.2, max: 5_000 }

const keyFlag = needed('--key <key>', matching('the key of an integration, such as smile', /^[a-z][a-z0-9_]{0,39}$/))
const integrationPath = (store: string, key: string, rest = '') =>
  storePath(store, `/reward-integrations/${encodeURIComponent(key)}${rest}`)

/** Services that keep reward points for the shop. */
export function addRewardCommands(program: Command, terminal: Terminal): void {
  const rewards = program.command('rewards').description('services that keep reward points for the shop')

  addCommand(rewards, terminal, {
    name: 'list',
    summary: 'list the integrations of a store, and how the pulling of their balances goes',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(storePath(store, '/reward-integrations')),
    show: ({ data }) =>
      table(
        ['key', 'active', 'shown', 'balances', 'url', 'status', 'next_at', 'failures', 'last_error'],
        'The store has no integrations of reward points yet.'
      )({ data: (data as Document[]).map(({ pull, ...one }) => ({ ...(pull as Document | null), ...one })) })
  })

  addCommand(rewards, terminal, {
    name: 'set',
    summary: 'add an integration, or change what is given of a known one',
    flags: {
      store: storeFlag,
      key: keyFlag,
      active: yesOrNo('--active <yes|no>'),
      shown: yesOrNo('--shown <yes|no>'),
      url: optional(
        '--url <url>',
        orWord('none', text('the https address from which balances are pulled, without its secret'))
      ),
      every: optional('--every <minutes>', {
        ...wholeNumber(5, 1440),
        accepts: 'minutes from one pull to the next, from 5 to 1440 (default: 60)'
      }),
      authorization: optional(
        '--authorization <value>',
        orWord('none', secret('the value of the header Authorization; another URL without it clears it'))
      )
    },
    fields: { url: 'pull.url', every: 'pull.every_minutes', authorization: 'pull.authorization' },
    run: ({ store, key, active, shown, url, every, authorization }, { api }) =>
      api().post(storePath(store, '/reward-integrations'), {
        key,
        active: isYes(active),
        shown: isYes(shown),
        pull: pullOf({ url, every, authorization })
      }),
    show: facts
  })

  addCommand(rewards, terminal, {
    name: 'remove',
    summary: 'remove an integration with its balances',
    flags: { store: storeFlag, key: keyFlag },
    run: ({ store, key }, { api }) => api().delete(integrationPath(store, key)),
    show: ({ key, balances }) => `${key} is removed, with the balances of ${balances} customers.\n`
  })

  addCommand(rewards, terminal, {
    name: 'pull',
    summary: 'pull the balances of an integration now, and follow that to its end; exits with 1 when a try fails',
    flags: {
      store: storeFlag,
      key: keyFlag,
      background: toggle('--background', 'return at once; the service goes on')
    },
    run: async ({ store, key, background }, { api, err, failed }) => {
      const server = api()
      const started = await server.post(integrationPath(store, key, '/pull'), {})
      const ended = background ? started : await followPull(server, store, started, err)
      if (!background && pulled(ended)?.status === 'failing') failed()
      return ended
    },
    show: facts
  })
}

function pullOf({ url, every, authorization }: { url?: string; every?: number; authorization?: string }) {
  if (url === undefined && every === undefined && authorization === undefined) return undefined
  const orNull = (given: string | undefined) => (given === 'none' ? null : given)
  return { url: orNull(url), every_minutes: every, authorization: orNull(authorization) }
}

const pulled = ({ pull }: Document) => pull as Document | null

/** Shows the progress of a pull until it has ended, or a try of it has failed. */
async function followPull(server: AdminApi, store: string, started: Document, err: Terminal['err']): Promise<Document> {
  let now = started
  let pause = LOOK_AFTER_MS.first
  while (pulled(now)?.status === 'running') {
    err.write(`${pulled(now)!.received} balances received\n`)
    await sleep(pause)
    pause = Math.min(pause * LOOK_AFTER_MS.growth, LOOK_AFTER_MS.max)
    const { data } = await server.get(storePath(store, '/reward-integrations'))
    const found = (data as Document[]).find(({ key }) => key === started.key)
    if (!found) break
    now = found
  }
  return now
}
