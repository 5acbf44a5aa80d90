/** Runs `work` repeatedly, with a pause after each run. `stop` waits for a run in progress. */
export function runPeriodically(pauseMs: number, work: () => Promise<void>): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout
  let running = Promise.resolve()
  let stopped = false
  const next = () => {
    if (stopped) return
    timer = setTimeout(() => {
      running = work().finally(next)
    }, pauseMs)
  }
  next()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    }
  }
}
