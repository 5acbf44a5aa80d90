import { isoOrNull } from '#kit/clock'
import { keyOf, type Problem } from './problem.ts'

/** How many lines one look writes; `perennial status` lists all. */
const MAX_LINES = 20

type Log = {
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
}

export type ProblemWatch = {
  /** Compares what does not work now with the look before. */
  look(): Promise<void>
  /** Another node looks from now on. */
  forget(): void
}

/** Logs each problem once when it begins and once when it ends. */
export function createProblemWatch(find: () => Promise<Problem[]>, log: Log): ProblemWatch {
  let known = new Map<string, Problem>()
  return {
    async look() {
      const now = new Map((await find()).map((problem) => [keyOf(problem), problem]))
      const begun = [...now].filter(([key]) => !known.has(key)).map(([, problem]) => problem)
      const ended = [...known].filter(([key]) => !now.has(key)).map(([, problem]) => problem)
      known = now
      for (const problem of begun.slice(0, MAX_LINES)) {
        log.warn(fieldsOf(problem), `${placeOf(problem)}${problem.message}. What to do: ${problem.next}`)
      }
      for (const problem of ended.slice(0, MAX_LINES)) {
        log.info(fieldsOf(problem), `No longer: ${placeOf(problem)}${problem.message}`)
      }
      const more = [begun, ended].map((some) => Math.max(0, some.length - MAX_LINES))
      if (more[0]! + more[1]! > 0) {
        log.warn({}, `${more[0]} more problems have begun and ${more[1]} have ended: \`perennial status\` lists them`)
      }
    },
    forget() {
      known = new Map()
    }
  }
}

const placeOf = ({ store }: Problem) => (store === null ? '' : `${store}: `)

const fieldsOf = ({ kind, store, subject, since }: Problem) => ({
  problem: { kind, subject, since: isoOrNull(since) },
  ...(store !== null && { store: { domain: store } })
})
