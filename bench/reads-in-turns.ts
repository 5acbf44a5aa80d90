import { perOne, type Taken } from './cpu-meter.ts'

const ROUNDS = 5

/**
 * Measures reads in turns, each `times` times in all, after a round that counts nothing. `measured` is a `cpuMeter`; a read gets
 * how often it was made before in its turn.
 */
export async function readsInTurns<Name extends string>(
  reads: Record<Name, (i: number) => Promise<unknown>>,
  times: number,
  measured: (work: () => Promise<unknown>) => Promise<Taken>
): Promise<Record<Name, ReturnType<typeof perOne>>> {
  const names = Object.keys(reads) as Name[]
  const turn = (name: Name) => async () => {
    for (let i = 0; i < times / ROUNDS; i++) await reads[name](i)
  }
  for (const name of names) await turn(name)()
  const sums = new Map(names.map((name) => [name, { seconds: 0, serviceMs: 0, databaseMs: 0 }]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) {
      const { seconds, serviceMs, databaseMs } = await measured(turn(name))
      const sum = sums.get(name)!
      sum.seconds += seconds
      sum.serviceMs += serviceMs
      sum.databaseMs += databaseMs
    }
  }
  const each = names.map((name) => [name, perOne(sums.get(name)!, times)])
  return Object.fromEntries(each) as Record<Name, ReturnType<typeof perOne>>
}
