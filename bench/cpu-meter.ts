import { serverCpu } from './server-cpu.ts'

/** What a piece of work took: wall time, and CPU of this process and of the database's server. */
export type Taken = { seconds: number; serviceMs: number; databaseMs: number }

/** Measures pieces of work one after the other, by the server of the given address. */
export async function cpuMeter(url: string): Promise<(work: () => Promise<unknown>) => Promise<Taken>> {
  const serverMs = await serverCpu(url)
  return async (work) => {
    const before = { cpu: process.cpuUsage(), database: serverMs(), at: performance.now() }
    await work()
    const seconds = (performance.now() - before.at) / 1000
    const { user, system } = process.cpuUsage(before.cpu)
    return { seconds, serviceMs: (user + system) / 1000, databaseMs: serverMs() - before.database }
  }
}

/** The same for each of `count` things, as a bench prints it. */
export const perOne = ({ seconds, serviceMs, databaseMs }: Taken, count: number) => ({
  per_s: Math.round(count / seconds),
  service_cpu_ms: Number((serviceMs / count).toFixed(3)),
  database_cpu_ms: Number((databaseMs / count).toFixed(3))
})
