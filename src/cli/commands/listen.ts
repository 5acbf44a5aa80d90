import { styleText } from 'node:util'
import { type Command, InvalidArgumentError } from 'commander'
import { stopOnSignals } from '#kit/process'
import type { Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { badUsage } from '../command-error.ts'
import { optional, toggle } from '../flags.ts'
import { failureWord, forwardDelivery, type Outcome } from '../forward-delivery.ts'
import { harmless, lines } from '../print.ts'
import { type Fetched, type Listening, runListener } from '../run-listener.ts'
import { eventTypesOrAll, orEvery } from './event-types.ts'
import { storeFlag, storePath } from './store-flag.ts'

const accepts = 'the http or https address of a receiver that this machine can reach, such as localhost:4000/hooks'
/** Also accepts `localhost:4000/hooks`. */
const address = {
  accepts,
  read: (given: string): URL => {
    const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`)
    // The message does not repeat the value, because the terminal and its log would show the password.
    if (url?.username || url?.password) throw badUsage('--forward-to must not contain a user name or password')
    if ((url?.protocol === 'http:' || url?.protocol === 'https:') && url.port !== '0') return url
    throw new InvalidArgumentError(`It must be ${accepts}.`)
  }
}

/** The outcome without a receiver: the delivery was printed. */
const PRINTED: Outcome = {
  responseCode: 200,
  durationMs: 0,
  failure: null,
  problem: null,
  responseText: 'Printed by perennial listen'
}

/** Prints a store's events and forwards them to a receiver on the developer's machine. */
export function addListenCommand(program: Command, terminal: Terminal): void {
  addCommand(program, terminal, {
    name: 'listen',
    summary: 'print the events of a store and forward them to a receiver on your machine',
    flags: {
      store: storeFlag,
      forwardTo: optional('--forward-to <url>', address),
      events: optional('--events <types>', eventTypesOrAll),
      insecure: toggle('--insecure', 'accept any certificate of the receiver, also a self-signed one')
    },
    run: async ({ store, forwardTo, events, insecure = false }, { api, out, err, json }) => {
      const remark = (text: string) => void err.write(`${text}\n`)
      const stopping = stopOnSignals(() => process.exit(130))
      try {
        await runListener({
          api,
          path: storePath(store, '/webhook-listeners'),
          events: orEvery(events),
          deliver: async (delivery, cutOff) =>
            forwardTo ? forwardDelivery(forwardTo, delivery, { insecure, cutOff }) : PRINTED,
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
        remark('The service had closed this listener. The new one has a new secret; events in between are lost.')
      out.write(
        lines([
          `Listening to ${store} as ${id}: ${what}, until Ctrl-C.`,
          forwardTo
            ? `Deliveries go to ${forwardTo.href}, one attempt each.`
            : 'Deliveries are only printed. Use --forward-to to forward them.',
          `Signing secret, valid while this command runs: ${secret}`,
          ''
        ])
      )
    },
    started: (delivery) => say(`${coloured('cyan', '-->')} ${harmless(shownName(delivery))}`),
    finished({ webhook_id }, { responseCode, durationMs, problem }) {
      if (!forwardTo) return
      const well = responseCode !== null && responseCode >= 200 && responseCode <= 299
      const colour = well ? 'green' : 'red'
      const result =
        responseCode === null ? `no response: ${harmless(problem ?? '')}` : `${responseCode} in ${durationMs} ms`
      say(`${coloured(colour, '<--')} ${coloured(colour, result)} (${webhook_id})`)
    }
  }
}

function shownName({ event, webhook_id, object, test }: Fetched): string {
  const about = test ? 'test' : object
  return `${event} ${webhook_id}${about ? ` (${about})` : ''}`
}

/** One line per opened listener, because scripts need the secret, and one per finished delivery. */
function asJson(out: NodeJS.WriteStream, remark: Listening['remark']): Listening {
  const say = (document: Document) => void out.write(`${JSON.stringify(document)}\n`)
  return {
    remark,
    opened: (listener) => say({ listening: listener }),
    started: () => {},
    finished({ webhook_id, event, object, test, body }, outcome) {
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
