import { styleText } from 'node:util'
import { type Command, InvalidArgumentError } from 'commander'
import type { Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { badUsage } from '../command-error.ts'
import { optional, toggle } from '../flags.ts'
import { failureWord, forward, type Outcome } from '../forward.ts'
import { type Fetched, type Listening, listen } from '../listening.ts'
import { harmless, lines } from '../print.ts'
import { eventTypesOrAll, orEvery } from './event-types.ts'
import { storeFlag, storePath } from './store-flag.ts'

const accepts = 'the http or https address of a receiver that this machine reaches, such as localhost:4000/hooks'
/** `localhost:4000/hooks` will do. */
const address = {
  accepts,
  read: (given: string): URL => {
    const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`)
    // Told without repeating what was given, as the terminal, and what records it, would show the password.
    if (url?.username || url?.password) throw badUsage('--forward-to takes an address without a user name or password')
    if ((url?.protocol === 'http:' || url?.protocol === 'https:') && url.port !== '0') return url
    throw new InvalidArgumentError(`It takes ${accepts}.`)
  }
}

/** Without a receiver this terminal is the receiver, and takes everything. */
const PRINTED: Outcome = {
  responseCode: 200,
  durationMs: 0,
  failure: null,
  problem: null,
  responseText: 'Printed by perennial listen'
}

/** Events of a store at this terminal, and from here to a receiver on the developer's own machine. */
export function addListenCommand(program: Command, terminal: Terminal): void {
  addCommand(program, terminal, {
    name: 'listen',
    summary: 'hear of the events of a store at this terminal, and hand them on to a receiver on your machine',
    flags: {
      store: storeFlag,
      forwardTo: optional('--forward-to <url>', address),
      events: optional('--events <types>', eventTypesOrAll),
      insecure: toggle('--insecure', 'take any certificate of the receiver, a self-signed one too')
    },
    run: async ({ store, forwardTo, events, insecure = false }, { api, out, err, json }) => {
      const remark = (text: string) => void err.write(`${text}\n`)
      const stopping = stopOnSignal()
      try {
        await listen({
          api,
          path: storePath(store, '/webhook-listeners'),
          events: orEvery(events),
          deliver: async (delivery, cutOff) =>
            forwardTo ? forward(forwardTo, delivery, { insecure, cutOff }) : PRINTED,
          reporter: json ? asJson(out, remark) : forPeople(out, remark, { store, forwardTo }),
          stop: stopping.signal
        })
      } finally {
        stopping.forget()
      }
      return null
    },
    show: () => ''
  })
}

/** A second Ctrl-C ends the process at once. */
function stopOnSignal(): { signal: AbortSignal; forget(): void } {
  const stop = new AbortController()
  const end = () => stop.abort()
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(130)
    end()
  }
  process.on('SIGINT', interrupt).on('SIGTERM', end)
  return {
    signal: stop.signal,
    forget: () => void process.off('SIGINT', interrupt).off('SIGTERM', end)
  }
}

function forPeople(
  out: NodeJS.WriteStream,
  remark: Listening['remark'],
  { store, forwardTo }: { store: string; forwardTo: URL | undefined }
): Listening {
  const say = (line: string) => void out.write(`${line}\n`)
  const coloured = (colour: 'cyan' | 'green' | 'red', text: string) => styleText(colour, text, { stream: out })
  return {
    remark,
    opened({ id, secret, all_events, events }, again) {
      const what = all_events ? 'every event' : (events as string[]).join(', ')
      if (again)
        remark(
          'The service had closed this listener. Listening anew: the secret is new, and what came meanwhile is lost.'
        )
      out.write(
        lines([
          `Listening to ${store} as ${id}: ${what}, until Ctrl-C.`,
          forwardTo
            ? `Deliveries go to ${forwardTo.href}, one try each.`
            : 'Deliveries are only printed: --forward-to hands them on.',
          `The secret that signs them, for as long as this listens: ${secret}`,
          ''
        ])
      )
    },
    begun: (delivery) => say(`${coloured('cyan', '-->')} ${harmless(shownName(delivery))}`),
    ended({ webhook_id }, { responseCode, durationMs, problem }) {
      if (!forwardTo) return
      const well = responseCode !== null && responseCode >= 200 && responseCode <= 299
      const colour = well ? 'green' : 'red'
      const answer =
        responseCode === null ? `no answer: ${harmless(problem ?? '')}` : `${responseCode} in ${durationMs} ms`
      say(`${coloured(colour, '<--')} ${coloured(colour, answer)} (${webhook_id})`)
    }
  }
}

function shownName({ event, webhook_id, object, test }: Fetched): string {
  const about = test ? 'test' : object
  return `${event} ${webhook_id}${about ? ` (${about})` : ''}`
}

/** A line for each listener that is opened, as a script needs the secret, then one for each delivery, when it has ended. */
function asJson(out: NodeJS.WriteStream, remark: Listening['remark']): Listening {
  const say = (document: Document) => void out.write(`${JSON.stringify(document)}\n`)
  return {
    remark,
    opened: (listener) => say({ listening: listener }),
    begun: () => {},
    ended({ webhook_id, event, object, test, body }, outcome) {
      const { responseCode, durationMs, problem, responseText } = outcome
      say({
        webhook_id,
        event,
        object,
        test,
        response_code: responseCode,
        response_time_ms: durationMs,
        failure: failureWord(outcome),
        problem,
        response_body: responseText,
        payload: JSON.parse(body) as unknown
      })
    }
  }
}
