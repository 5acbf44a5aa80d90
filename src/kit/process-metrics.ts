import { monitorEventLoopDelay } from 'node:perf_hooks'
import { defineMetric } from './metrics.ts'

const NS_PER_SECOND = 1e9

export const eventLoopDelay = defineMetric({
  name: 'nodejs.eventloop.delay.p99.seconds',
  kind: 'gauge',
  help: 'Delay of the event loop since the last scrape',
  labels: {}
})

export const residentMemory = defineMetric({
  name: 'process.memory.usage.bytes',
  kind: 'gauge',
  help: 'Resident memory',
  labels: {}
})

export const heapUsed = defineMetric({
  name: 'v8js.memory.heap.used.bytes',
  kind: 'gauge',
  help: 'JavaScript heap in use',
  labels: {}
})

export const cpuTime = defineMetric({
  name: 'process.cpu.time.seconds',
  kind: 'counter',
  help: 'CPU time of the process',
  labels: {}
})

export const clockOffset = defineMetric({
  name: 'perennial.clock.offset.seconds',
  kind: 'gauge',
  help: "How far this machine's clock is ahead of the database's; negative: behind",
  labels: {}
})

/** Reads the current values of the process. Reading the event loop delay starts its next interval. */
export function watchProcess() {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  return {
    values: [
      {
        metric: eventLoopDelay,
        read() {
          // NaN if the loop has not run since the last scrape.
          const seconds = (delay.percentile(99) || 0) / NS_PER_SECOND
          delay.reset()
          return seconds
        }
      },
      { metric: residentMemory, read: () => process.memoryUsage.rss() },
      { metric: heapUsed, read: () => process.memoryUsage().heapUsed },
      {
        metric: cpuTime,
        read() {
          const { user, system } = process.cpuUsage()
          return (user + system) / 1e6
        }
      }
    ],
    stop: () => void delay.disable()
  }
}
